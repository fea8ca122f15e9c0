import type { Address } from "@solana/kit"
import { ExactSvmScheme } from "@x402/svm/exact/facilitator"
import { Effect } from "effect"
import type { SolanaNode } from "../solana-refunds/SolanaNode.ts"
import type { NodeFault } from "../upstream/NodeCalls.ts"
import { recordRelayerBalance } from "../upstream/relayerBalance.ts"
import { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"
import type { TransactionTerms } from "./TransactionTerms.ts"

/*
 * Checks a payment with the official scheme: program by program, then by simulation at the node.
 */

export interface CheckSettings {
  readonly served: { readonly caip2: string }
  readonly feePayer: Address
  /** Above the signatures. */
  readonly maxPriorityFeeLamports: bigint
}

export type PaymentVerdict =
  /** `slot`: the node knew the payment's blockhash by then. */
  | { readonly _tag: "Valid"; readonly payer: string; readonly slot: number }
  | { readonly _tag: "Invalid"; readonly reason: string; readonly payer: string | undefined }

/**
 * What an account must have (890,880 lamports), and the fees of a few settlements: the fee payer must not run dry between
 * the check and the settlement.
 */
const reserveLamports = 2_000_000n
const lamportsPerSol = 1_000_000_000

/** Fee payer and payer: each further signature would cost the fee payer 5,000 lamports. */
const maxRequiredSignatures = 2

const unused = (): never => {
  throw new Error("the official scheme only verifies")
}

const prefix = "invalid_exact_svm"
const simulationFailed = `${prefix}_transaction_simulation_failed`

/** The amount in a token account, at the offset that both programs give it. */
const amountIn = (data: Uint8Array): bigint =>
  data.length < 72 ? 0n : new DataView(data.buffer, data.byteOffset).getBigUint64(64, true)

/** The amount in a token account; 0 if there is none. */
export const balanceIn = (node: SolanaNode, account: string): Effect.Effect<bigint, NodeFault> =>
  Effect.map(node.account(account), (found) => (found === undefined ? 0n : amountIn(found.data)))

/** Why the fee payer doesn't sign a transaction, whatever it pays. */
const faultOf = (
  { accounts, priorityFeeLamports }: TransactionTerms,
  { feePayer, maxPriorityFeeLamports }: CheckSettings
): string | undefined => {
  // The fee payer's signature is for everything in the transaction: no program may get it.
  if (accounts.has(feePayer)) return `${prefix}_payload_transaction_fee_payer_transferring_funds`
  return priorityFeeLamports > maxPriorityFeeLamports
    ? `${prefix}_payload_transaction_instructions_compute_price_instruction_too_high`
    : undefined
}

/** Fails where nothing can be said about the payment: the node can't be read, or the fee payer can't pay. */
export const makePaymentCheck = (settings: CheckSettings, node: SolanaNode) => {
  const { feePayer, served } = settings

  /** Whether the account that pays has less than the amount. */
  const isShort = Effect.fnUntraced(function* ({ requirements, terms: { source } }: PresentedPayment) {
    return source !== undefined && (yield* balanceIn(node, source)) < BigInt(requirements.amount)
  })

  return Effect.fnUntraced(function* (
    payment: PresentedPayment
  ): Effect.fn.Return<PaymentVerdict, NodeFault | FeePayerUnderfunded> {
    const { requirements, terms, wire } = payment
    const forbidden = faultOf(terms, settings)
    if (forbidden !== undefined) return { _tag: "Invalid", reason: forbidden, payer: undefined }
    const lamports = (yield* node.account(feePayer))?.lamports ?? 0n
    yield* recordRelayerBalance(served.caip2, Number(lamports) / lamportsPerSol)
    if (lamports < reserveLamports) return yield* new FeePayerUnderfunded()
    const faults: Array<NodeFault> = []
    let slot = 0
    const simulate = (transaction: string): Promise<void> =>
      Effect.runPromise(
        node.simulate(transaction).pipe(
          Effect.tapError((fault) => Effect.sync(() => faults.push(fault))),
          Effect.flatMap((simulation) => {
            slot = Math.max(slot, simulation.slot)
            return simulation.succeeds ? Effect.void : Effect.fail(new Error("the simulation failed"))
          })
        )
      )
    const scheme = new ExactSvmScheme(
      {
        getAddresses: () => [feePayer],
        simulateTransaction: simulate,
        signTransaction: unused,
        sendTransaction: unused,
        confirmTransaction: unused
      },
      undefined,
      { maxRequiredSignatures }
    )
    const payload = { x402Version: 2, accepted: requirements, payload: { transaction: wire } }
    const result = yield* Effect.promise(() => scheme.verify(payload, requirements))
    const [fault] = faults
    if (fault !== undefined) return yield* fault
    const { invalidReason = "invalid_payment", isValid, payer } = result
    if (isValid && payer !== undefined && payer !== "") return { _tag: "Valid", payer, slot }
    // A failed simulation alone may be that of a payment that is on the chain. Too little money says why it failed.
    const reason =
      invalidReason === simulationFailed && (yield* isShort(payment)) ? "insufficient_funds" : invalidReason
    return { _tag: "Invalid", reason, payer: payer === "" ? undefined : payer }
  })
}

export type PaymentCheck = ReturnType<typeof makePaymentCheck>
