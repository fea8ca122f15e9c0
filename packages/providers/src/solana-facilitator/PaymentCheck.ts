import { type Address } from "@solana/kit"
import { ExactSvmScheme } from "@x402/svm/exact/facilitator"
import { Effect } from "effect"
import type { NodeFault, SolanaNode } from "../solana-refunds/SolanaNode.ts"
import { FeePayerUnderfunded } from "./FacilitatorErrors.ts"
import type { PresentedPayment } from "./PresentedPayment.ts"

/*
 * Checks a payment with the official scheme: program by program, then by simulation at the node.
 */

export interface CheckSettings {
  readonly feePayer: Address
  readonly maxPriorityFeeMicroLamports: number
  readonly maxComputeUnits: number
}

export type PaymentVerdict =
  | { readonly _tag: "Valid"; readonly payer: string }
  | { readonly _tag: "Invalid"; readonly reason: string; readonly payer: string | undefined }

/**
 * What an account must have (890,880 lamports), and the fees of a few settlements: the fee payer must not run dry between
 * the check and the settlement.
 */
const reserveLamports = 2_000_000n

/** Fee payer and payer: each further signature would cost the fee payer 5,000 lamports. */
const maxRequiredSignatures = 2

const unused = (): never => {
  throw new Error("the official scheme only verifies")
}

/** Fails where nothing can be said about the payment: the node can't be read, or the fee payer can't pay. */
export const makePaymentCheck = (settings: CheckSettings, node: SolanaNode) => {
  const { feePayer, maxComputeUnits, maxPriorityFeeMicroLamports } = settings

  return Effect.fnUntraced(function* ({
    requirements,
    wire
  }: PresentedPayment): Effect.fn.Return<PaymentVerdict, NodeFault | FeePayerUnderfunded> {
    const lamports = (yield* node.account(feePayer))?.lamports ?? 0n
    if (lamports < reserveLamports) return yield* new FeePayerUnderfunded()
    const faults: Array<NodeFault> = []
    const simulate = (transaction: string): Promise<void> =>
      Effect.runPromise(
        node.simulate(transaction).pipe(
          Effect.tapError((fault) => Effect.sync(() => faults.push(fault))),
          Effect.flatMap((isFine) => (isFine ? Effect.void : Effect.fail(new Error("the simulation failed"))))
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
      { maxComputeUnits, maxPriorityFeeMicroLamports, maxRequiredSignatures }
    )
    const payload = { x402Version: 2, accepted: requirements, payload: { transaction: wire } }
    const result = yield* Effect.promise(() => scheme.verify(payload, requirements))
    const [fault] = faults
    if (fault !== undefined) return yield* fault
    const { invalidReason = "invalid_payment", isValid, payer } = result
    return isValid && payer !== undefined && payer !== ""
      ? { _tag: "Valid", payer }
      : { _tag: "Invalid", reason: invalidReason, payer: payer === "" ? undefined : payer }
  })
}
