import { describe, expect, it } from "vitest"
import type { Charge, ChargeState } from "../../src/ports/Charges.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "../../src/testing/stores/records.ts"
import { type Ending, type Event, type Facts, ImpossibleTransition, type Step } from "../../src/toll/Steps.ts"
import { begin, next } from "../../src/toll/Transitions.ts"

/*
 * The machine is small enough to be walked through whole: every event that any step can have, in every
 * order, for every kind of charge, with every fact. What must never happen is looked for on each path.
 */

const nowMillis = 500_000
const validBeforeSeconds = 1_000
const receipt = sampleReceipt()
const presented = { payloadDigest: "digest-1", sameRequest: true, replayableUntilMillis: nowMillis + 1 }

const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...sampleCharge({ validBeforeSeconds, createdAtMillis: 400_000 }),
  state,
  firstClaimedAtMillis: 400_000,
  leaseOwner: "another",
  leaseUntilMillis: 0,
  attempts: 0,
  checkAfterMillis: 0,
  answer: state === "ready" || state === "settled" ? sampleAnswer() : undefined,
  answerExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: state === "settled" ? receipt : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  refund: undefined,
  ...changes
})

const charges: ReadonlyArray<readonly [string, Charge]> = [
  ["a claim that runs", chargeIn("claimed", { leaseUntilMillis: nowMillis + 1 })],
  ["a claim that lapsed", chargeIn("claimed")],
  ["an answer that is being settled", chargeIn("ready", { leaseUntilMillis: nowMillis + 1 })],
  ["an answer that nobody settles", chargeIn("ready")],
  ["a settled charge", chargeIn("settled")],
  ["a settled charge whose effect is pending", chargeIn("settled", { effectPending: true })],
  ["a settled charge whose answer has expired", chargeIn("settled", { answer: undefined })],
  ["a settled charge that is owed back", chargeIn("settled", { answer: undefined, refund: { _tag: "Due" } })],
  [
    "a settled charge that was sent back",
    chargeIn("settled", { refund: { _tag: "Sent", transaction: "0x1" } })
  ],
  ["a voided charge", chargeIn("voided")],
  ["a voided charge whose answer is kept", chargeIn("voided", { answer: sampleAnswer() })],
  ["a voided charge that is looked after", chargeIn("voided", { leaseUntilMillis: nowMillis + 1 })]
]

const foundOf = (charge: Charge | undefined, patient: boolean): Event => ({
  _tag: "Found",
  charge,
  presented,
  patient,
  nowMillis
})
const takenOf = (
  charge: Charge | undefined,
  { at = nowMillis, readable = true, sameRequest = true } = {}
): Event => ({
  _tag: "Taken",
  charge,
  sameRequest,
  readable,
  nowMillis: at
})

const endless = validBeforeSeconds * 1_000 + 1

/** Everything that a step can meet. */
const eventsOf = (step: Step, waits: number): ReadonlyArray<Event> => {
  switch (step._tag) {
    case "Find":
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
              ? [takenOf(charge)]
              : [takenOf(charge), takenOf(charge, { sameRequest: false }), takenOf(charge, { at: endless })]
          )
      ]
    case "Judge":
      return [undefined, { code: "no", message: "no" }].map((refusal) => ({ _tag: "Judged", refusal }))
    case "Claim":
      return [
        { _tag: "Claimed" },
        { _tag: "Limited" },
        ...(waits > 1 ? [] : charges.map(([, charge]) => foundOf(charge, waits < 1)))
      ]
    case "Verify":
      return [
        { _tag: "Verified", verification: { _tag: "Valid", payer: undefined } },
        { _tag: "Verified", verification: { _tag: "Invalid", reason: "insufficient_funds" } },
        { _tag: "Verified", verification: { _tag: "Invalid", reason: "nonce_already_used" } },
        { _tag: "Verified", verification: { _tag: "Unreachable", reason: "timeout" } }
      ]
    case "Work":
      return [
        { _tag: "WorkFailed" },
        { _tag: "Worked", nowSeconds: 600 },
        { _tag: "Worked", nowSeconds: validBeforeSeconds + 1 }
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
    case "AskChain":
      return [
        ...[450, 369].map((atSeconds): Event => ({
          _tag: "Seen",
          evidence: { _tag: "Moved", transaction: "0x1", atSeconds },
          firstClaimedAtMillis: 400_000
        })),
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: 500 } },
        { _tag: "Seen", evidence: { _tag: "NotMoved", chainTimeSeconds: validBeforeSeconds + 1 } },
        { _tag: "Seen", evidence: { _tag: "Cancelled" } },
        { _tag: "Seen", evidence: { _tag: "Unavailable" } }
      ]
    case "Complete":
      return [
        { _tag: "Overtaken" },
        { _tag: "Completed", receipt, refundDue: step.refundDue },
        { _tag: "Completed", receipt, refundDue: !step.refundDue }
      ]
    case "Void":
      return [true, false].map((voided) => ({ _tag: "Voided", voided }))
    case "Apply":
    case "Abandon":
    case "Release":
    case "Leave":
      return [{ _tag: "Done" }]
    case "End":
      return []
  }
}

interface Path {
  readonly steps: ReadonlyArray<Step>
  readonly events: ReadonlyArray<Event>
  readonly ending: Ending
}

const walk = (
  start: Step,
  facts: Facts,
  visit: (path: Path) => void,
  limit = 40,
  steps: ReadonlyArray<Step> = [start],
  events: ReadonlyArray<Event> = []
): void => {
  const step = steps.at(-1)!
  if (step._tag === "End") return visit({ steps, events, ending: step.ending })
  if (steps.length > limit) throw new Error(`no end: ${steps.map(({ _tag }) => _tag).join(" ")}`)
  const rounds = steps.filter(({ _tag }) => _tag === "Find" || _tag === "Claim").length - 1
  // Being sent back to look again is allowed once on a path.
  if (rounds > 1) return
  for (const event of eventsOf(step, rounds))
    walk(start, facts, visit, limit, [...steps, next(step, event, facts)], [...events, event])
}

const everyFacts: ReadonlyArray<Facts> = (["call", "reconciler"] as const).flatMap((by) =>
  [true, false].flatMap((canReadChain) =>
    [true, false].map((proofRequired) => ({ by, canReadChain, proofRequired, validBeforeSeconds }))
  )
)

const named = ({ by, canReadChain, proofRequired }: Facts): string =>
  `${by}${canReadChain ? ", chain readable" : ""}${proofRequired ? ", proof required" : ""}`

const startOf = ({ by }: Facts): Step => (by === "call" ? begin : { _tag: "TakeOver" })

const tagsOf = ({ steps }: Path): ReadonlyArray<Step["_tag"]> => steps.map(({ _tag }) => _tag)
const count = (path: Path, tag: Step["_tag"]): number => tagsOf(path).filter((other) => other === tag).length

const isFinal = (event: Event | undefined): boolean =>
  event?._tag === "Seen" &&
  (event.evidence._tag === "Cancelled" ||
    (event.evidence._tag === "NotMoved" && event.evidence.chainTimeSeconds > validBeforeSeconds))

const showsMoney = (event: Event | undefined, facts: Facts): boolean =>
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
    expect(paths.length).toBeLessThan(300_000)
  })

  it("a charge is completed only on what shows that its money moved", () => {
    for (const path of paths)
      path.steps.forEach((step, index) => {
        if (step._tag === "Complete") holds(showsMoney(path.events[index - 1], facts), path)
      })
  })

  it("a payment that may have moved is never refused, nor its charge let go", () => {
    for (const path of paths) {
      path.steps.forEach((step, index) => {
        if (step._tag !== "Void" && step._tag !== "Release") return
        const settle = path.steps.findLastIndex(({ _tag }, at) => at < index && _tag === "Settle")
        if (settle < 0) return
        const tried = path.steps[settle]!
        const answer = path.events[settle]!
        const definite =
          tried._tag === "Settle" &&
          tried.first &&
          answer._tag === "Settled" &&
          answer.settlement._tag === "Rejected"
        const evidence = path.events.slice(settle, index).some(isFinal)
        holds(definite || evidence, path)
      })
    }
  })

  it("what is completed is answered, or owed back", () => {
    for (const path of paths) {
      // What others brought to its end is looked up once more, and found.
      if (path.events.at(-1)?._tag === "Found") continue
      if (!path.events.some(({ _tag }) => _tag === "Completed")) continue
      const owed = path.ending._tag === "Refused" && path.ending.refusal.code === "payment_refund_due"
      holds(path.ending._tag === "Paid" || owed, path)
    }
  })

  it("a refusal that leaves open whether the money moved is told only after the chain was asked", () => {
    if (!facts.canReadChain) return
    for (const path of paths) {
      const open = path.events.findIndex(
        (event) =>
          event._tag === "Verified" &&
          event.verification._tag === "Invalid" &&
          event.verification.reason === "nonce_already_used"
      )
      const voided = path.events[open + 1]
      if (open >= 0 && voided?._tag === "Voided" && voided.voided)
        expect(
          path.events.slice(open).some(({ _tag }) => _tag === "Seen"),
          words(path)
        ).toBe(true)
    }
  })

  it("the answer to one request is never given to another", () => {
    for (const path of paths) {
      const taken = path.events.findLast(({ _tag }) => _tag === "Taken")
      if (taken?._tag !== "Taken" || taken.sameRequest || taken.charge === undefined) continue
      const isFresh = path.events.some(({ _tag }) => _tag === "Claimed")
      // What is settled or ready was found to be of the same request before it was taken.
      if (taken.charge.state === "settled" || taken.charge.state === "ready") continue
      holds(isFresh || path.ending._tag !== "Paid", path)
    }
  })

  it("a refusal is told only after a look at what others have made of the payment meanwhile", () => {
    for (const path of paths) {
      const judged = path.events.findIndex((event) => event._tag === "Judged" && event.refusal !== undefined)
      if (judged >= 0)
        holds(
          path.events.slice(judged).some(({ _tag }) => _tag === "Found"),
          path
        )
    }
  })

  it("nobody is answered without a completed charge", () => {
    for (const path of paths)
      if (path.ending._tag === "Paid") holds(count(path, "Complete") + count(path, "Apply") > 0, path)
  })

  it("work follows verification, once; its answer is recorded before the money moves", () => {
    for (const path of paths) {
      const tags = tagsOf(path)
      holds(count(path, "Work") <= 1, path)
      holds(!tags.includes("Work") || tags[tags.indexOf("Work") - 1] === "Verify", path)
      const first = path.steps.findIndex((step) => step._tag === "Settle" && step.first)
      holds(first < 0 || tags[first - 1] === "Record", path)
      holds(path.steps.filter((step) => step._tag === "Settle" && step.first).length <= 1, path)
    }
  })

  it("what is claimed is recorded, or voided", () => {
    for (const path of paths)
      if (path.events.some(({ _tag }) => _tag === "Claimed"))
        expect(
          tagsOf(path).some((tag) => tag === "Record" || tag === "Void"),
          words(path)
        ).toBe(true)
  })

  it("a charge is forgotten only where its money can't move any more, or moved before it was presented", () => {
    for (const path of paths)
      path.steps.forEach((step, index) => {
        if (step._tag !== "Release") return
        const earlier = path.events.slice(0, index)
        const isOver =
          earlier.some(isFinal) ||
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
  expect(() => next({ _tag: "Work" }, { _tag: "Claimed" }, facts)).toThrow(ImpossibleTransition)
  expect(() => next({ _tag: "End", ending: { _tag: "Closed" } }, { _tag: "Done" }, facts)).toThrow(
    "End can't be followed by Done"
  )
})

const met = (charge: Charge, changes: Partial<Extract<Event, { _tag: "Found" }>> = {}): Step =>
  next(begin, { _tag: "Found", charge, presented, patient: true, nowMillis, ...changes }, everyFacts[0]!)

describe("a payment that meets a charge of its key", () => {
  const expected: ReadonlyArray<readonly [string, string]> = [
    ["a claim that runs", "Wait"],
    ["a claim that lapsed", "TakeOver"],
    ["an answer that is being settled", "Wait"],
    ["an answer that nobody settles", "TakeOver"],
    ["a settled charge", "Replay"],
    ["a settled charge whose effect is pending", "TakeOver"],
    ["a settled charge whose answer has expired", "payment_already_used"],
    ["a settled charge that is owed back", "payment_refund_due"],
    ["a settled charge that was sent back", "payment_refund_due"],
    ["a voided charge", "TakeOver"],
    ["a voided charge whose answer is kept", "TakeOver"],
    ["a voided charge that is looked after", "Wait"]
  ]
  const told = (step: Step): string =>
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
      const isOpen = name === "a claim that lapsed" || charge.state === "voided"
      expect(step === "payment_already_used", name).toBe(!isOpen)
    }
  })
  it("and can't wait any longer: told to come again", () => {
    expect(told(met(charges[0]![1], { patient: false }))).toBe("InProgress")
  })
})
