import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeEvent, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import {
  blind,
  call,
  chargeIn,
  closed,
  deferred,
  deferredUnknown,
  deleted,
  end,
  find,
  inProgress,
  left,
  nowMillis,
  paid,
  paidWork,
  pending,
  provisionalWork,
  receipt,
  reconciler,
  refused,
  refusedHeld,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided,
  workDue
} from "./machineRows.ts"
import { judge, takeOver, takeOverUnsettled } from "./requestRows.ts"

export const already = refused("payment_already_used")

const taken = (
  charge: Charge,
  changes: Partial<Extract<ChargeEvent, { _tag: "Taken" }>> = {}
): ChargeEvent => ({
  _tag: "Taken",
  charge,
  sameRequest: true,
  readable: true,
  nowMillis,
  ...changes
})
const other = { sameRequest: false }
const owing = chargeIn("settled", { settlesFirst: true, responseOwedUntilMillis: paid.untilMillis })
const unapplied = chargeIn("settled", { effectPending: true })
const unsure = chargeIn("settled", { awaitsFinality: true })
/** Settles again, unless it has moved. */
export const before: Plan = [
  { _tag: "QueryChain", query: { _tag: "Proof", transaction: undefined } },
  ...settleAgain
]
const watched = (charge: Charge, sameRequest: boolean, plan: Plan): Plan => [
  { _tag: "QueryChain", query: { _tag: "Watch", charge, sameRequest } },
  ...plan
]
const taking: Plan = [{ _tag: "Void", keepsExposure: false, isRefused: false }]
export const refundOwed: Plan = [{ _tag: "MarkRefundDue" }, { _tag: "YieldLease" }, ...find]

export const takeovers: ReadonlyArray<Row> = [
  ["that may not try again yet", call, takeOver, { _tag: "Exhausted" }, end(pending)],
  [
    "that may not try again yet, of a charge without a settlement",
    call,
    takeOverUnsettled,
    { _tag: "Exhausted" },
    end(inProgress)
  ],
  ["that comes too late, in a call", call, takeOver, { _tag: "Overtaken" }, find],
  ["that comes too late, by the reconciler", reconciler, takeOver, { _tag: "Overtaken" }, end(closed)],
  ["of what can't be read", call, takeOver, taken(chargeIn("ready"), { readable: false }), deferredUnknown()],
  [
    "of a claim, in a call",
    call,
    takeOver,
    taken(chargeIn("claimed"), other),
    [...taking, ...watched(chargeIn("claimed"), false, judge("own"))]
  ],
  [
    "of a claim, in a call, blind",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("claimed")),
    [...taking, ...judge("own")]
  ],
  ["of a claim, by the reconciler", reconciler, takeOver, taken(chargeIn("claimed")), voided(false, closed)],
  ["of a response", call, takeOver, taken(chargeIn("ready")), before],
  ["of a response to another request", call, takeOver, taken(chargeIn("ready"), other), deferred(already)],
  ["of a response, by the reconciler", reconciler, takeOver, taken(chargeIn("ready"), other), before],
  ["of a response, blind", { ...call, ...blind }, takeOver, taken(chargeIn("ready")), settleAgain],
  [
    "of a response, blind, by the reconciler",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("ready")),
    settleAgain
  ],
  [
    "of what was to settle first, in a call",
    { ...call, ...blind, ...workDue },
    takeOver,
    taken(chargeIn("ready")),
    settleAgain
  ],
  [
    "of what was to settle first, with no call waiting",
    { ...reconciler, ...blind, ...workDue },
    takeOver,
    taken(chargeIn("ready")),
    settleAgain
  ],
  [
    "of what was to settle first, with no call waiting, where the chain can be read",
    { ...reconciler, ...workDue },
    takeOver,
    taken(chargeIn("ready")),
    [before[0], ...deferred(closed)]
  ],
  [
    "of a settlement whose effect is pending, in a call",
    call,
    takeOver,
    taken(unapplied),
    [{ _tag: "Apply" }, ...find]
  ],
  [
    "of a settlement whose effect is pending, by the reconciler",
    reconciler,
    takeOver,
    taken({ ...unapplied, responseOwedUntilMillis: 0 }),
    [{ _tag: "Apply" }, ...end({ _tag: "Paid", receipt })]
  ],
  ["of a settlement, in a call", call, takeOver, taken(chargeIn("settled")), left(pending)],
  ["of a settlement whose response is owed", call, takeOver, taken(owing), paidWork],
  [
    "of a settlement that is not final and whose response is owed",
    call,
    takeOver,
    taken({ ...owing, awaitsFinality: true }),
    provisionalWork
  ],
  [
    "of a settlement whose response is owed to another request",
    call,
    takeOver,
    taken(owing, other),
    left(already)
  ],
  [
    "of an owed response without its receipt",
    call,
    takeOver,
    taken({ ...owing, receipt: undefined }),
    left(pending)
  ],
  [
    "of a response that was owed until now, in a call",
    call,
    takeOver,
    taken({ ...owing, responseOwedUntilMillis: nowMillis }),
    refundOwed
  ],
  [
    "of a response that was owed until now",
    reconciler,
    takeOver,
    taken({ ...owing, responseOwedUntilMillis: nowMillis }),
    refundOwed
  ],
  ["of a response that is still owed", reconciler, takeOver, taken(owing), left(closed)],
  [
    "of a settlement that is not final",
    reconciler,
    takeOver,
    taken(unsure),
    [{ _tag: "QueryChain", query: { _tag: "Finality", charge: unsure } }, ...deferred(closed, "backoff")]
  ],
  [
    "of a settlement that is not final, blind",
    { ...reconciler, ...blind },
    takeOver,
    taken(unsure),
    left(closed)
  ],
  ["of a settlement with nothing left to do", reconciler, takeOver, taken(chargeIn("settled")), left(closed)],
  [
    "of what was voided",
    reconciler,
    takeOver,
    taken(chargeIn("voided"), other),
    watched(chargeIn("voided"), false, judge("own"))
  ],
  ["of what was voided, blind", { ...call, ...blind }, takeOver, taken(chargeIn("voided")), judge("own")],
  [
    "of what was refused",
    call,
    takeOver,
    taken(chargeIn("voided"), { isRefused: true }),
    watched(chargeIn("voided"), true, refusedHeld(refused("payment_refused")))
  ],
  [
    "of what was refused, blind",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided"), { isRefused: true }),
    refusedHeld(refused("payment_refused"))
  ],
  [
    "of what was voided and has expired, in a call that can't read the chain",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    judge("own")
  ],
  ...([call, reconciler] as const).map((facts): Row => [
    "of a pending effect without its receipt",
    facts,
    takeOver,
    taken({ ...unapplied, receipt: undefined }),
    left(facts.by === "call" ? pending : closed)
  ]),
  [
    "of what was voided and has expired, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    deleted(closed)
  ],
  [
    "of what was voided and expires now, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 }),
    deferred(closed)
  ]
]
