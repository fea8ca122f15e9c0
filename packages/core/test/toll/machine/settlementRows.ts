import type { ChargeEvent, CompleteStep, Plan } from "../../../src/toll/machine/ChargeStep.ts"
import { refundIsDue } from "../../../src/toll/machine/SettlementMachine.ts"
import {
  blind,
  call,
  chargeIn,
  closed,
  deferred,
  deferredUnknown,
  deleted,
  end,
  failed,
  find,
  gaveUp,
  left,
  paid,
  paidWork,
  pending,
  proof,
  provisionalWork,
  receipt,
  reconciler,
  refused,
  refusedHeld,
  refusedUnlessCopied,
  rolledBack,
  type Row,
  settleAgain,
  voided,
  workDue
} from "./machineRows.ts"
import { judge } from "./requestRows.ts"
import { already, refundOwed } from "./takeoverRows.ts"

/*
 * The steps of a settlement, each event that they can have, and the plan that follows in a call and in the reconciler.
 */

export const firstSettle: Plan = [{ _tag: "Settle", first: true }]
const settled: ChargeEvent = {
  _tag: "Settled",
  settlement: { _tag: "Settled", transaction: "0x1", payer: undefined }
}
const rejected: ChargeEvent = { _tag: "Settled", settlement: { _tag: "Rejected", reason: "no" } }
const unknown: ChargeEvent = {
  _tag: "Settled",
  settlement: { _tag: "Unknown", reason: "timeout", transaction: "0x2" }
}
const proving = (transaction: string, reason?: string): Plan => [
  { _tag: "QueryChain", query: { _tag: "Proof", transaction } },
  ...deferredUnknown(reason)
]
const reported: CompleteStep = { _tag: "Complete", transaction: "0x1", proof: undefined, refund: "none" }
export const complete: Plan = [{ ...reported, proof }]
const due: Plan = [{ ...reported, proof, refund: "due" }]
const completed = { _tag: "Completed", receipt, refundDue: false } as const
const completedDue = { _tag: "Completed", receipt, refundDue: true } as const
const isPaid = end({ _tag: "Paid", receipt })
export const applied: Plan = [{ _tag: "Apply" }, ...isPaid]
const yieldLease: Plan = [{ _tag: "YieldLease" }]

export const settlements: ReadonlyArray<Row> = [
  ["that is refused", call, firstSettle, rejected, voided(true, refused("no"))],
  [
    "that is refused before the work",
    { ...call, ...workDue },
    firstSettle,
    rejected,
    voided(false, refused("no"))
  ],
  ["that is refused at a second attempt", call, settleAgain, rejected, deferredUnknown("no")],
  ["that must be proven", call, firstSettle, settled, proving("0x1")],
  ["that needs no proof", { ...call, proofRequired: false }, firstSettle, settled, [reported]],
  ["that can't be proven", { ...call, ...blind }, firstSettle, settled, [reported]],
  ["that is unknown", { ...call, proofRequired: false }, firstSettle, unknown, proving("0x2", "timeout")],
  ["that is unknown, blind", { ...call, ...blind }, firstSettle, unknown, deferredUnknown("timeout")],
  [
    "whose transfer paid for another",
    reconciler,
    complete,
    { _tag: "TransferTaken", attempts: 4 },
    voided(true, already)
  ],
  [
    "whose transfer is recorded for another, which may get another one",
    reconciler,
    complete,
    { _tag: "TransferTaken", attempts: 3 },
    deferredUnknown()
  ],
  ["that another process records", call, complete, { _tag: "Overtaken" }, end(pending)],
  ["that is complete", call, complete, completed, applied],
  ["that is complete, by the reconciler", reconciler, complete, completed, applied],
  ...([call, reconciler] as const).flatMap((facts): ReadonlyArray<Row> => [
    [
      "that is complete, on a proof to check again",
      facts,
      complete,
      { ...completed, isProvisional: true },
      [{ _tag: "Apply" }, ...yieldLease, ...isPaid]
    ],
    [
      "whose refund is due, on a proof to check again",
      facts,
      due,
      { ...completedDue, isProvisional: true },
      [...yieldLease, ...rolledBack(facts.by === "call" ? refundIsDue : { _tag: "Paid", receipt })]
    ]
  ]),
  [
    "that comes before work which others have taken over, for the reconciler",
    { ...reconciler, ...workDue },
    complete,
    completed,
    isPaid
  ],
  ["that was completed by others, with a response", call, due, completed, find],
  ["that was completed by others, for the reconciler", reconciler, due, completed, applied],
  ["whose refund is due", call, due, completedDue, rolledBack(refundIsDue)],
  [
    "that others found to be due a refund",
    call,
    complete,
    completedDue,
    rolledBack(refused("payment_refund_due"))
  ],
  [
    "whose refund is due, for the reconciler",
    reconciler,
    due,
    completedDue,
    rolledBack({ _tag: "Paid", receipt })
  ],
  [
    "that comes before the work",
    { ...call, ...workDue },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    paidWork
  ],
  [
    "that comes before the work, on a proof to check again",
    { ...call, ...workDue },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis, isProvisional: true },
    provisionalWork
  ],
  [
    "that comes before the work, after its lease was ended",
    { ...call, ...workDue },
    [{ ...reported, proof, leaseEnded: true }],
    { ...completed, owedUntilMillis: paid.untilMillis },
    find
  ],
  ["that comes before the work of another call", { ...call, ...workDue }, complete, completed, find],
  [
    "that comes before the work, with no call waiting",
    { ...reconciler, ...workDue },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    left({ _tag: "Paid", receipt })
  ],
  ["whose effect is applied", call, applied, { _tag: "Done" }, isPaid],
  ["whose effect is applied at last", call, [{ _tag: "Apply" }, ...find], { _tag: "Done" }, find]
]

const ending = refused("why")
const isVoided: ChargeEvent = { _tag: "Voided", voided: true }
const isNotVoided: ChargeEvent = { _tag: "Voided", voided: false }
const done: ChargeEvent = { _tag: "Done" }
const isReopened: ChargeEvent = { _tag: "Reopened", reopened: true, isRefunded: false }
export const reopening: Plan = [{ _tag: "Reopen" }, ...settleAgain]
export const finalized: Plan = [{ _tag: "Finalize" }, ...left(closed)]
const watching: Plan = [
  { _tag: "QueryChain", query: { _tag: "Watch", charge: chargeIn("claimed"), sameRequest: false } },
  ...judge("own")
]
const resuming: Plan = [{ _tag: "Void", keepsExposure: false, isRefused: false }, ...watching]
const lastLook = refusedUnlessCopied("voided", ending)

export const endings: ReadonlyArray<Row> = [
  ["overtaken, in a call", call, voided(true, ending), isNotVoided, find],
  ["overtaken, by the reconciler", reconciler, voided(true, ending), isNotVoided, end(closed)],
  ["voided", call, voided(true, ending), isVoided, gaveUp(ending)],
  ["voided, by the reconciler", reconciler, voided(true, ending), isVoided, gaveUp(ending)],
  ["voided since its work failed", call, voided(false, failed), isVoided, rolledBack(failed)],
  ["voided for the caller's own request", call, resuming, isVoided, watching],
  ["overtaken before the caller's own request", call, resuming, isNotVoided, find],
  ["rolled back", call, rolledBack(ending), done, end(ending)],
  ["rolled back and refused", call, gaveUp(ending), done, lastLook],
  ["rolled back and refused, by the reconciler", reconciler, gaveUp(ending), done, end(closed)],
  ["rolled back for good", call, deleted(ending), done, [{ _tag: "Release" }, ...end(ending)]],
  ["deferred", call, deferred(ending), done, end(ending)],
  ["deferred, and looked up once more", call, refusedHeld(ending), done, lastLook],
  ["released", call, [{ _tag: "Release" }, ...end(ending)], done, end(ending)],
  ["left", call, left(ending), done, end(ending)],
  ["final", reconciler, finalized, done, left(closed)],
  ["due a refund, in a call", call, refundOwed, done, [...yieldLease, ...find]],
  ["due a refund", reconciler, refundOwed, done, [...yieldLease, ...find]],
  ["due a refund, its lease ended", reconciler, [...yieldLease, ...find], done, end(closed)],
  ["reopened", reconciler, reopening, isReopened, settleAgain],
  [
    "reopened by another process",
    reconciler,
    reopening,
    { _tag: "Reopened", reopened: false, isRefunded: false },
    end(closed)
  ]
]
