import { Effect, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import type { Link } from "../Link.ts"
import { RpcFailure } from "./RpcFailure.ts"
import type { RpcRequest } from "./RpcNode.ts"

const decoder = new TextDecoder()
const encoder = new TextEncoder()
const ok = new Response(null)
const unavailable = new Response(null, { status: 503 })

/** A response over the bytes themselves: the streams of a web response would cost more than the node behind it. */
const responseOf = (
  request: HttpClientRequest.HttpClientRequest,
  reply: object
): HttpClientResponse.HttpClientResponse =>
  Object.defineProperty(HttpClientResponse.fromWeb(request, ok), "stream", {
    value: Stream.succeed(encoder.encode(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply })))
  })

/** The HTTP client of a process, which reaches nodes over its link. */
export const rpcClientOf = (link: Link, respond: (request: RpcRequest) => unknown): HttpClient.HttpClient =>
  HttpClient.make((request) =>
    Effect.promise(async () => {
      const text = request.body._tag === "Uint8Array" ? decoder.decode(request.body.body) : "{}"
      const call = JSON.parse(text) as RpcRequest
      try {
        return responseOf(request, { result: await link.rpc(call.method, () => respond(call)) })
      } catch (error) {
        // A node's own error comes with a status of success.
        return error instanceof RpcFailure
          ? responseOf(request, { error: { code: error.code, message: error.message } })
          : HttpClientResponse.fromWeb(request, unavailable)
      }
    })
  )
