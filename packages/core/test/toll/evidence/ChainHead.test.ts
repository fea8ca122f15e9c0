import { expect, it } from "vitest"
import { headText, readHead } from "../../../src/toll/evidence/ChainHead.ts"

it.each([
  ["a block", { number: 36_000_000n, hash: `0x${"ab".repeat(32)}` }, `36000000 0x${"ab".repeat(32)}`],
  ["a block with its time", { number: 7n, hash: "0x1", timeSeconds: 1_700_000_000n }, "7 0x1 1700000000"],
  ["a slot", { number: 400n }, "400"],
  ["the first block", { number: 0n, hash: "0x1" }, "0 0x1"],
  ["nothing", undefined, ""]
])("is stored as text, and read again: %s", (_, head, text) => {
  expect(headText(head)).toBe(text)
  expect(readHead(text)).toEqual(head)
})

it.each([
  ["7", { number: 7n }],
  ["7 0x1 x1", { number: 7n, hash: "0x1" }],
  ["7 0x1 1x", { number: 7n, hash: "0x1" }],
  ["7 0x1 -1", { number: 7n, hash: "0x1" }]
])("has no hash, and no time, where the text has none: %j", (text, head) => {
  expect(readHead(text)).toStrictEqual(head)
})

it.each(["", "x", "-1", " 5", "1e9", "5x"])("is nothing where the text is another: %j", (text) => {
  expect(readHead(text)).toBeUndefined()
})
