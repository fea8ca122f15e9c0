import { describe, expect, it } from "vitest"
import type { Charge, ChargeState } from "../../../src/ports/Charges.ts"
import { asClaimed, lease } from "../../../src/testing/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../src/testing/stores/records.ts"
import {
  type Ending,
  type ChargeEvent,
  type ChargeFacts,
  ImpossibleTransition,
  type ChargeStep
} from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "../../../src/toll/machine/ChargeMachine.ts"
import { begin } from "../../../src/toll/machine/CommonSteps.ts"
import { leaseLengthMillis } from "../../../src/toll/machine/LeaseLength.ts"
import { queryMillis } from "../../../src/toll/machine/queryChain.ts"
import { product, task } from "./machineRows.ts"

/*
 * The machine is small enough to be walked through whole: every event that any step can have, in every
 * order, for every kind of charge, with every fact. What must never happen is looked for on each path.
 */

const nowMillis = 500_000
const validBeforeSeconds = 1_000
const finalitySeconds = 60
/** The last chain time at which a reorganization could still include a transfer. */
const overSeconds = validBeforeSeconds + finalitySeconds
const receipt = sampleReceipt()
const presented = { payloadDigest: "digest-1", sameRequest: true, replayableUntilMillis: nowMillis + 1 }

const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ validBeforeSeconds, createdAtMillis: 400_000 }), lease("another", 0)),
  state,
  unverifiedSinceMillis: 400_000,
  response: state === "ready" || state === "settled" ? sampleResponse() : undefined,
  receipt: state === "settled" ? receipt : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

const charges: ReadonlyArray<readonly [string, Charge]> = [
  ["a claim that runs", chargeIn("claimed", { leaseUntilMillis: nowMillis + 1 })],
  ["a claim that lapsed", chargeIn("claimed")],
  ["a response that is being settled", chargeIn("ready", { leaseUntilMillis: nowMillis + 1 })],
  ["a response that no process settles", chargeIn("ready")],
  ["a settled charge", chargeIn("settled")],
  ["a settled charge whose effect is pending", chargeIn("settled", { effectPending: true })],
  ["a settled charge whose response has expired", chargeIn("settled", { response: undefined })],
  [
    "a settled charge that is owed back",
    chargeIn("settled", { response: undefined, refund: { _tag: "Due", startedAtMillis: undefined } })
  ],
  [
    "a settled charge that was sent back",
    chargeIn("settled", { refund: { _tag: "Sent", transaction: "0x1" } })
  ],
  ["a voided charge", chargeIn("voided")],
  [
    "a settled charge whose proof isn't final",
    chargeIn("settled", { awaitsFinality: true, transferLogIndex: 3 })
  ],
  [
    "a settled charge whose response is owed",
    chargeIn("settled", { response: undefined, settlesFirst: true, responseOwedUntilMillis: nowMillis + 1 })
  ],
  [
    "a settled charge whose response is being produced",
    chargeIn("settled", {
      response: undefined,
      settlesFirst: true,
      responseOwedUntilMillis: nowMillis + 1,
      leaseUntilMillis: nowMillis + 1
    })
  ],
  [
    "a settled charge whose response was owed for too long",
    chargeIn("settled", { response: undefined, settlesFirst: true, responseOwedUntilMillis: nowMillis })
  ],
  ["a voided charge that is looked after", chargeIn("voided", { leaseUntilMillis: nowMillis + 1 })],
  [
    "a refunded charge that was reopened",
    chargeIn("ready", { refund: { _tag: "Sent", transaction: "0x1" } })
  ],
  [
    "a refunded charge that was reopened and has no response",
    chargeIn("voided", { refund: { _tag: "Sent", transaction: "0x1" } })
  ]
]

/** Settled, with nothing left to do for the process that looks it up. */
const settledCharges = charges.filter(
  ([name, { state }]) => state === "settled" && !/effect is pending|response is owed|has expired/.test(name)
)

const foundOf = (charge: Charge | undefined, patient: boolean): ChargeEvent => ({
  _tag: "Found",
  charge,
  presented,
  patient,
  nowMillis
})
const takenOf = (
  charge: Charge | undefined,
  { at = nowMillis, readable = true, sameRequest = true } = {}
): ChargeEvent => ({
  _tag: "Taken",
  charge,
  sameRequest,
  readable,
  nowMillis: at
})

const endless = validBeforeSeconds * 1_000 + 1

/** Everything that a step can meet. */
const eventsOf = (step: ChargeStep, waits: number, isCompleted: boolean): ReadonlyArray<ChargeEvent> => {
  switch (step._tag) {
    case "Find":
      // A completed charge stays settled, whichever process goes on with it.
      if (isCompleted) return settledCharges.map(([, charge]) => foundOf(charge, false))
      // Looked up again: it is gone, or somebody brought it to its end.
      return waits > 0
        ? [
            foundOf(undefined, false),
            foundOf(chargeIn("settled"), false),
            ...(step.orVoided === true ? [foundOf(chargeIn("voided"), false)] : [])
          ]
        : [foundOf(undefined, true), ...charges.map(([, charge]) => foundOf(charge, true))]
    case "Wait":
      return [{ _tag: "Waited" }]
    case "TakeOver":
      return [
        { _tag: "Exhausted" },
        takenOf(undefined),
        takenOf(chargeIn("ready"), { readable: false }),
        // What is held by somebody else can't be taken.
        ...charges
          .filter(([, { leaseUntilMillis }]) => leaseUntilMillis <= nowMillis)
          .flatMap(([, charge]) =>
            charge.state === "settled" || charge.state === "ready"
              ? [
                  takenOf(charge),
                  ...(charge.state === "ready" ? [takenOf(charge, { sameRequest: false })] : [])
                ]
              : [takenOf(charge), takenOf(charge, { sameRequest: false }), takenOf(charge, { at: endless })]
          )
      ]
    case "Judge":
      return [
        { _tag: "Accepted", task },
        { _tag: "Refused", refusal: { code: "no", message: "no" } }
      ]
    case "Claim":
      return [
        { _tag: "Claimed", claimedAtMillis: nowMillis },
        { _tag: "Limited", patient: false },
        { _tag: "Limited", patient: true },
        ...(waits > 1 ? [] : charges.map(([, charge]) => foundOf(charge, waits < 1)))
      ]
    case "Verify":
      return [
        { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
        { _tag: "Verified", verification: { _tag: "Invalid", reason: "insufficient_funds" } },
        { _tag: "Verified", verification: { _tag: "Invalid", reason: "nonce_already_used" } },
        { _tag: "Verified", verification: { _tag: "Unreachable", reason: "timeout" } },
        { _tag: "Busy", patient: true },
        { _tag: "Busy", patient: false },
        { _tag: "Limited", patient: false }
      ]
    case "Queue":
      return [{ _tag: "Waited" }]
    case "CheckFunds":
      return [true, false].map((isCovered) => ({ _tag: "Funded", isCovered }))
    case "Work":
      return [
        { _tag: "WorkFailed" },
        { _tag: "Worked", work: product, nowSeconds: 600 },
        { _tag: "Worked", work: product, nowSeconds: validBeforeSeconds + 1 }
      ]
    case "Record":
      return [true, false].map((recorded) => ({ _tag: "Recorded", recorded }))
    case "Settle":
      return [
        { _tag: "Settled", settlement: { _tag: "Settled", transaction: "0x1", payer: undefined } },
        { _tag: "Settled", settlement: { _tag: "Rejected", reason: "insufficient_funds" } },
        { _tag: "Settled", settlement: { _tag: "Unknown", reason: "timeout", transaction: undefined } },
        { _tag: "Settled", settlement: { _tag: "Unknown", reason: "pending", transaction: "0x1" } }
      ]
    case "QueryChain":
      return [
        ...[450, 369].flatMap((atSeconds) =>
          [true, false].map((isFinal): ChargeEvent => ({
            _tag: "Seen",
            evidence: { _tag: "Moved", transaction: receipt.transaction, logIndex: 3, atSeconds, isFinal }
          }))
        ),
        {
          _tag: "Seen",
          evidence: { _tag: "Moved", transaction: "0xother", logIndex: 3, atSeconds: 450, isFinal: true }
        },
        { _tag: "Seen", evidence: { _tag: "Confirming", transaction: "0x1" } },
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: 440 } },
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: 500 } },
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: overSeconds } },
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: overSeconds + 1 } },
        { _tag: "Seen", evidence: { _tag: "NotPaid", reason: "canceled" } },
        { _tag: "Seen", evidence: { _tag: "NotPaid", reason: "used_otherwise" } },
        { _tag: "Seen", evidence: { _tag: "Unavailable" } }
      ]
    case "Complete":
      return [
        { _tag: "Overtaken" },
        { _tag: "TransferTaken", attempts: 0 },
        { _tag: "TransferTaken", attempts: 4 },
        { _tag: "Completed", receipt, refundDue: step.refundDue, owedUntilMillis: nowMillis + 1 },
        { _tag: "Completed", receipt, refundDue: step.refundDue },
        { _tag: "Completed", receipt, refundDue: !step.refundDue },
        { _tag: "Completed", receipt, refundDue: step.refundDue, isProvisional: true }
      ]
    case "Void":
      return [true, false].map((voided) => ({ _tag: "Voided", voided }))
    case "Deliver":
      return [true, false].map((delivered) => ({ _tag: "Delivered", delivered }))
    case "Reopen":
      return [
        { _tag: "Reopened", reopened: false, isRefunded: false },
        ...[true, false].map((isRefunded) => ({ _tag: "Reopened", reopened: true, isRefunded }) as const)
      ]
    case "Apply":
    case "RollBack":
    case "DeleteCharge":
    case "Finalize":
    case "MarkRefundDue":
    case "EndLease":
    case "Defer":
      return [{ _tag: "Done" }]
    case "End":
      return []
  }
}

interface Path {
  readonly steps: ReadonlyArray<ChargeStep>
  readonly events: ReadonlyArray<ChargeEvent>
  readonly ending: Ending
}

const walk = (
  start: ChargeStep,
  facts: ChargeFacts,
  visit: (path: Path) => void,
  limit = 40,
  steps: ReadonlyArray<ChargeStep> = [start],
  events: ReadonlyArray<ChargeEvent> = []
): void => {
  const step = steps.at(-1)!
  if (step._tag === "End") return visit({ steps, events, ending: step.ending })
  if (steps.length > limit) throw new Error(`no end: ${steps.map(({ _tag }) => _tag).join(" ")}`)
  const rounds = steps.filter(({ _tag }) => _tag === "Find" || _tag === "Claim").length - 1
  // Being sent back to look again is allowed once on a path.
  if (rounds > 1) return
  const isCompleted = events.some(({ _tag }) => _tag === "Completed")
  for (const event of eventsOf(step, rounds, isCompleted))
    walk(start, facts, visit, limit, [...steps, next(step, event, facts)], [...events, event])
}

/** A charge that was reopened after its refund was sent, as it was taken over or as it is reopened. */
const isReopenedRefund = (event: ChargeEvent): boolean =>
  event._tag === "Taken"
    ? event.charge !== undefined && event.charge.state !== "settled" && event.charge.refund !== undefined
    : event._tag === "Reopened" && event.isRefunded

const everyFacts: ReadonlyArray<ChargeFacts> = (["call", "reconciler"] as const).flatMap((by) =>
  [true, false].flatMap((canReadChain) =>
    [true, false].flatMap((proofRequired) =>
      [false, true].map((workIsDue) => ({
        by,
        canReadChain,
        proofRequired,
        workIsDue,
        validBeforeSeconds,
        unverifiedSinceMillis: 0,
        finalitySeconds
      }))
    )
  )
)

const named = ({ by, canReadChain, proofRequired, workIsDue }: ChargeFacts): string =>
  `${by}${canReadChain ? ", chain readable" : ""}${proofRequired ? ", proof required" : ""}${workIsDue ? ", work due" : ""}`

const startOf = ({ by }: ChargeFacts): ChargeStep => (by === "call" ? begin : { _tag: "TakeOver" })

const tagsOf = ({ steps }: Path): ReadonlyArray<ChargeStep["_tag"]> => steps.map(({ _tag }) => _tag)
const count = (path: Path, tag: ChargeStep["_tag"]): number =>
  tagsOf(path).filter((other) => other === tag).length

const isFinal = (event: ChargeEvent | undefined): boolean =>
  event?._tag === "Seen" &&
  (event.evidence._tag === "NotPaid" ||
    (event.evidence._tag === "NotMoved" && event.evidence.chainTimeSeconds > overSeconds))

const showsMoney = (event: ChargeEvent | undefined, facts: ChargeFacts): boolean =>
  (event?._tag === "Seen" && event.evidence._tag === "Moved") ||
  (event?._tag === "Settled" &&
    event.settlement._tag === "Settled" &&
    !(facts.proofRequired && facts.canReadChain))

const words = (path: Path): string => tagsOf(path).join(" → ")

/** Said only where it does not hold: there are many paths. */
const holds = (isTrue: boolean, path: Path): void => {
  if (!isTrue) throw new Error(words(path))
}

describe.each(everyFacts.map((facts) => [named(facts), facts] as const))("%s", (_, facts) => {
  const paths: Array<Path> = []
  walk(startOf(facts), facts, (path) => paths.push(path))

  it("is walked through", () => {
    expect(paths.length).toBeGreaterThan(10)
    expect(paths.length).toBeLessThan(1_000_000)
  })

  it("no lease ends before the longest steps under it", () => {
    const deadlines = { settleMillis: 60_000, workMillis: 40_000 }
    const longest: Partial<Record<ChargeStep["_tag"], number>> = {
      CheckFunds: 15_500,
      QueryChain: queryMillis,
      Settle: deadlines.settleMillis,
      Work: deadlines.workMillis
    }
    for (const path of paths) {
      let underLease = 0
      path.steps.forEach((step, index) => {
        underLease += longest[step._tag] ?? 0
        holds(underLease < leaseLengthMillis(deadlines), path)
        // A lease begins.
        const event = path.events[index]
        if (event?._tag === "Taken" || event?._tag === "Claimed") underLease = 0
      })
    }
  })

  it("a charge is completed only on what shows that its money moved", () => {
    for (const path of paths)
      path.steps.forEach((step, index) => {
        if (step._tag !== "Complete") return
        const shown =
          path.events[index - 1]?._tag === "Reopened" ? path.events[index - 2] : path.events[index - 1]
        holds(showsMoney(shown, facts), path)
      })
  })

  it("a payment that may have moved is never refused, nor its charge let go", () => {
    for (const path of paths) {
      path.steps.forEach((step, index) => {
        if (step._tag !== "Void" && step._tag !== "DeleteCharge") return
        const settle = path.steps.findLastIndex(({ _tag }, at) => at < index && _tag === "Settle")
        if (settle < 0) return
        const tried = path.steps[settle]!
        const response = path.events[settle]!
        const definite =
          tried._tag === "Settle" &&
          tried.first &&
          response._tag === "Settled" &&
          response.settlement._tag === "Rejected"
        const since = path.events.slice(settle, index)
        // The transfer paid for another charge: it can't pay for this one.
        holds(definite || since.some(isFinal) || since.at(-1)?._tag === "TransferTaken", path)
      })
    }
  })

  it("a completed charge has a response or a refund due", () => {
    for (const path of paths) {
      // What others brought to its end is looked up once more, and found.
      if (path.events.at(-1)?._tag === "Found") continue
      if (!path.events.some(({ _tag }) => _tag === "Completed")) continue
      const owed = path.ending._tag === "Refused" && path.ending.refusal.code === "payment_refund_due"
      // Another call produces the response.
      if (path.ending._tag === "InProgress") continue
      holds(path.ending._tag === "Paid" || owed || path.ending._tag === "Owed", path)
    }
  })

  it("a payment that settles first buys no work before it has settled", () => {
    if (!facts.workIsDue) return
    for (const path of paths)
      path.steps.forEach((step, index) => {
        if (step._tag !== "Work") return
        holds(step.paid !== undefined, path)
        const isPaid = path.events
          .slice(0, index)
          .some(
            (event) =>
              event._tag === "Completed" || (event._tag === "Taken" && event.charge?.state === "settled")
          )
        holds(isPaid, path)
      })
  })

  it("nothing is written for a payment that was not verified", () => {
    for (const path of paths) {
      const refusedAt = path.events.findIndex(
        (event) =>
          event._tag === "Busy" ||
          (event._tag === "Verified" && event.verification._tag !== "Valid") ||
          event._tag === "Refused"
      )
      // A charge that an earlier request of the payment left is brought to its end, whatever this one does.
      if (refusedAt < 0 || path.steps.some(({ _tag }) => _tag === "TakeOver")) continue
      const written = path.steps.slice(0, refusedAt + 2).map(({ _tag }) => _tag)
      const writes: ReadonlyArray<ChargeStep["_tag"]> = ["Claim", "Void", "Record", "Complete"]
      holds(!written.some((tag) => writes.includes(tag)), path)
    }
  })

  it("the response to one request is never returned to another", () => {
    for (const path of paths) {
      const taken = path.events.findLast(({ _tag }) => _tag === "Taken")
      if (taken?._tag !== "Taken" || taken.sameRequest || taken.charge === undefined) continue
      const isFresh = path.events.some(({ _tag }) => _tag === "Claimed")
      // What is settled or ready was found to be of the same request before it was taken.
      if (taken.charge.state === "settled" || taken.charge.state === "ready") continue
      // The reconciler has no request; it records which transfer moved what was refunded.
      if (facts.by === "reconciler" && taken.charge.refund !== undefined) continue
      holds(isFresh || path.ending._tag !== "Paid", path)
    }
  })

  it("what was refunded and reopened is not settled, voided, worked on, applied or released", () => {
    for (const { ending, events, steps } of paths) {
      const at = events.findLastIndex(isReopenedRefund)
      // A call that takes the charge over again finds it as it is then.
      if (at < 0 || events.slice(at + 1).some(({ _tag }) => _tag === "Taken")) continue
      const after = steps.slice(at + 1).map(({ _tag }) => _tag)
      const forbidden = [
        "Settle",
        "Void",
        "Work",
        "Apply",
        "DeleteCharge",
        "MarkRefundDue",
        "Verify",
        "Claim",
        "Reopen"
      ]
      holds(!after.some((tag) => forbidden.includes(tag)), { ending, events, steps })
    }
  })

  it("a refusal is told only after a look at what others have made of the payment meanwhile", () => {
    for (const path of paths) {
      const judged = path.events.findIndex((event) => event._tag === "Refused")
      if (judged >= 0)
        holds(
          path.events.slice(judged).some(({ _tag }) => _tag === "Found"),
          path
        )
    }
  })

  it("no caller gets a response without a completed charge", () => {
    for (const path of paths)
      if (path.ending._tag === "Paid")
        holds(count(path, "Complete") + count(path, "Apply") + count(path, "Deliver") > 0, path)
  })

  it("work follows the claim of a verified payment, once; its response is recorded before the money moves", () => {
    for (const path of paths) {
      const tags = tagsOf(path)
      holds(count(path, "Work") <= 1, path)
      const at = path.steps.findIndex((step) => step._tag === "Work" && step.paid === undefined)
      holds(at < 0 || tags[at - 1] === (facts.canReadChain ? "CheckFunds" : "Claim"), path)
      const first = path.steps.findIndex((step) => step._tag === "Settle" && step.first)
      holds(first < 0 || tags[first - 1] === "Record", path)
      holds(path.steps.filter((step) => step._tag === "Settle" && step.first).length <= 1, path)
    }
  })

  it("a claimed charge is recorded, voided or released", () => {
    for (const path of paths)
      if (path.events.some(({ _tag }) => _tag === "Claimed"))
        expect(
          tagsOf(path).some((tag) => tag === "Record" || tag === "Void" || tag === "DeleteCharge"),
          words(path)
        ).toBe(true)
  })

  it("a charge is forgotten only where its money can't move any more, or moved before it was presented", () => {
    for (const path of paths)
      path.steps.forEach((step, index) => {
        if (step._tag !== "DeleteCharge") return
        const earlier = path.events.slice(0, index)
        const isOver =
          earlier.some(isFinal) ||
          // Not covered by the payer's balance: nothing was ever sent.
          earlier.at(-1)?._tag === "Funded" ||
          earlier.some((event) => event._tag === "Taken" && event.nowMillis === endless) ||
          earlier.some(
            (event) =>
              event._tag === "Seen" && event.evidence._tag === "Moved" && event.evidence.atSeconds === 369
          )
        holds(isOver, path)
      })
  })
})

it("a step that is told of what it can't have met says so", () => {
  const facts = everyFacts[0]!
  expect(() => next({ _tag: "Work" }, { _tag: "Claimed", claimedAtMillis: nowMillis }, facts)).toThrow(
    ImpossibleTransition
  )
  expect(() => next({ _tag: "End", ending: { _tag: "Closed" } }, { _tag: "Done" }, facts)).toThrow(
    "End can't be followed by Done"
  )
})

const met = (charge: Charge, changes: Partial<Extract<ChargeEvent, { _tag: "Found" }>> = {}): ChargeStep =>
  next(begin, { _tag: "Found", charge, presented, patient: true, nowMillis, ...changes }, everyFacts[0]!)

describe("a payment that meets a charge of its key", () => {
  const expected: ReadonlyArray<readonly [string, string]> = [
    ["a claim that runs", "Wait"],
    ["a claim that lapsed", "TakeOver"],
    ["a response that is being settled", "Wait"],
    ["a response that no process settles", "TakeOver"],
    ["a settled charge", "Replay"],
    ["a settled charge whose effect is pending", "TakeOver"],
    ["a settled charge whose response has expired", "payment_already_used"],
    ["a settled charge that is owed back", "payment_refund_due"],
    ["a settled charge that was sent back", "payment_refund_due"],
    ["a voided charge", "TakeOver"],
    ["a settled charge whose proof isn't final", "Replay"],
    ["a settled charge whose response is owed", "TakeOver"],
    ["a settled charge whose response is being produced", "Wait"],
    ["a settled charge whose response was owed for too long", "payment_refund_due"],
    ["a voided charge that is looked after", "Wait"],
    ["a refunded charge that was reopened", "payment_refund_due"],
    ["a refunded charge that was reopened and has no response", "payment_refund_due"]
  ]
  const told = (step: ChargeStep): string =>
    step._tag !== "End"
      ? step._tag
      : step.ending._tag === "Refused"
        ? step.ending.refusal.code
        : step.ending._tag
  it.each(charges)("%s", (name, charge) => {
    expect(told(met(charge))).toBe(new Map(expected).get(name))
  })
  it("of another payload: refused", () => {
    for (const [name, charge] of charges) {
      const step = met(charge, { presented: { ...presented, payloadDigest: "forged" } })
      expect(told(step), name).toBe("payment_already_used")
    }
  })
  it("for another request: refused, but where nothing is due for the charge", () => {
    for (const [name, charge] of charges) {
      const step = told(met(charge, { presented: { ...presented, sameRequest: false } }))
      const isOpen =
        name === "a claim that lapsed" || (charge.state === "voided" && charge.refund === undefined)
      expect(step === "payment_already_used", name).toBe(!isOpen)
    }
  })
  it("and can't wait any longer: told to come again", () => {
    expect(told(met(charges[0]![1], { patient: false }))).toBe("InProgress")
  })
})
