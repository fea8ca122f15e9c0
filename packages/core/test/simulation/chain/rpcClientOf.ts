import { Effect } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import type { Link } from "../Link.ts"
import { RpcFailure } from "./RpcFailure.ts"
import type { RpcRequest } from "./RpcNode.ts"

/** The HTTP client of a process, which reaches nodes over its link. */
export const rpcClientOf = (link: Link, respond: (request: RpcRequest) => unknown): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.map(
      Effect.promise(async () => {
        const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
        const call = JSON.parse(text) as RpcRequest
        try {
          const result = await link.rpc(call.method, () => respond(call))
          return Response.json({ jsonrpc: "2.0", id: 1, result })
        } catch (error) {
          // A node's own error comes with a status of success.
          return error instanceof RpcFailure
            ? Response.json({ jsonrpc: "2.0", id: 1, error: { code: error.code, message: error.message } })
            : new Response("", { status: 503 })
        }
      }),
      (response) => HttpClientResponse.fromWeb(request, response)
    )
  )
