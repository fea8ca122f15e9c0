import { expect } from "vitest"
import type { Charge } from "../../../src/ports/Charges.ts"
import type { ChargeEvent, ChargeStep } from "../../../src/toll/machine/ChargeStep.ts"
import { refundIsDue } from "../../../src/toll/machine/SettlementMachine.ts"
import {
  rolledBack,
  blind,
  call,
  chargeIn,
  closed,
  end,
  find,
  workDue,
  deferred,
  deferredUnknown,
  nowMillis,
  paid,
  pending,
  proof,
  receipt,
  reconciler,
  refused,
  type Row,
  settleAgain,
  validBeforeSeconds,
  voided
} from "./machineRows.ts"

/*
 * The steps of a settlement, each event that they can have, and the step that follows in a call and in the reconciler.
 */

const already = refused("payment_already_used")
const paidWork: ChargeStep = { _tag: "Work", paid }
const taken = (
  charge: Charge | undefined,
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
  ["that comes too late, in a call", call, takeOver, taken(undefined), find],
  ["that comes too late, by the reconciler", reconciler, takeOver, taken(undefined), end(closed)],
  ["of what can't be read", call, takeOver, taken(chargeIn("ready"), { readable: false }), deferredUnknown()],
  [
    "of a claim, in a call",
    call,
    takeOver,
    taken(chargeIn("claimed"), other),
    {
      _tag: "Void",
      worked: false,
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
      query: { _tag: "Watch", watched: { charge: chargeIn("voided"), sameRequest: false } }
    }
  ],
  [
    "of what was voided, blind",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided")),
    { _tag: "Judge", held: true }
  ],
  [
    "of what was voided and has expired, in a call that can't read the chain",
    { ...call, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    { _tag: "Judge", held: true }
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
  ["overtaken, in a call", call, { _tag: "Void", worked: true, ending }, isNotVoided, find],
  [
    "overtaken, by the reconciler",
    reconciler,
    { _tag: "Void", worked: true, ending },
    isNotVoided,
    end(closed)
  ],
  ["voided", call, { _tag: "Void", worked: true, ending }, isVoided, rolledBack(ending, false)],
  [
    "voided for the caller's own request",
    call,
    { _tag: "Void", worked: false, resumes, ending },
    isVoided,
    { _tag: "QueryChain", query: { _tag: "Watch", watched: resumes } }
  ],
  [
    "voided for the caller's own request, blind",
    { ...call, ...blind },
    { _tag: "Void", worked: false, resumes, ending },
    isVoided,
    { _tag: "Judge", held: true }
  ],
  ["rolled back", call, rolledBack(ending, false), done, end(ending)],
  ["rolled back for good", call, rolledBack(ending, true), done, { _tag: "DeleteCharge", ending }],
  ["left", call, deferred(ending), done, end(ending)],
  [
    "left, and looked up once more",
    call,
    { _tag: "Defer", reason: undefined, thenFind: true, ending },
    done,
    { _tag: "Find", instead: ending, orVoided: true }
  ],
  ["released", call, { _tag: "DeleteCharge", ending }, done, end(ending)],
  ["given back", call, { _tag: "EndLease", ending }, done, end(ending)],
  ["final", reconciler, { _tag: "Finalize" }, done, end(closed)],
  ["due a refund", reconciler, { _tag: "MarkRefundDue" }, done, end(closed)],
  [
    "reopened by another process",
    reconciler,
    { _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } },
    { _tag: "Reopened", reopened: false, isRefunded: false },
    end(closed)
  ]
]
