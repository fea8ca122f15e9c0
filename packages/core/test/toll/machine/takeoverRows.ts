import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeEvent, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import {
  rolledBack,
  blind,
  call,
  chargeIn,
  closed,
  end,
  find,
  inProgress,
  workDue,
  deferred,
  deferredUnknown,
  nowMillis,
  paid,
  pending,
  receipt,
  reconciler,
  refused,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided
} from "./machineRows.ts"

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
export const takeOver: ChargeStep = { _tag: "TakeOver" }
const owing = chargeIn("settled", { settlesFirst: true, responseOwedUntilMillis: paid.untilMillis })
const unapplied = chargeIn("settled", { effectPending: true })
const unsure = chargeIn("settled", { awaitsFinality: true })
export const before: ChargeStep = { _tag: "QueryChain", query: { _tag: "Before" } }

export const takeovers: ReadonlyArray<Row> = [
  ["that may not try again yet", call, takeOver, { _tag: "Exhausted" }, end(pending)],
  [
    "that may not try again yet, of a charge without a settlement",
    call,
    { _tag: "TakeOver", isUnsettled: true },
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
    {
      _tag: "Void",
      keepsExposure: false,
      resumes: { charge: chargeIn("claimed"), sameRequest: false },
      ending: closed
    }
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
    { _tag: "Settle", first: false }
  ],
  [
    "of a settlement whose effect is pending, in a call",
    call,
    takeOver,
    taken(unapplied),
    { _tag: "Apply", receipt, thenFind: true }
  ],
  [
    "of a settlement whose effect is pending, by the reconciler",
    reconciler,
    takeOver,
    taken({ ...unapplied, responseOwedUntilMillis: 0 }),
    { _tag: "Apply", receipt }
  ],
  [
    "of a settlement, in a call",
    call,
    takeOver,
    taken(chargeIn("settled")),
    { _tag: "EndLease", ending: pending }
  ],
  ["of a settlement whose response is owed", call, takeOver, taken(owing), { _tag: "Work", paid }],
  [
    "of a settlement whose response is owed to another request",
    call,
    takeOver,
    taken(owing, other),
    { _tag: "EndLease", ending: already }
  ],
  [
    "of an owed response without its receipt",
    call,
    takeOver,
    taken({ ...owing, receipt: undefined }),
    { _tag: "EndLease", ending: pending }
  ],
  [
    "of a response that was owed until now, in a call",
    call,
    takeOver,
    taken({ ...owing, responseOwedUntilMillis: nowMillis }),
    { _tag: "MarkRefundDue" }
  ],
  [
    "of a response that was owed until now",
    reconciler,
    takeOver,
    taken({ ...owing, responseOwedUntilMillis: nowMillis }),
    { _tag: "MarkRefundDue" }
  ],
  [
    "of a response that is still owed",
    reconciler,
    takeOver,
    taken(owing),
    { _tag: "EndLease", ending: closed }
  ],
  [
    "of a settlement that is not final",
    reconciler,
    takeOver,
    taken(unsure),
    { _tag: "QueryChain", query: { _tag: "Finality", charge: unsure } }
  ],
  [
    "of a settlement that is not final, blind",
    { ...reconciler, ...blind },
    takeOver,
    taken(unsure),
    { _tag: "EndLease", ending: closed }
  ],
  [
    "of a settlement with nothing left to do",
    reconciler,
    takeOver,
    taken(chargeIn("settled")),
    { _tag: "EndLease", ending: closed }
  ],
  [
    "of what was voided",
    reconciler,
    takeOver,
    taken(chargeIn("voided"), other),
    {
      _tag: "QueryChain",
      query: { _tag: "Watch", watched: { charge: chargeIn("voided"), sameRequest: false, isRefused: false } }
    }
  ],
  [
    "of what was voided, blind",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided")),
    { _tag: "Judge", key: "held" }
  ],
  [
    "of what was refused",
    call,
    takeOver,
    taken(chargeIn("voided"), { isRefused: true }),
    {
      _tag: "QueryChain",
      query: { _tag: "Watch", watched: { charge: chargeIn("voided"), sameRequest: true, isRefused: true } }
    }
  ],
  [
    "of what was refused, blind",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided"), { isRefused: true }),
    {
      _tag: "Defer",
      reason: undefined,
      nextCheck: "expiry",
      thenFind: true,
      ending: refused("payment_refused")
    }
  ],
  [
    "of what was voided and has expired, in a call that can't read the chain",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    { _tag: "Judge", key: "held" }
  ],
  ...([call, reconciler] as const).map((facts): Row => [
    "of a pending effect without its receipt",
    facts,
    takeOver,
    taken({ ...unapplied, receipt: undefined }),
    { _tag: "EndLease", ending: facts.by === "call" ? pending : closed }
  ]),
  [
    "of what was voided and has expired, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    rolledBack(closed, true)
  ],
  [
    "of what was voided and expires now, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 }),
    deferred(closed)
  ]
]
