import { assert, describe, it } from "vitest"
import { readRpcReply } from "../../src/runtime/JsonRpc.ts"

describe("a response of JSON-RPC", () => {
  it.each([
    ["a result", '{"jsonrpc":"2.0","id":1,"result":[1]}', { _tag: "Result", result: [1] }],
    ["a result of null", '{"result":null}', { _tag: "Result", result: null }],
    ["a result beside an error of null", '{"result":1,"error":null}', { _tag: "Result", result: 1 }],
    ["no result", "{}", { _tag: "Result", result: undefined }],
    [
      "an error, with fields of any type",
      '{"error":{"code":"3","message":7,"data":{}},"result":1}',
      { _tag: "Error", error: { code: "3", message: 7, data: {} } }
    ],
    ["an error that is no object", '{"error":"no"}', { _tag: "Malformed" }],
    ["a list", "[]", { _tag: "Malformed" }],
    ["no JSON", "<html>", { _tag: "Malformed" }],
    ["nothing", "", { _tag: "Malformed" }]
  ])("is read as %s", (_what, text, reply) => {
    assert.deepStrictEqual(readRpcReply(text), reply)
  })
})
