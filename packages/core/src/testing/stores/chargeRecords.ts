import { Effect } from "effect"
import { type Charge, Charges, type ChargeState, type Lease, type NewCharge } from "../../ports/Charges.ts"
import { sampleAnswer, sampleCharge, sampleReceipt } from "./records.ts"

/*
 * Charges to test with, in the state that a case begins in.
 */

/** The key of `sampleCharge`. */
export const key = sampleCharge().key

/** More unsettled charges than any case makes. */
export const unlimited = 10_000

export const outcome = { answer: sampleAnswer(), subject: undefined }
export const paid = { receipt: sampleReceipt(), refundDue: false }
export const order = { kind: "order", id: "order-1" } as const

export const lease = (owner: string, untilMillis = 2_000): Lease => ({ owner, untilMillis })

/** The charge that a claim of a key nobody had before leaves. */
export const asClaimed = (charge: NewCharge, { owner, untilMillis }: Lease): Charge => ({
  ...charge,
  state: "claimed",
  firstClaimedAtMillis: charge.createdAtMillis,
  leaseOwner: owner,
  leaseUntilMillis: untilMillis,
  attempts: 0,
  checkAfterMillis: 0,
  answer: undefined,
  answerExpiredAtMillis: undefined,
  subject: undefined,
  effectPending: false,
  receipt: undefined,
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

/** Charges with a charge in a given state, held by `me` until 2000; of a voided one the answer is kept. */
export const chargesWith = Effect.fnUntraced(function* (
  state: ChargeState,
  overrides: Partial<NewCharge> = {},
  rest: { readonly settledAtMillis?: number; readonly subject?: Charge["subject"] } = {}
) {
  const charges = yield* Charges
  const charge = sampleCharge(overrides)
  yield* charges.claim(charge, lease("me"), 1_000, unlimited)
  if (state !== "claimed") yield* charges.advance(charge.key, "me", { ...outcome, subject: rest.subject })
  if (state === "voided") yield* charges.void(charge.key, "me", { keepAnswer: true, checkAfterMillis: 0 })
  if (state === "settled") yield* charges.complete(charge.key, paid, rest.settledAtMillis ?? 1_500)
  return charges
})

export const keysOf = (charges: ReadonlyArray<Charge>): ReadonlyArray<string> => charges.map(({ key }) => key)
