import { describe, expect, it } from "vitest"
import type { ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import {
  rolledBack,
  call,
  chargeIn,
  closed,
  gaveUp,
  workDue,
  deferred,
  pending,
  reconciler,
  refused,
  type Row
} from "./machineRows.ts"
import {
  moved,
  earlier,
  fresh,
  confirming,
  notMoved,
  expired,
  canceled,
  usedOtherwise,
  unavailable,
  already,
  completed,
  unproven,
  queryStep,
  row,
  attempts,
  refund
} from "./chainRows.ts"

/*
 * What follows from each thing that the chain can show about a payment, for each query.
 */

const short = refused("insufficient_funds")
const refusing = queryStep({ _tag: "Refusal", ending: short })

/** A payment that was claimed, and is about to be refused for want of funds. */
const refusals: ReadonlyArray<Row> = [
  row("has moved: a refund is due", call, refusing, moved, { ...completed, refundDue: true }),
  row("has moved before its work: the work is due", { ...call, ...workDue }, refusing, moved, completed),
  row("has moved before its claim: no refund is due", call, refusing, earlier, rolledBack(already, false)),
  row(
    "has moved before its claim, before its work",
    { ...call, ...workDue },
    refusing,
    earlier,
    rolledBack(already, false)
  ),
  row("has not moved", call, refusing, notMoved, gaveUp(short)),
  row("was canceled", call, refusing, canceled, gaveUp(refused("payment_canceled"))),
  row("can't be seen", call, refusing, unavailable, rolledBack(pending, false)),
  row("waits for confirmations", call, refusing, confirming, rolledBack(pending, false))
]

describe("a payment that its payer's balance doesn't cover", () => {
  it.each(refusals)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })

  it("is looked for on the chain once it is voided, where that can be read", () => {
    const step: ChargeStep = { _tag: "Void", keepsExposure: false, isOpen: true, ending: short }
    const event = { _tag: "Voided", voided: true } as const
    expect(next(step, event, call)).toStrictEqual(refusing)
    expect(next(step, event, { ...call, canReadChain: false })).toStrictEqual(gaveUp(short))
  })
})

const watch = (sameRequest = true, changes: Parameters<typeof chargeIn>[1] = {}): ChargeStep =>
  queryStep({ _tag: "Watch", watched: { charge: chargeIn("voided", changes), sameRequest } })

const watchRefused = queryStep({
  _tag: "Watch",
  watched: { charge: chargeIn("voided"), sameRequest: true, isRefused: true }
})

const watches: ReadonlyArray<Row> = [
  row("has moved", call, watch(), moved, refund),
  row("has moved, for the reconciler", reconciler, watch(), fresh, { ...unproven, refundDue: true }),
  row("has moved, and settles first", call, watch(true, { settlesFirst: true }), moved, completed),
  row("has moved for another request", call, watch(false), moved, deferred(already)),
  row("moved before its claim", call, watch(), earlier, rolledBack(already, true)),
  row("moved before its claim, for the reconciler", reconciler, watch(), earlier, rolledBack(closed, true)),
  row(
    "moved before its claim, and settles first",
    call,
    watch(true, { settlesFirst: true }),
    earlier,
    rolledBack(already, true)
  ),
  row("is unused", call, watch(), notMoved, { _tag: "Judge", key: "held" }),
  row("is unused and was refused", call, watchRefused, notMoved, {
    _tag: "Defer",
    reason: undefined,
    nextCheck: "expiry",
    thenFind: true,
    ending: refused("payment_refused")
  }),
  row("was refused and has moved", call, watchRefused, moved, refund),
  row("was refused, which is not clear yet", call, watchRefused, unavailable, deferred(pending)),
  row(
    "is unused and expired, in a call",
    call,
    watch(),
    expired,
    rolledBack(refused("payment_expired"), true)
  ),
  row("is unused, for the reconciler", reconciler, watch(), notMoved, deferred(closed)),
  row("is unused and expired", reconciler, watch(), expired, rolledBack(closed, true)),
  row("was canceled", call, watch(), canceled, rolledBack(refused("payment_canceled"), true)),
  row("was used otherwise", call, watch(), usedOtherwise, rolledBack(refused("payment_nonce_used"), true)),
  row("was canceled, for the reconciler", reconciler, watch(), canceled, rolledBack(closed, true)),
  ...[confirming, unavailable].flatMap((evidence): ReadonlyArray<Row> => [
    row("is not clear yet", call, watch(), evidence, deferred(pending)),
    row("is not clear yet, for the reconciler", reconciler, watch(), evidence, deferred(closed))
  ])
]

describe.each([
  ["an attempt to settle", attempts],
  ["a payment that was voided", watches]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })
})
