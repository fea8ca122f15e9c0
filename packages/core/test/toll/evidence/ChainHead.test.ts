import { expect, it } from "vitest"
import { headText, readHead } from "../../../src/toll/evidence/ChainHead.ts"

it.each([
  ["a block", { number: 36_000_000n, hash: `0x${"ab".repeat(32)}` }, `36000000 0x${"ab".repeat(32)}`],
  ["a slot", { number: 400n }, "400"],
  ["the first block", { number: 0n, hash: "0x1" }, "0 0x1"],
  ["nothing", undefined, ""]
])("is stored as text, and read again: %s", (_, head, text) => {
  expect(headText(head)).toBe(text)
  expect(readHead(text)).toEqual(head)
})

it.each(["x", "-1", " 5", "1e9"])("is nothing where the text is another: %j", (text) => {
  expect(readHead(text)).toBeUndefined()
})
