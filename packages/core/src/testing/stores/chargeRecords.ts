import { Effect } from "effect"
import {
  type Charge,
  Charges,
  type ChargeState,
  type ClaimLimits,
  type CompletedSettlement,
  type Completion,
  type Lease,
  type NewCharge
} from "../../ports/Charges.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"

/*
 * Charges to test with, in the state that a case begins in.
 */

/** The key of `sampleCharge`. */
export const key = sampleCharge().key

/** More than any case reaches. */
export const unlimited: ClaimLimits = { maxUnsettled: 10_000, maxExposureAtomic: "1000000000000" }
export const atMost = (maxUnsettled: number): ClaimLimits => ({ ...unlimited, maxUnsettled })
export const exposedAtMost = (maxExposureAtomic: string): ClaimLimits => ({ ...unlimited, maxExposureAtomic })

export const outcome = { answer: sampleAnswer(), subject: undefined }
/** A settlement that only a facilitator reported. */
export const paid: CompletedSettlement = {
  receipt: sampleReceipt(),
  transferLogIndex: undefined,
  refundDue: false,
  finalAfterMillis: undefined,
  responseOwedUntilMillis: undefined
}
export const paidBack: CompletedSettlement = { ...paid, refundDue: true }
/** A settlement that the chain proves, provisionally. */
export const provisional: CompletedSettlement = { ...paid, transferLogIndex: 3, finalAfterMillis: 5_000 }
/** A settlement before the work. */
export const paidFirst: CompletedSettlement = { ...paid, responseOwedUntilMillis: 6_000 }
export const isCompleted = ({ _tag }: Completion): boolean => _tag === "Completed"
export const order = { kind: "order", id: "order-1" } as const

export const lease = (owner: string, untilMillis = 2_000): Lease => ({ owner, untilMillis })

/** The charge that a claim of a key nobody had before leaves. */
export const asClaimed = (charge: NewCharge, { owner, untilMillis }: Lease): Charge => ({
  ...charge,
  state: "claimed",
  leaseOwner: owner,
  leaseUntilMillis: untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  answer: undefined,
  answerExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  transferLogIndex: undefined,
  awaitsFinality: false,
  reopenings: 0,
  responseOwedUntilMillis: undefined,
  settledAtMillis: undefined,
  refund: undefined
})

/** The sample charge, ready. */
export const asReady: Charge = { ...asClaimed(sampleCharge(), lease("me")), state: "ready", ...outcome }

/** The sample charge, settled at 1500. */
export const asSettled: Charge = {
  ...asReady,
  state: "settled",
  settlement: "",
  receipt: sampleReceipt(),
  settledAtMillis: 1_500
}

/** Charges with a charge in a given state, held by `me` until 2000 (a voided one is held by nobody). */
export const chargesWith = Effect.fnUntraced(function* (
  state: ChargeState,
  overrides: Partial<NewCharge> = {},
  rest: {
    readonly settledAtMillis?: number
    readonly subject?: Charge["subject"]
    readonly settlement?: CompletedSettlement
  } = {}
) {
  const charges = yield* Charges
  const charge = sampleCharge(overrides)
  const answer = charge.settlesFirst ? undefined : outcome.answer
  yield* charges.claim(charge, lease("me"), 1_000, unlimited)
  if (state !== "claimed") yield* charges.advance(charge.key, "me", { answer, subject: rest.subject })
  if (state === "voided") yield* charges.void(charge.key, "me", { keepExposure: true, checkAfterMillis: 0 })
  if (state === "settled")
    yield* charges.complete(charge.key, rest.settlement ?? paid, rest.settledAtMillis ?? 1_500)
  return charges
})

export const keysOf = (charges: ReadonlyArray<Charge>): ReadonlyArray<string> => charges.map(({ key }) => key)
