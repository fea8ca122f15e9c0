import { describe, expect, it } from "vitest"
import {
  type ChargeEvent,
  type ChargeFacts,
  ImpossibleTransition,
  type Plan
} from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  call,
  checkFunds,
  deferred,
  deleted,
  end,
  find,
  left,
  paidWork,
  pending,
  reconciler,
  refusedUnlessCopied,
  settleFirst,
  voided,
  waitAndFind,
  work
} from "./machineRows.ts"
import {
  admissions,
  claim,
  claimRefused,
  deliver,
  judge,
  lookups,
  takeOver,
  verify,
  works
} from "./requestRows.ts"
import {
  applied,
  complete,
  endings,
  finalized,
  firstSettle,
  reopening,
  settlements
} from "./settlementRows.ts"
import { before, refundOwed, takeovers } from "./takeoverRows.ts"

/*
 * Each step of a call's request, and each event that a step can't have. `ChargeMachine.lives.test.ts` walks through whole lives
 * and looks for what must never happen.
 */

describe.each([
  ["a call", lookups],
  ["a payment", admissions],
  ["work", works]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, plan, event, expected) => {
    expect(next(plan, event, facts)).toStrictEqual(expected)
  })
})

describe("an event that a step can't have", () => {
  const plans: ReadonlyArray<readonly [Plan, ReadonlyArray<ChargeEvent["_tag"]>]> = [
    [find, ["Found"]],
    [refusedUnlessCopied("voided", pending), ["Found"]],
    [waitAndFind, ["Waited"]],
    [takeOver, ["Taken", "Overtaken", "Exhausted"]],
    [judge("own"), ["Refused", "Accepted", "Limited", "Repeated", "Identified"]],
    [verify("own"), ["Verified", "Refused", "Busy", "Limited", "Repeated", "Identified"]],
    [claim("own"), ["Claimed", "Found", "Limited", "Repeated", "Identified"]],
    [claimRefused(pending), ["Claimed", "Found"]],
    [[{ _tag: "Queue" }, ...claim("own")], ["Waited"]],
    [[checkFunds, ...work], ["Funded"]],
    [work, ["Worked", "WorkFailed"]],
    [paidWork, ["Worked", "WorkFailed"]],
    [settleFirst, ["Advanced"]],
    [deliver, ["Delivered"]],
    [firstSettle, ["Settled"]],
    [before, ["Seen"]],
    [complete, ["Completed", "TransferTaken", "Overtaken"]],
    [reopening, ["Reopened"]],
    [applied, ["Done"]],
    [voided(true, pending), ["Voided"]],
    [deleted(pending), ["Done"]],
    [deferred(pending), ["Done"]],
    [[{ _tag: "Release" }, ...end(pending)], ["Done"]],
    [left(pending), ["Done"]],
    [finalized, ["Done"]],
    [refundOwed, ["Done"]],
    [end(pending), []]
  ]
  const rows = [...lookups, ...takeovers, ...admissions, ...works, ...settlements, ...endings]
  const events = new Map<ChargeEvent["_tag"], ChargeEvent>([
    ["Seen", { _tag: "Seen", evidence: { _tag: "Unavailable" } }],
    ...rows.map(([, , , event]) => [event._tag, event] as const)
  ])
  it.each(plans)("%j is a defect", (plan, possible) => {
    for (const [tag, event] of events) {
      if (possible.includes(tag)) continue
      for (const facts of [call, reconciler] satisfies ReadonlyArray<ChargeFacts>)
        expect(() => next(plan, event, facts), tag).toThrow(ImpossibleTransition)
    }
  })

  it("is every event of a plan that ends without an end", () => {
    expect(() => next([{ _tag: "Wait" }], { _tag: "Waited" }, call)).toThrow(ImpossibleTransition)
  })
})
