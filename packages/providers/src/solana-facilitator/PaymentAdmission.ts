import { Clock, Effect } from "effect"
import { RevertBudget, type RevertLimits } from "../facilitator/RevertBudget.ts"
import type { SolanaNode } from "../solana-refunds/SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import type { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import { type OpenPayment, OpenPayments } from "./OpenPayments.ts"
import { balanceIn, type PaymentCheck, type PaymentVerdict } from "./PaymentCheck.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"

/*
 * Admits payments whose payer can pay them beside the open ones, and whose failures haven't cost the fee payer too much.
 */

export type Admitted =
  | PaymentVerdict
  /** The balance doesn't cover the payment beside the payer's open ones. */
  | { readonly _tag: "Short"; readonly payer: string }

const sumOf = (payments: ReadonlyArray<OpenPayment>): bigint =>
  [...new Map(payments.map((each) => [each.key, each.amountAtomic])).values()].reduce(
    (sum, amount) => sum + amount,
    0n
  )

/** Limits are lamports of failed payments within an hour. */
export const makePaymentAdmission = (limits: RevertLimits, node: SolanaNode, check: PaymentCheck) => {
  const failures = new RevertBudget(limits)
  const open = new OpenPayments()

  /** Whether the balance covers a payment beside those that were open before it was checked, and those that are now. */
  const isCovered = Effect.fnUntraced(function* (
    { key, requirements }: PresentedPayment,
    source: string,
    before: ReadonlyArray<OpenPayment>
  ) {
    const now = yield* Clock.currentTimeMillis
    // The simulation has shown that the balance suffices for the payment alone.
    if (before.length === 0 && open.othersOf(source, key, now).length === 0) return () => true
    const balance = yield* balanceIn(node, source)
    // Counted when the payment begins: another one may begin until then.
    return () =>
      balance >= sumOf([...before, ...open.othersOf(source, key, now)]) + BigInt(requirements.amount)
  })

  /** `begins`: a payment that is admitted is open from then on. */
  const admit = Effect.fnUntraced(function* (
    payment: PresentedPayment,
    { begins }: { readonly begins: boolean }
  ): Effect.fn.Return<Admitted, NodeFault | FeePayerUnderfunded> {
    const { key, requirements, terms } = payment
    const { feeLamports, source = "" } = terms
    const before = open.othersOf(source, key, yield* Clock.currentTimeMillis)
    const verdict = yield* check(payment)
    if (verdict._tag === "Invalid") return verdict
    const { payer } = verdict
    const covered = yield* isCovered(payment, source, before)
    const now = yield* Clock.currentTimeMillis
    const refusal = failures.refusal({ key, payer, cost: feeLamports, byContract: false }, now)
    if (refusal !== undefined) return { _tag: "Invalid", reason: refusal, payer }
    if (!covered()) return { _tag: "Short", payer }
    if (begins) {
      const amountAtomic = BigInt(requirements.amount)
      open.begin({ key, source, amountAtomic, feeLamports, beganAtMillis: now })
    }
    return verdict
  })

  return {
    admit,
    noteSettled: (key: string, payer: string) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        open.end(key)
        failures.noteSettled({ key, payer }, now)
      }),
    /** Counts the fee of a payment that is in a block and has failed. */
    noteFailed: (key: string, payer: string, signature: string) =>
      Effect.sync(() => {
        const failed = open.find(key)
        if (failed === undefined) return
        open.end(key)
        const transaction = { hash: signature, recordedAtMillis: failed.beganAtMillis }
        failures.noteReverted(transaction, { key, payer, cost: failed.feeLamports })
      }),
    noteExpired: (key: string) => Effect.sync(() => open.end(key))
  }
}

export type PaymentAdmission = ReturnType<typeof makePaymentAdmission>
