import type { Charge, ChargeState } from "../../../src/ports/Charges.ts"
import { asClaimed, lease } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import {
  type Ending,
  type ChargeEvent,
  type ChargeFacts,
  type ChargeStep,
  type Plan
} from "../../../src/toll/machine/ChargeStep.ts"
import { next } from "./nextStep.ts"
import { product, task } from "./machineRows.ts"

export const nowMillis = 500_000
const validBeforeSeconds = 1_000
const finalitySeconds = 60
/** The last chain time at which a reorganization could still include a transfer. */
const overSeconds = validBeforeSeconds + finalitySeconds
const receipt = sampleReceipt()
export const presented = {
  payloadDigest: "digest-1",
  sameRequest: true,
  replayableUntilMillis: nowMillis + 1
}

const chargeIn = (state: ChargeState, changes: Partial<Charge> = {}): Charge => ({
  ...asClaimed(sampleCharge({ validBeforeSeconds, createdAtMillis: 400_000 }), lease("another", 0)),
  state,
  response: state === "ready" || state === "settled" ? sampleResponse() : undefined,
  receipt: state === "settled" ? receipt : undefined,
  settledAtMillis: state === "settled" ? 450_000 : undefined,
  ...changes
})

export const charges: ReadonlyArray<readonly [string, Charge]> = [
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
  ([name, { state }]) =>
    state === "settled" && !/effect is pending|response (is|was) owed|has expired/.test(name)
)

const foundOf = (charge: Charge | undefined, patient: boolean): ChargeEvent => ({
  _tag: "Found",
  found: charge === undefined ? undefined : { charge, presented },
  patient,
  nowMillis
})
const takenOf = (
  charge: Charge,
  { at = nowMillis, isRefused = false, readable = true, sameRequest = true } = {}
): ChargeEvent => ({
  _tag: "Taken",
  charge,
  sameRequest,
  isRefused,
  readable,
  nowMillis: at
})

export const endless = validBeforeSeconds * 1_000 + 1

/** Everything that a step can meet. */
export const eventsOf = (
  step: ChargeStep,
  waits: number,
  isCompleted: boolean
): ReadonlyArray<ChargeEvent> => {
  switch (step._tag) {
    case "Find":
      // A completed charge stays settled, whichever process goes on with it.
      if (isCompleted) return settledCharges.map(([, charge]) => foundOf(charge, false))
      // Looked up again: it is gone, or somebody brought it to its end.
      return waits > 0
        ? [foundOf(undefined, false), foundOf(chargeIn("settled"), false)]
        : [foundOf(undefined, true), ...charges.map(([, charge]) => foundOf(charge, true))]
    case "FindCopy":
      if (isCompleted) return settledCharges.map(([, charge]) => foundOf(charge, false))
      return [
        foundOf(undefined, false),
        foundOf(chargeIn("settled"), false),
        ...(step.expects === "voided" ? [foundOf(chargeIn("voided"), false)] : [])
      ]
    case "Wait":
      return [{ _tag: "Waited" }]
    case "TakeOver":
      return [
        { _tag: "Exhausted" },
        { _tag: "Overtaken" },
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
              : [
                  takenOf(charge),
                  takenOf(charge, { sameRequest: false }),
                  ...(charge.state === "voided" ? [takenOf(charge, { isRefused: true })] : []),
                  takenOf(charge, { at: endless })
                ]
          )
      ]
    case "Judge":
      return [
        { _tag: "Accepted", task },
        { _tag: "Refused", refusal: { code: "no", message: "no" } },
        { _tag: "Limited", patient: false },
        { _tag: "Repeated", first: chargeIn("settled", { key: "first" }), as: "Kept" }
      ]
    case "Claim":
      return [
        { _tag: "Claimed", claimedAtMillis: nowMillis },
        { _tag: "Limited", patient: false },
        { _tag: "Limited", patient: true },
        { _tag: "Repeated", first: chargeIn("ready", { key: "first" }), as: "InFlight" },
        ...(waits > 1 ? [] : charges.map(([, charge]) => foundOf(charge, waits < 1)))
      ]
    case "ClaimRefused":
      return [
        { _tag: "Claimed", claimedAtMillis: nowMillis },
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
    case "Advance":
      return [true, false].map((advanced) => ({ _tag: "Advanced", advanced }))
    case "Settle":
      return [
        { _tag: "Settled", settlement: { _tag: "Settled", transaction: "0x1", payer: undefined } },
        { _tag: "Settled", settlement: { _tag: "Rejected", reason: "insufficient_funds" } },
        { _tag: "Settled", settlement: { _tag: "Unknown", reason: "timeout", transaction: undefined } },
        { _tag: "Settled", settlement: { _tag: "Unknown", reason: "pending", transaction: "0x1" } }
      ]
    case "QueryChain":
      return [
        ...[true, false].map((isFinal): ChargeEvent => ({
          _tag: "Seen",
          evidence: { _tag: "Moved", transaction: receipt.transaction, logIndex: 3, atSeconds: 450, isFinal }
        })),
        {
          _tag: "Seen",
          evidence: {
            _tag: "Moved",
            transaction: receipt.transaction,
            logIndex: 3,
            atSeconds: 369,
            isFinal: true,
            precedesClaim: true
          }
        },
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
        { _tag: "Completed", receipt, refundDue: step.refund !== "none", owedUntilMillis: nowMillis + 1 },
        { _tag: "Completed", receipt, refundDue: step.refund !== "none" },
        { _tag: "Completed", receipt, refundDue: step.refund === "none" },
        { _tag: "Completed", receipt, refundDue: step.refund !== "none", isProvisional: true }
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
    case "Release":
    case "Finalize":
    case "MarkRefundDue":
    case "YieldLease":
    case "Defer":
      return [{ _tag: "Done" }]
    case "End":
      return []
  }
}

/** The steps that were performed, the last one an end, and their events. */
export interface Path {
  readonly steps: ReadonlyArray<ChargeStep>
  readonly events: ReadonlyArray<ChargeEvent>
  readonly ending: Ending
}

export const walk = (plan: Plan, facts: ChargeFacts, visit: (path: Path) => void, limit = 40): void => {
  const steps: Array<ChargeStep> = []
  const events: Array<ChargeEvent> = []
  const take = (plan: Plan, looks: number, isCompleted: boolean): void => {
    const [step] = plan
    steps.push(step)
    if (step._tag === "End") visit({ steps: [...steps], events: [...events], ending: step.ending })
    else if (steps.length > limit) throw new Error(`no end: ${steps.map(({ _tag }) => _tag).join(" ")}`)
    else follow(plan, looks + (/^(Find|FindCopy|Claim)$/.test(step._tag) ? 1 : 0), isCompleted)
    steps.pop()
  }
  const follow = (plan: Plan, looks: number, isCompleted: boolean): void => {
    // Being sent back to look again is allowed once on a path.
    if (looks > 2) return
    for (const event of eventsOf(plan[0], looks - 1, isCompleted)) {
      events.push(event)
      take(next(plan, event, facts), looks, isCompleted || event._tag === "Completed")
      events.pop()
    }
  }
  take(plan, 0, false)
}

export const everyFacts: ReadonlyArray<ChargeFacts> = (["call", "reconciler"] as const).flatMap((by) =>
  [true, false].flatMap((canReadChain) =>
    [true, false].flatMap((proofRequired) =>
      [false, true].map((workIsDue) => ({
        by,
        canReadChain,
        proofRequired,
        workIsDue,
        validBeforeSeconds,
        finalitySeconds
      }))
    )
  )
)

/** Calls that can read a chain have most paths, 400,000 of each kind: `ChargeMachine.lives.deep.test.ts` has them all. */
export const isLongKind = ({ by, canReadChain }: ChargeFacts): boolean => by === "call" && canReadChain

/** Kinds that are walked for every change: of calls that can read a chain only one. */
export const isQuickKind = (facts: ChargeFacts): boolean =>
  !isLongKind(facts) || (facts.proofRequired && !facts.workIsDue)

export const isFinal = (event: ChargeEvent | undefined): boolean =>
  event?._tag === "Seen" &&
  (event.evidence._tag === "NotPaid" ||
    (event.evidence._tag === "NotMoved" && event.evidence.chainTimeSeconds > overSeconds))
