import { describe, expect, it } from "vitest"
import type { ChargeEvent, CompleteStep, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  call,
  chargeIn,
  closed,
  deferred,
  deleted,
  gaveUp,
  pending,
  reconciler,
  refused,
  refusedHeld,
  rolledBack,
  type Row,
  workDue
} from "./machineRows.ts"
import {
  already,
  attempts,
  canceled,
  completed,
  confirming,
  earlier,
  expired,
  fresh,
  moved,
  notMoved,
  queryFirst,
  row,
  unavailable,
  unproven,
  usedOtherwise
} from "./chainRows.ts"
import { judge } from "./requestRows.ts"

/*
 * What follows from each thing that the chain can show about a payment, for each query.
 */

const short = refused("insufficient_funds")
/** Completed after the `Void` ended the lease. */
const withoutLease = (refund: CompleteStep["refund"]): Plan => completed(refund, { leaseEnded: true })
const refusing = queryFirst({ _tag: "Refusal" }, gaveUp(short))

/** A payment that was claimed, and is about to be refused for want of funds. */
const refusals: ReadonlyArray<Row> = [
  row("has moved: a refund is due", call, refusing, moved, withoutLease("due")),
  row(
    "has moved before its work: the work is due",
    { ...call, ...workDue },
    refusing,
    moved,
    withoutLease("none")
  ),
  row("has moved before its claim: no refund is due", call, refusing, earlier, rolledBack(already)),
  row(
    "has moved before its claim, before its work",
    { ...call, ...workDue },
    refusing,
    earlier,
    rolledBack(already)
  ),
  row("has not moved", call, refusing, notMoved, gaveUp(short)),
  row("was canceled", call, refusing, canceled, gaveUp(refused("payment_canceled"))),
  row("can't be seen", call, refusing, unavailable, rolledBack(pending)),
  row("waits for confirmations", call, refusing, confirming, rolledBack(pending))
]

describe("a payment that its payer's balance doesn't cover", () => {
  it.each(refusals)("%s", (_, facts, plan, event, expected) => {
    expect(next(plan, event, facts)).toStrictEqual(expected)
  })

  it("is looked for on the chain once it is voided", () => {
    const plan: Plan = [{ _tag: "Void", keepsExposure: false, isRefused: true }, ...refusing]
    const event: ChargeEvent = { _tag: "Voided", voided: true }
    expect(next(plan, event, call)).toStrictEqual(refusing)
  })
})

const watch = (sameRequest = true, changes: Parameters<typeof chargeIn>[1] = {}): Plan =>
  queryFirst({ _tag: "Watch", charge: chargeIn("voided", changes), sameRequest }, judge("own"))

const watchClaim = (changes: Parameters<typeof chargeIn>[1]): Plan =>
  queryFirst({ _tag: "Watch", charge: chargeIn("claimed", changes), sameRequest: true }, judge("own"))

const refusedAgain = refusedHeld(refused("payment_refused"))
const watchRefused = queryFirst(
  { _tag: "Watch", charge: chargeIn("voided"), sameRequest: true },
  refusedAgain
)

const watches: ReadonlyArray<Row> = [
  row("has moved", call, watch(), moved, completed("due")),
  row("has moved, for the reconciler", reconciler, watch(), fresh, unproven("due")),
  row("has moved, and settles first", call, watch(true, { settlesFirst: true }), moved, completed("none")),
  row(
    "has moved, of a claim that was voided",
    call,
    watchClaim({ settlesFirst: false }),
    moved,
    withoutLease("due")
  ),
  row(
    "has moved, of a claim that was voided and settles first",
    call,
    watchClaim({ settlesFirst: true }),
    moved,
    withoutLease("none")
  ),
  row("has moved for another request", call, watch(false), moved, deferred(already)),
  row("moved before its claim", call, watch(), earlier, deleted(already)),
  row("moved before its claim, for the reconciler", reconciler, watch(), earlier, deleted(closed)),
  row(
    "moved before its claim, and settles first",
    call,
    watch(true, { settlesFirst: true }),
    earlier,
    deleted(already)
  ),
  row("is unused", call, watch(), notMoved, judge("own")),
  row("is unused and was refused", call, watchRefused, notMoved, refusedAgain),
  row("was refused and has moved", call, watchRefused, moved, completed("due")),
  row("was refused, which is not clear yet", call, watchRefused, unavailable, deferred(pending)),
  row("is unused and expired, in a call", call, watch(), expired, deleted(refused("payment_expired"))),
  row("is unused, for the reconciler", reconciler, watch(), notMoved, deferred(closed)),
  row("is unused and expired", reconciler, watch(), expired, deleted(closed)),
  row("was canceled", call, watch(), canceled, deleted(refused("payment_canceled"))),
  row("was used otherwise", call, watch(), usedOtherwise, deleted(refused("payment_nonce_used"))),
  row("was canceled, for the reconciler", reconciler, watch(), canceled, deleted(closed)),
  ...[confirming, unavailable].flatMap((evidence): ReadonlyArray<Row> => [
    row("is not clear yet", call, watch(), evidence, deferred(pending)),
    row("is not clear yet, for the reconciler", reconciler, watch(), evidence, deferred(closed))
  ])
]

describe.each([
  ["an attempt to settle", attempts],
  ["a payment that was voided", watches]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, plan, event, expected) => {
    expect(next(plan, event, facts)).toStrictEqual(expected)
  })
})
