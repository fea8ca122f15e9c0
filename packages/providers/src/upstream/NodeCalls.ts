import { readRpcReply, rpcCall, type RpcError } from "@till402/core/effect"
import { Data, Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Upstream } from "./Upstream.ts"
import { ResponseMalformed, type UpstreamFault } from "./UpstreamFault.ts"

/** What a node of an EVM chain says about a call that it could not execute. */
export type CallFailure = "reverted" | "out_of_gas"

/** The node refused the call. `code`: the number of its error. */
export class NodeRefused extends Data.TaggedError("NodeRefused")<{
  readonly upstream: string
  readonly code: string
  /** How the call itself failed; `undefined` if that says nothing about the call, such as a block that is missing. */
  readonly failure?: CallFailure | undefined
}> {
  override get message(): string {
    return `${this.upstream} refused the call: ${this.code}`
  }
}

/** A fault of a node: of the connection, or its refusal. */
export type NodeFault = UpstreamFault | NodeRefused

/** Calls a method of a node, and returns its result unchecked. */
export type CallNode = (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, NodeFault>

/** Calls to a node by JSON-RPC. `failureOf`: how a call failed, by the node's error. */
export const nodeCalls = (
  upstream: Upstream,
  rpcUrl: string,
  failureOf?: (error: RpcError) => CallFailure | undefined
): CallNode => {
  const { name } = upstream
  return Effect.fnUntraced(function* (method, params) {
    const request = HttpClientRequest.bodyJsonUnsafe(HttpClientRequest.post(rpcUrl), rpcCall(method, params))
    // Every method may be repeated, including sending the same signed transaction.
    const { text } = yield* upstream.call(request, { idempotent: true })
    const reply = readRpcReply(text)
    switch (reply._tag) {
      case "Malformed":
        return yield* new ResponseMalformed({ upstream: name, detail: "not a response of JSON-RPC" })
      case "Error": {
        const { code } = reply.error
        return yield* new NodeRefused({
          upstream: name,
          code: typeof code === "number" ? `RPC_${code}` : "RPC",
          failure: failureOf?.(reply.error)
        })
      }
      case "Result":
        return reply.result
    }
  })
}
