import { describe, expect, it } from "vitest"
import { next } from "./nextStep.ts"
import { endings, settlements } from "./settlementRows.ts"
import { takeovers } from "./takeoverRows.ts"

/*
 * Each step of a settlement, in a call and in the reconciler.
 */

describe.each([
  ["a takeover", takeovers],
  ["a settlement", settlements],
  ["a charge that is", endings]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, plan, event, expected) => {
    expect(next(plan, event, facts)).toStrictEqual(expected)
  })
})
