import { Option, Schema } from "effect"

/*
 * JSON-RPC 2.0 over HTTP, as the nodes of chains speak it.
 */

/** The document of a request that calls a method. */
export const rpcCall = (method: string, params: ReadonlyArray<unknown>) => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  params
})

const Reply = Schema.Struct({
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        code: Schema.optionalKey(Schema.Unknown),
        message: Schema.optionalKey(Schema.Unknown),
        data: Schema.optionalKey(Schema.Unknown)
      })
    )
  )
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Reply))

/** An error of a node, unchecked. Its message may quote the key in the node's address: keep it out of logs. */
export type RpcError = NonNullable<(typeof Reply.Type)["error"]>

/** A node's response. */
export type RpcReply =
  | { readonly _tag: "Result"; readonly result: unknown }
  | { readonly _tag: "Error"; readonly error: RpcError }
  | { readonly _tag: "Malformed" }

/** Reads a node's response. The result is unchecked, and `undefined` if there is none. */
export const readRpcReply = (text: string): RpcReply => {
  const reply = Option.getOrUndefined(decode(text))
  if (reply === undefined) return { _tag: "Malformed" }
  const { error, result } = reply
  return error === undefined || error === null ? { _tag: "Result", result } : { _tag: "Error", error }
}
