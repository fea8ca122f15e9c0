import { expect } from "vitest"
import type { ChargeEvent, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { refundIsDue } from "../../../src/toll/machine/SettlementMachine.ts"
import {
  rolledBack,
  blind,
  call,
  chargeIn,
  closed,
  end,
  failed,
  find,
  gaveUp,
  workDue,
  deferred,
  deferredUnknown,
  paid,
  pending,
  proof,
  receipt,
  reconciler,
  refused,
  type Row,
  settleAgain,
  voided
} from "./machineRows.ts"
import { already } from "./takeoverRows.ts"

/*
 * The steps of a settlement, each event that they can have, and the step that follows in a call and in the reconciler.
 */

const paidWork: ChargeStep = { _tag: "Work", paid }

export const firstSettle: ChargeStep = { _tag: "Settle", first: true }
const settled: ChargeEvent = {
  _tag: "Settled",
  settlement: { _tag: "Settled", transaction: "0x1", payer: undefined }
}
const rejected: ChargeEvent = { _tag: "Settled", settlement: { _tag: "Rejected", reason: "no" } }
const unknown: ChargeEvent = {
  _tag: "Settled",
  settlement: { _tag: "Unknown", reason: "timeout", transaction: "0x2" }
}
const reported: ChargeStep = { _tag: "Complete", transaction: "0x1", proof: undefined, refundDue: false }
export const complete: ChargeStep = { _tag: "Complete", transaction: "0x1", proof, refundDue: false }
const due: ChargeStep = { _tag: "Complete", transaction: "0x1", proof, refundDue: true }
const completed = { _tag: "Completed", receipt, refundDue: false } as const
const completedDue = { _tag: "Completed", receipt, refundDue: true } as const

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
  [
    "that must be proven",
    call,
    firstSettle,
    settled,
    {
      _tag: "QueryChain",
      query: { _tag: "Proof", transaction: "0x1", reason: expect.stringMatching(/\w/) as string }
    }
  ],
  ["that needs no proof", { ...call, proofRequired: false }, firstSettle, settled, reported],
  ["that can't be proven", { ...call, ...blind }, firstSettle, settled, reported],
  [
    "that is unknown",
    { ...call, proofRequired: false },
    firstSettle,
    unknown,
    { _tag: "QueryChain", query: { _tag: "Proof", transaction: "0x2", reason: "timeout" } }
  ],
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
  ["that is complete", call, complete, completed, { _tag: "Apply", receipt }],
  ["that is complete, by the reconciler", reconciler, complete, completed, { _tag: "Apply", receipt }],
  ...([call, reconciler] as const).flatMap((facts): ReadonlyArray<Row> => [
    [
      "that is complete, on a proof to check again",
      facts,
      complete,
      { ...completed, isProvisional: true },
      { _tag: "Apply", receipt, endsLease: true }
    ],
    [
      "whose refund is due, on a proof to check again",
      facts,
      due,
      { ...completedDue, isProvisional: true },
      {
        _tag: "RollBack",
        whole: true,
        thenDelete: false,
        endsLease: true,
        ending: facts.by === "call" ? refundIsDue : { _tag: "Paid", receipt }
      }
    ]
  ]),
  [
    "that comes before work which others have taken over, for the reconciler",
    { ...reconciler, ...workDue },
    complete,
    completed,
    end({ _tag: "Paid", receipt })
  ],
  ["that was completed by others, with a response", call, due, completed, find],
  [
    "that was completed by others, for the reconciler",
    reconciler,
    due,
    completed,
    { _tag: "Apply", receipt }
  ],
  ["whose refund is due", call, due, completedDue, rolledBack(refundIsDue, false)],
  [
    "that others found to be due a refund",
    call,
    complete,
    completedDue,
    rolledBack(refused("payment_refund_due"), false)
  ],
  [
    "whose refund is due, for the reconciler",
    reconciler,
    due,
    completedDue,
    rolledBack({ _tag: "Paid", receipt }, false)
  ],
  [
    "that comes before the work",
    { ...call, ...workDue },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    paidWork
  ],
  ["that comes before the work of another call", { ...call, ...workDue }, complete, completed, find],
  [
    "that comes before the work, with no call waiting",
    { ...reconciler, ...workDue },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    { _tag: "EndLease", ending: { _tag: "Paid", receipt } }
  ],
  [
    "whose effect is applied",
    call,
    { _tag: "Apply", receipt },
    { _tag: "Done" },
    end({ _tag: "Paid", receipt })
  ],
  [
    "whose effect is applied at last",
    call,
    { _tag: "Apply", receipt, thenFind: true },
    { _tag: "Done" },
    find
  ]
]

export const ending = refused("why")
const resumes = { charge: chargeIn("claimed"), sameRequest: false }
const isVoided: ChargeEvent = { _tag: "Voided", voided: true }
const isNotVoided: ChargeEvent = { _tag: "Voided", voided: false }
const done: ChargeEvent = { _tag: "Done" }

export const endings: ReadonlyArray<Row> = [
  ["overtaken, in a call", call, { _tag: "Void", keepsExposure: true, ending }, isNotVoided, find],
  [
    "overtaken, by the reconciler",
    reconciler,
    { _tag: "Void", keepsExposure: true, ending },
    isNotVoided,
    end(closed)
  ],
  ["voided", call, { _tag: "Void", keepsExposure: true, ending }, isVoided, gaveUp(ending)],
  [
    "voided, by the reconciler",
    reconciler,
    { _tag: "Void", keepsExposure: true, ending },
    isVoided,
    rolledBack(ending, false)
  ],
  [
    "voided since its work failed",
    call,
    { _tag: "Void", keepsExposure: false, ending: failed },
    isVoided,
    rolledBack(failed, false)
  ],
  [
    "voided for the caller's own request",
    call,
    { _tag: "Void", keepsExposure: false, resumes, ending },
    isVoided,
    { _tag: "QueryChain", query: { _tag: "Watch", watched: resumes } }
  ],
  [
    "voided for the caller's own request, blind",
    { ...call, ...blind },
    { _tag: "Void", keepsExposure: false, resumes, ending },
    isVoided,
    { _tag: "Judge", key: "held" }
  ],
  ["rolled back", call, rolledBack(ending, false), done, end(ending)],
  ["rolled back and refused", call, gaveUp(ending), done, { _tag: "Find", instead: ending, orVoided: true }],
  ["rolled back for good", call, rolledBack(ending, true), done, { _tag: "DeleteCharge", ending }],
  ["left", call, deferred(ending), done, end(ending)],
  [
    "left, and looked up once more",
    call,
    { _tag: "Defer", reason: undefined, nextCheck: "expiry", thenFind: true, ending },
    done,
    { _tag: "Find", instead: ending, orVoided: true }
  ],
  ["released", call, { _tag: "DeleteCharge", ending }, done, end(ending)],
  ["given back", call, { _tag: "EndLease", ending }, done, end(ending)],
  ["final", reconciler, { _tag: "Finalize" }, done, end(closed)],
  ["due a refund, in a call", call, { _tag: "MarkRefundDue" }, done, find],
  ["due a refund", reconciler, { _tag: "MarkRefundDue" }, done, end(closed)],
  [
    "reopened by another process",
    reconciler,
    { _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } },
    { _tag: "Reopened", reopened: false, isRefunded: false },
    end(closed)
  ]
]
