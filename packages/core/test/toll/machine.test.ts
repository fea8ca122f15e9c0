import { describe, expect, it } from "vitest"
import type { Charge } from "../../src/ports/Charges.ts"
import { type Event, type Facts, ImpossibleTransition, type Step } from "../../src/toll/Steps.ts"
import { begin, next, refundIsDue } from "../../src/toll/Transitions.ts"
import {
  abandoned,
  blind,
  call,
  chargeIn,
  closed,
  end,
  failed,
  find,
  first,
  inProgress,
  left,
  leftOpen,
  limited,
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
} from "./machine.ts"

/*
 * Each step of the charge machine, each event that it can have, and the step that follows. `transitions.test.ts` walks
 * through whole lives and looks for what must never happen; here it stands what happens.
 */

const instead = refused("no")
const refusal = { code: "no", message: "no" }
const already = refused("payment_already_used")

const presented = { payloadDigest: "digest-1", sameRequest: true, replayableUntilMillis: nowMillis + 1 }
const found = (
  charge: Charge | undefined,
  changes: Partial<Extract<Event, { _tag: "Found" }>> = {}
): Event => ({
  _tag: "Found",
  charge,
  presented,
  patient: true,
  nowMillis,
  ...changes
})

const lookups: ReadonlyArray<Row> = [
  ["begins with a lookup", call, { _tag: "Wait" }, { _tag: "Waited" }, begin],
  ["finds nothing", call, find, found(undefined), { _tag: "Judge", held: false }],
  [
    "finds a charge, and has no payment",
    call,
    find,
    found(chargeIn("ready"), { presented: undefined }),
    { _tag: "Judge", held: false }
  ],
  ["still finds nothing", call, { _tag: "Find", instead }, found(undefined), end(instead)],
  [
    "finds nothing but what was voided",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("voided", { leaseUntilMillis: nowMillis })),
    end(instead)
  ],
  [
    "finds one that was voided, and looks into it",
    call,
    { _tag: "Find", instead },
    found(chargeIn("voided")),
    { _tag: "TakeOver" }
  ],
  [
    "finds one that was voided, looked into by another process",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("voided", { leaseUntilMillis: nowMillis + 1 })),
    { _tag: "Wait" }
  ],
  [
    "finds one that was not voided after all",
    call,
    { _tag: "Find", instead, orVoided: true },
    found(chargeIn("ready")),
    { _tag: "TakeOver" }
  ],
  [
    "finds one that was voided, and has nothing to say instead",
    call,
    { _tag: "Find", orVoided: true },
    found(chargeIn("voided")),
    { _tag: "TakeOver" }
  ],
  [
    "finds the payment in use for another",
    call,
    find,
    found(chargeIn("ready"), { presented: { ...presented, sameRequest: false } }),
    end(already)
  ],
  [
    "finds the response",
    call,
    find,
    found(chargeIn("settled")),
    end({ _tag: "Replay", charge: chargeIn("settled") })
  ],
  [
    "finds it in work, and can't wait",
    call,
    find,
    found(chargeIn("ready", { leaseUntilMillis: nowMillis + 1 }), { patient: false }),
    end(inProgress)
  ],
  [
    "is refused",
    call,
    { _tag: "Judge", held: false },
    { _tag: "Judged", refusal },
    { _tag: "Find", instead }
  ],
  [
    "is refused, with the lease",
    call,
    { _tag: "Judge", held: true },
    { _tag: "Judged", refusal },
    { _tag: "Leave", reason: undefined, thenFind: true, ending: instead }
  ],
  ...[true, false].map((held): Row => [
    `is accepted, ${held ? "with" : "without"} the lease`,
    call,
    { _tag: "Judge", held },
    { _tag: "Judged", refusal: undefined },
    { _tag: "Verify", held }
  ])
]

const taken = (
  charge: Charge | undefined,
  changes: Partial<Extract<Event, { _tag: "Taken" }>> = {}
): Event => ({
  _tag: "Taken",
  charge,
  sameRequest: true,
  readable: true,
  nowMillis,
  ...changes
})
const other = { sameRequest: false }
const takeOver: Step = { _tag: "TakeOver" }
const owing = chargeIn("settled", { settlesFirst: true, responseOwedUntilMillis: paid.untilMillis })
const unapplied = chargeIn("settled", { effectPending: true })
const unsure = chargeIn("settled", { awaitsFinality: true })
const before: Step = { _tag: "AskChain", question: { _tag: "Before" } }

const takeovers: ReadonlyArray<Row> = [
  ["that may not try again yet", call, takeOver, { _tag: "Exhausted" }, end(pending)],
  ["that comes too late, in a call", call, takeOver, taken(undefined), find],
  ["that comes too late, by the reconciler", reconciler, takeOver, taken(undefined), end(closed)],
  ["of what can't be read", call, takeOver, taken(chargeIn("ready"), { readable: false }), leftOpen()],
  [
    "of a claim, in a call",
    call,
    takeOver,
    taken(chargeIn("claimed"), other),
    {
      _tag: "Void",
      worked: false,
      goesOn: { charge: chargeIn("claimed"), sameRequest: false },
      ending: closed
    }
  ],
  ["of a claim, by the reconciler", reconciler, takeOver, taken(chargeIn("claimed")), voided(false, closed)],
  ["of a response", call, takeOver, taken(chargeIn("ready")), before],
  ["of a response to another request", call, takeOver, taken(chargeIn("ready"), other), left(already)],
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
    { ...call, ...blind, ...first },
    takeOver,
    taken(chargeIn("ready")),
    settleAgain
  ],
  [
    "of what was to settle first, with nobody waiting",
    { ...reconciler, ...blind, ...first },
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
    { _tag: "Yield", ending: pending }
  ],
  ["of a settlement whose response is owed", call, takeOver, taken(owing), { _tag: "Work", paid }],
  [
    "of a settlement whose response is owed to another request",
    call,
    takeOver,
    taken(owing, other),
    { _tag: "Yield", ending: already }
  ],
  [
    "of an owed response without its receipt",
    call,
    takeOver,
    taken({ ...owing, receipt: undefined }),
    { _tag: "Yield", ending: pending }
  ],
  [
    "of a response that was owed until now",
    reconciler,
    takeOver,
    taken({ ...owing, responseOwedUntilMillis: nowMillis }),
    { _tag: "OweRefund" }
  ],
  ["of a response that is still owed", reconciler, takeOver, taken(owing), { _tag: "Yield", ending: closed }],
  [
    "of a settlement that is not final",
    reconciler,
    takeOver,
    taken(unsure),
    { _tag: "AskChain", question: { _tag: "Finality", charge: unsure } }
  ],
  [
    "of a settlement that is not final, blind",
    { ...reconciler, ...blind },
    takeOver,
    taken(unsure),
    { _tag: "Yield", ending: closed }
  ],
  [
    "of a settlement with nothing left to do",
    reconciler,
    takeOver,
    taken(chargeIn("settled")),
    { _tag: "Yield", ending: closed }
  ],
  [
    "of what was voided",
    reconciler,
    takeOver,
    taken(chargeIn("voided"), other),
    {
      _tag: "AskChain",
      question: { _tag: "Watch", watched: { charge: chargeIn("voided"), sameRequest: false } }
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
    "of what was voided and has expired, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 + 1 }),
    abandoned(closed, true)
  ],
  [
    "of what was voided and expires now, by the clock alone",
    { ...reconciler, ...blind },
    takeOver,
    taken(chargeIn("voided"), { nowMillis: validBeforeSeconds * 1_000 }),
    left(closed)
  ]
]

const both = [true, false]
const claimed: Event = { _tag: "Claimed" }
const verify = (held: boolean): Step => ({ _tag: "Verify", held })
const claim = (held: boolean): Step => ({ _tag: "Claim", held })
const invalid: Event = { _tag: "Verified", verification: { _tag: "Invalid", reason: "no" } }
const unreachable: Event = { _tag: "Verified", verification: { _tag: "Unreachable", reason: "timeout" } }

const admissions: ReadonlyArray<Row> = [
  ...both.map((held): Row => [
    "that is verified",
    call,
    verify(held),
    { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
    claim(held)
  ]),
  ["that is invalid", call, verify(false), invalid, { _tag: "Find", instead }],
  [
    "that is invalid, with the lease",
    call,
    verify(true),
    invalid,
    { _tag: "Leave", reason: undefined, thenFind: true, ending: instead }
  ],
  ["that can't be verified", call, verify(false), unreachable, end(failed)],
  ["that can't be verified, with the lease", call, verify(true), unreachable, left(failed)],
  ["that is being verified", call, verify(false), { _tag: "Busy", patient: true }, { _tag: "Wait" }],
  [
    "that is being verified for too long",
    call,
    verify(false),
    { _tag: "Busy", patient: false },
    end(inProgress)
  ],
  ["with too many others to verify", call, verify(false), { _tag: "Limited", patient: true }, end(limited)],
  [
    "with too many others, with the lease",
    call,
    verify(true),
    { _tag: "Limited", patient: true },
    left(limited)
  ],
  ["that is claimed", call, claim(false), claimed, { _tag: "CheckFunds" }],
  ["that is claimed, blind", { ...call, ...blind }, claim(false), claimed, { _tag: "Work" }],
  ["that settles first, blind", { ...call, ...blind, ...first }, claim(false), claimed, { _tag: "Record" }],
  ["that another call has claimed", call, claim(false), found(chargeIn("ready")), { _tag: "TakeOver" }],
  ...both.map((held): Row => [
    "over a limit",
    call,
    claim(held),
    { _tag: "Limited", patient: true },
    { _tag: "Queue", held }
  ]),
  ["over a limit for too long", call, claim(false), { _tag: "Limited", patient: false }, end(limited)],
  ["over a limit, with the lease", call, claim(true), { _tag: "Limited", patient: false }, left(limited)],
  ...both.map((held): Row => ["that waited", call, { _tag: "Queue", held }, { _tag: "Waited" }, claim(held)]),
  ["that is covered", call, { _tag: "CheckFunds" }, { _tag: "Funded", isCovered: true }, { _tag: "Work" }],
  [
    "that is covered and settles first",
    { ...call, ...first },
    { _tag: "CheckFunds" },
    { _tag: "Funded", isCovered: true },
    { _tag: "Record" }
  ],
  [
    "that is not covered",
    call,
    { _tag: "CheckFunds" },
    { _tag: "Funded", isCovered: false },
    { _tag: "Void", worked: false, isOpen: true, ending: refused("insufficient_funds") }
  ]
]

const work: Step = { _tag: "Work" }
const paidWork: Step = { _tag: "Work", paid }
const onTime: Event = { _tag: "Worked", nowSeconds: validBeforeSeconds }
const tooLate: Event = { _tag: "Worked", nowSeconds: validBeforeSeconds + 1 }

const works: ReadonlyArray<Row> = [
  ["that failed", call, work, { _tag: "WorkFailed" }, voided(false, failed)],
  [
    "that failed and was paid for",
    call,
    paidWork,
    { _tag: "WorkFailed" },
    { _tag: "Yield", ending: { _tag: "Owed", ...paid } }
  ],
  ["that is done", call, work, onTime, { _tag: "Record" }],
  ["that is done too late", call, work, tooLate, voided(false, refused("payment_expired"))],
  ["that was paid for", call, paidWork, tooLate, { _tag: "Deliver", paid }],
  [
    "that is recorded",
    call,
    { _tag: "Record" },
    { _tag: "Recorded", recorded: true },
    { _tag: "Settle", first: true }
  ],
  [
    "that another process has overtaken",
    call,
    { _tag: "Record" },
    { _tag: "Recorded", recorded: false },
    { _tag: "Abandon", whole: false, release: false, ending: inProgress }
  ],
  [
    "that is delivered",
    call,
    { _tag: "Deliver", paid },
    { _tag: "Delivered", delivered: true },
    end({ _tag: "Paid", receipt })
  ],
  [
    "that is delivered too late",
    call,
    { _tag: "Deliver", paid },
    { _tag: "Delivered", delivered: false },
    find
  ]
]

const firstSettle: Step = { _tag: "Settle", first: true }
const settled: Event = {
  _tag: "Settled",
  settlement: { _tag: "Settled", transaction: "0x1", payer: undefined }
}
const rejected: Event = { _tag: "Settled", settlement: { _tag: "Rejected", reason: "no" } }
const unknown: Event = {
  _tag: "Settled",
  settlement: { _tag: "Unknown", reason: "timeout", transaction: "0x2" }
}
const reported: Step = { _tag: "Complete", transaction: "0x1", proof: undefined, refundDue: false }
const complete: Step = { _tag: "Complete", transaction: "0x1", proof, refundDue: false }
const due: Step = { _tag: "Complete", transaction: "0x1", proof, refundDue: true }
const completed: Event = { _tag: "Completed", receipt, refundDue: false }
const completedDue: Event = { _tag: "Completed", receipt, refundDue: true }

const settlements: ReadonlyArray<Row> = [
  ["that is refused", call, firstSettle, rejected, voided(true, refused("no"))],
  [
    "that is refused before the work",
    { ...call, ...first },
    firstSettle,
    rejected,
    voided(false, refused("no"))
  ],
  ["that is refused at a second attempt", call, settleAgain, rejected, leftOpen("no")],
  [
    "that must be proven",
    call,
    firstSettle,
    settled,
    {
      _tag: "AskChain",
      question: { _tag: "Proof", transaction: "0x1", reason: expect.stringMatching(/\w/) as string }
    }
  ],
  ["that needs no proof", { ...call, proofRequired: false }, firstSettle, settled, reported],
  ["that can't be proven", { ...call, ...blind }, firstSettle, settled, reported],
  [
    "that is unknown",
    { ...call, proofRequired: false },
    firstSettle,
    unknown,
    { _tag: "AskChain", question: { _tag: "Proof", transaction: "0x2", reason: "timeout" } }
  ],
  ["that is unknown, blind", { ...call, ...blind }, firstSettle, unknown, leftOpen("timeout")],
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
    leftOpen()
  ],
  ["that another process records", call, complete, { _tag: "Overtaken" }, end(pending)],
  ["that is complete", call, complete, completed, { _tag: "Apply", receipt }],
  ["that is complete, by the reconciler", reconciler, complete, completed, { _tag: "Apply", receipt }],
  ["that was completed by others, with a response", call, due, completed, find],
  [
    "that was completed by others, for the reconciler",
    reconciler,
    due,
    completed,
    { _tag: "Apply", receipt }
  ],
  ["that is owed back", call, due, completedDue, abandoned(refundIsDue, false)],
  [
    "that others found is owed back",
    call,
    complete,
    completedDue,
    abandoned(refused("payment_refund_due"), false)
  ],
  [
    "that is owed back, for the reconciler",
    reconciler,
    due,
    completedDue,
    abandoned({ _tag: "Paid", receipt }, false)
  ],
  [
    "that comes before the work",
    { ...call, ...first },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    paidWork
  ],
  ["that comes before the work of another call", { ...call, ...first }, complete, completed, find],
  [
    "that comes before the work, with nobody waiting",
    { ...reconciler, ...first },
    complete,
    { ...completed, owedUntilMillis: paid.untilMillis },
    { _tag: "Yield", ending: { _tag: "Paid", receipt } }
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

const ending = refused("why")
const goesOn = { charge: chargeIn("claimed"), sameRequest: false }
const isVoided: Event = { _tag: "Voided", voided: true }
const isNotVoided: Event = { _tag: "Voided", voided: false }
const done: Event = { _tag: "Done" }

const endings: ReadonlyArray<Row> = [
  ["overtaken, in a call", call, { _tag: "Void", worked: true, ending }, isNotVoided, find],
  [
    "overtaken, by the reconciler",
    reconciler,
    { _tag: "Void", worked: true, ending },
    isNotVoided,
    end(closed)
  ],
  ["voided", call, { _tag: "Void", worked: true, ending }, isVoided, abandoned(ending, false)],
  [
    "voided for the caller's own request",
    call,
    { _tag: "Void", worked: false, goesOn, ending },
    isVoided,
    { _tag: "AskChain", question: { _tag: "Watch", watched: goesOn } }
  ],
  [
    "voided for the caller's own request, blind",
    { ...call, ...blind },
    { _tag: "Void", worked: false, goesOn, ending },
    isVoided,
    { _tag: "Judge", held: true }
  ],
  ["rolled back", call, abandoned(ending, false), done, end(ending)],
  ["rolled back for good", call, abandoned(ending, true), done, { _tag: "Release", ending }],
  ["left", call, left(ending), done, end(ending)],
  [
    "left, and looked up once more",
    call,
    { _tag: "Leave", reason: undefined, thenFind: true, ending },
    done,
    { _tag: "Find", instead: ending, orVoided: true }
  ],
  ["released", call, { _tag: "Release", ending }, done, end(ending)],
  ["given back", call, { _tag: "Yield", ending }, done, end(ending)],
  ["final", reconciler, { _tag: "Finalize" }, done, end(closed)],
  ["owed back", reconciler, { _tag: "OweRefund" }, done, end(closed)],
  [
    "reopened by another process",
    reconciler,
    { _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } },
    { _tag: "Reopened", reopened: false },
    end(closed)
  ]
]

describe.each([
  ["a call", lookups],
  ["a takeover", takeovers],
  ["a payment", admissions],
  ["work", works],
  ["a settlement", settlements],
  ["a charge that is", endings]
])("%s", (_, rows) => {
  it.each(rows)("%s", (_, facts, step, event, expected) => {
    expect(next(step, event, facts)).toStrictEqual(expected)
  })
})

describe("an event that a step can't have", () => {
  const steps: ReadonlyArray<readonly [Step, ReadonlyArray<Event["_tag"]>]> = [
    [find, ["Found"]],
    [{ _tag: "Wait" }, ["Waited"]],
    [takeOver, ["Taken", "Exhausted"]],
    [{ _tag: "Judge", held: true }, ["Judged"]],
    [verify(true), ["Verified", "Busy", "Limited"]],
    [claim(true), ["Claimed", "Found", "Limited"]],
    [{ _tag: "Queue", held: true }, ["Waited"]],
    [{ _tag: "CheckFunds" }, ["Funded"]],
    [work, ["Worked", "WorkFailed"]],
    [paidWork, ["Worked", "WorkFailed"]],
    [{ _tag: "Record" }, ["Recorded"]],
    [{ _tag: "Deliver", paid }, ["Delivered"]],
    [firstSettle, ["Settled"]],
    [before, ["Seen"]],
    [complete, ["Completed", "TransferTaken", "Overtaken"]],
    [{ _tag: "Reopen", next: { _tag: "NotMoved", isVoided: false } }, ["Reopened"]],
    [{ _tag: "Apply", receipt }, ["Done"]],
    [{ _tag: "Void", worked: true, ending }, ["Voided"]],
    [abandoned(ending, true), ["Done"]],
    [left(ending), ["Done"]],
    [{ _tag: "Release", ending }, ["Done"]],
    [{ _tag: "Yield", ending }, ["Done"]],
    [{ _tag: "Finalize" }, ["Done"]],
    [{ _tag: "OweRefund" }, ["Done"]],
    [end(ending), []]
  ]
  const rows = [...lookups, ...takeovers, ...admissions, ...works, ...settlements, ...endings]
  const events = new Map<Event["_tag"], Event>([
    ["Seen", { _tag: "Seen", evidence: { _tag: "Unavailable" } }],
    ...rows.map(([, , , event]) => [event._tag, event] as const)
  ])
  it.each(steps)("%j is a defect", (step, possible) => {
    for (const [tag, event] of events) {
      if (possible.includes(tag)) continue
      for (const facts of [call, reconciler] satisfies ReadonlyArray<Facts>)
        expect(() => next(step, event, facts), tag).toThrow(ImpossibleTransition)
    }
  })
})
