import { Effect } from "effect"
import {
  type Charge,
  Charges,
  type ChargeState,
  type Claim,
  type ClaimLimits,
  type CompletedSettlement,
  type Completion,
  type Lease,
  type NewCharge
} from "@till402/core/effect"
import { sampleResponse, sampleCharge, sampleReceipt } from "./records.ts"

/* Sample charges in each state. */

/** The key of `sampleCharge`. */
export const key = sampleCharge().key

/** Limits that no case reaches. */
export const unlimited: ClaimLimits = { maxUnsettled: 10_000, maxExposureAtomic: "1000000000000" }
export const atMost = (maxUnsettled: number): ClaimLimits => ({ ...unlimited, maxUnsettled })
export const exposedAtMost = (maxExposureAtomic: string): ClaimLimits => ({ ...unlimited, maxExposureAtomic })

export const outcome = { response: sampleResponse(), subject: undefined }
/** A settlement reported only by a facilitator. */
export const paid: CompletedSettlement = {
  receipt: sampleReceipt(),
  transferLogIndex: undefined,
  refundDue: false,
  finalAfterMillis: undefined,
  responseOwedUntilMillis: undefined
}
export const paidRefundDue: CompletedSettlement = { ...paid, refundDue: true }
/** A provisional settlement with proof on the chain. */
export const provisional: CompletedSettlement = { ...paid, transferLogIndex: 3, finalAfterMillis: 5_000 }
/** A settlement before the work. */
export const paidFirst: CompletedSettlement = { ...paid, responseOwedUntilMillis: 6_000 }
export const isCompleted = ({ _tag }: Completion): boolean => _tag === "Completed"
export const order = { kind: "order", id: "order-1" } as const

export const lease = (owner: string, untilMillis = 2_000): Lease => ({ owner, untilMillis })

/** The stored charge after the claim of a new key. */
export const asClaimed = (charge: NewCharge, { owner, untilMillis }: Lease): Charge => ({
  ...charge,
  state: "claimed",
  leaseOwner: owner,
  leaseUntilMillis: untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  response: undefined,
  responseExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
  transferLogIndex: undefined,
  reportedBy: undefined,
  awaitsFinality: false,
  refusedDigest: "",
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

/** Returns `Charges` with one charge in a state, leased by `me` until 2000; a voided one has no lease. */
export const chargesWithOne = Effect.fnUntraced(function* (
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
  const response = charge.settlesFirst ? undefined : outcome.response
  yield* charges.claim(charge, lease("me"), 1_000, unlimited)
  if (state !== "claimed") yield* charges.advance(charge.key, "me", { response, subject: rest.subject })
  if (state === "voided") yield* charges.void(charge.key, "me", { keepExposure: true, checkAfterMillis: 0 })
  if (state === "settled")
    yield* charges.complete(charge.key, rest.settlement ?? paid, rest.settledAtMillis ?? 1_500)
  return charges
})

export const keysOf = (charges: ReadonlyArray<Pick<Charge, "key">>): ReadonlyArray<string> =>
  charges.map(({ key }) => key)

/** Counts the claims with a tag. */
export const countTagged = (claims: ReadonlyArray<Claim>, tag: Claim["_tag"]): number =>
  claims.filter(({ _tag }) => _tag === tag).length

/** Everything that `Charges` can return. */
export const allCharges = Effect.gen(function* () {
  const charges = yield* Charges
  const all = yield* charges.list({ limit: 100 })
  return {
    charges: all,
    attempts: yield* charges.refundAttempts(keysOf(all)),
    entries: yield* charges.entries({ limit: 100 }),
    totals: yield* charges.totals(0, 1e15),
    unfinished: keysOf(yield* charges.unfinished(1e15, 100)),
    voided: keysOf(yield* charges.voidedDue(1e15, 100)),
    stop: yield* charges.refundStop()
  }
})
