import { describe, expect, it } from "vitest"
import {
  type ChargeEvent,
  type ChargeFacts,
  type ChargeStep,
  ImpossibleTransition
} from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  rolledBack,
  call,
  checkFunds,
  end,
  find,
  deferred,
  paid,
  product,
  receipt,
  reconciler,
  task
} from "./machineRows.ts"
import { admissions, claim, lookups, paidWork, verify, work, works } from "./requestRows.ts"
import { complete, ending, endings, firstSettle, settlements } from "./settlementRows.ts"
import { before, takeOver, takeovers } from "./takeoverRows.ts"

/*
 * Each step of a call's request, and each event that a step can't have. `ChargeMachine.lives.test.ts` walks through whole lives
 * and looks for what must never happen.
 */

describe.each([
  ["a call", lookups],
  ["a payment", admissions],
  ["work", works]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })
})

describe("an event that a step can't have", () => {
  const steps: ReadonlyArray<readonly [ChargeStep, ReadonlyArray<ChargeEvent["_tag"]>]> = [
    [find, ["Found"]],
    [{ _tag: "Wait" }, ["Waited"]],
    [takeOver, ["Taken", "Overtaken", "Exhausted"]],
    [{ _tag: "Judge", key: "held" }, ["Refused", "Accepted", "Limited"]],
    [verify("held"), ["Verified", "Busy", "Limited"]],
    [claim("held"), ["Claimed", "Found", "Limited"]],
    [{ _tag: "Queue", task, key: "held" }, ["Waited"]],
    [checkFunds, ["Funded"]],
    [work, ["Worked", "WorkFailed"]],
    [paidWork, ["Worked", "WorkFailed"]],
    [{ _tag: "Record" }, ["Recorded"]],
    [{ _tag: "Deliver", paid, work: product }, ["Delivered"]],
    [firstSettle, ["Settled"]],
    [before, ["Seen"]],
    [complete, ["Completed", "TransferTaken", "Overtaken"]],
    [{ _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } }, ["Reopened"]],
    [{ _tag: "Apply", receipt }, ["Done"]],
    [{ _tag: "Void", keepsExposure: true, ending }, ["Voided"]],
    [rolledBack(ending, true), ["Done"]],
    [deferred(ending), ["Done"]],
    [{ _tag: "DeleteCharge", ending }, ["Done"]],
    [{ _tag: "EndLease", ending }, ["Done"]],
    [{ _tag: "Finalize" }, ["Done"]],
    [{ _tag: "MarkRefundDue" }, ["Done"]],
    [end(ending), []]
  ]
  const rows = [...lookups, ...takeovers, ...admissions, ...works, ...settlements, ...endings]
  const events = new Map<ChargeEvent["_tag"], ChargeEvent>([
    ["Seen", { _tag: "Seen", evidence: { _tag: "Unavailable" } }],
    ...rows.map(([, , , event]) => [event._tag, event] as const)
  ])
  it.each(steps)("%j is a defect", (step, possible) => {
    for (const [tag, event] of events) {
      if (possible.includes(tag)) continue
      for (const facts of [call, reconciler] satisfies ReadonlyArray<ChargeFacts>)
        expect(() => next(step, event, facts), tag).toThrow(ImpossibleTransition)
    }
  })
})
