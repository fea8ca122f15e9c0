import { describe, expect, it } from "vitest"
import { judgeTurn, mayMove } from "../../src/refunds/RefundTurn.ts"
import { sampleAttempt } from "../../../testing/src/stores/records.ts"
import type { ChainEvidence } from "../../src/toll/evidence/Chain.ts"
import { moved, nowMillis } from "../shop/orders/refundScene.ts"

const finality = { finalitySeconds: 180 }
const nowSeconds = nowMillis / 1_000
const mine = "0x00000000000000000000000000000000000000aa"
const theirs = "0x00000000000000000000000000000000000000bb"
const third = "0x00000000000000000000000000000000000000cc"
const validBefore = nowSeconds + 3_600
const of = (wallet: string, sequence: number, end = validBefore) =>
  sampleAttempt({ wallet, sequence, validBefore: end })
const unused = (chainTimeSeconds: number): ChainEvidence => ({ _tag: "NotMoved", chainTimeSeconds })
const dead = unused(validBefore + 180)

describe("an attempt of another wallet", () => {
  it.each<readonly [ChainEvidence | undefined, boolean]>([
    [undefined, true],
    [unused(validBefore - 1), true],
    [unused(validBefore), true],
    [unused(validBefore + 179), true],
    [dead, false],
    [{ _tag: "NotPaid", reason: "canceled" }, false],
    [{ _tag: "NotPaid", reason: "used_otherwise" }, false],
    [{ _tag: "Confirming", transaction: "0x01" }, true],
    [{ _tag: "Unavailable" }, true],
    [{ _tag: "Unavailable", isUsed: true }, true],
    [moved(), true],
    [moved(false), true]
  ])("may still move, if the chain shows %j: %s", (evidence, expected) => {
    expect(mayMove(of(theirs, 1), evidence, finality)).toBe(expected)
  })
})

describe("a wallet", () => {
  const turn = (
    attempts: ReadonlyArray<ReturnType<typeof of>>,
    evidence: ReadonlyArray<readonly [string, ChainEvidence]> = []
  ) => judgeTurn(attempts, mine, new Map(evidence), finality, nowSeconds)

  it("records the first attempt", () => {
    expect(turn([])).toEqual({ _tag: "Record" })
  })

  it("records its own a second time, then submits that for as long as a facilitator takes it", () => {
    expect(turn([of(mine, 1)])).toEqual({ _tag: "Repeat", attempt: of(mine, 2) })
    expect(turn([of(mine, 1), of(mine, 2)])).toEqual({ _tag: "Submit", attempt: of(mine, 2) })
    const last = of(mine, 2, nowSeconds + 60)
    expect(turn([of(mine, 1, nowSeconds), last])).toEqual({
      _tag: "Repeat",
      attempt: { ...last, sequence: 3 }
    })
    // The first one may have been ended since; the second is nobody's to end.
    expect(turn([of(mine, 1, 0), of(mine, 2)])).toEqual({ _tag: "Repeat", attempt: of(mine, 3) })
    expect(turn([of(theirs, 1, last.validBefore), last], [[theirs, dead]])).toMatchObject({ _tag: "Repeat" })
    expect(turn([of(mine, 1, 0)])).toEqual({ _tag: "Record" })
    expect(turn([of(mine, 1, nowSeconds + 59)])).toEqual({ _tag: "Record" })
  })

  it("waits for each attempt of each other wallet", () => {
    expect(turn([of(theirs, 1)])).toEqual({ _tag: "Wait", attempt: of(theirs, 1) })
    const attempts = [of(theirs, 1), of(theirs, 2, validBefore + 1), of(third, 3)]
    const evidence = [
      [theirs, dead],
      [third, { _tag: "NotPaid", reason: "canceled" }]
    ] as const
    expect(turn(attempts, evidence)).toEqual({ _tag: "Wait", attempt: attempts[1] })
    expect(turn([of(theirs, 1), of(third, 2)], [[theirs, dead]])).toMatchObject({ _tag: "Wait" })
    expect(turn([of(theirs, 1), of(third, 2)], evidence)).toEqual({ _tag: "Record" })
  })

  it("doesn't wait for an attempt that was ended, unless the chain shows its transfer", () => {
    expect(turn([of(theirs, 1, 0)])).toEqual({ _tag: "Record" })
    expect(turn([of(theirs, 1, 0), of(theirs, 2)])).toMatchObject({ _tag: "Wait" })
    expect(turn([of(theirs, 1, 0)], [[theirs, moved()]])).toMatchObject({ _tag: "Moved" })
    expect(turn([of(theirs, 1, 0)], [[theirs, { _tag: "Unavailable" }]])).toMatchObject({ _tag: "Wait" })
  })

  it("waits for another wallet that came after its own attempt", () => {
    const attempts = [of(mine, 1, nowSeconds - 9_000), of(theirs, 2)]
    expect(turn(attempts, [[theirs, unused(nowSeconds)]])).toEqual({ _tag: "Wait", attempt: attempts[1] })
    expect(turn(attempts, [[theirs, dead]])).toEqual({ _tag: "Record" })
  })

  it("takes what another wallet moved for the refund, whatever the third may do", () => {
    const attempts = [of(third, 1), of(theirs, 2), of(mine, 3)]
    expect(turn(attempts, [[theirs, moved()]])).toEqual({ _tag: "Moved", evidence: moved() })
    expect(turn(attempts, [[theirs, moved(false)]])).toEqual({ _tag: "Moved", evidence: moved(false) })
  })
})
