import { Context, Effect, Layer } from "effect"
import { shownAddress } from "../domain/EvmAddress.ts"
import { plainHex } from "../domain/Hex.ts"
import type { StoreError } from "../domain/Errors.ts"
import { defaultLimit, listInPages } from "./listInPages.ts"
import { type Charge, Charges, type ChargesQuery, type ChargeState } from "../ports/Charges.ts"
import { recordManualRefund } from "../refunds/ManualRefunds.ts"
import { checkBefore } from "./OperatorInput.ts"

/** A charge for the host's bookkeeping; without payload, response and tokens. */
export interface ChargeSummary {
  /** Names the payment: `chain:asset:payer:nonce`. */
  readonly key: string
  /** The operation that was paid for: `search`, `buy`, … */
  readonly operation: string
  /** CAIP-2. */
  readonly network: string
  /** Address that paid, checksummed. */
  readonly payer: string
  /** Address that was paid. */
  readonly payTo: string
  /** The id that the client gave the payment of an order or a purchase; `undefined` if none. */
  readonly paymentId: string | undefined
  /** Atomic units of the stablecoin. */
  readonly amountAtomic: bigint
  /**
   * Value of the work done before settlement: what you lose if it never settles, and of a voided charge have lost. 0 if no
   * work is done before.
   */
  readonly exposureAtomic: bigint
  /**
   * `claimed`: work is in progress. `ready`: the response is recorded; settlement is in progress or its outcome is
   * unknown. `settled`: paid. `voided`: refused or failed; watched until the payment can no longer move.
   */
  readonly state: ChargeState
  /** Hash of the transaction that settled it. */
  readonly transaction: string | undefined
  /** Name of the facilitator whose report alone settled it; `undefined`: the chain showed its transfer. */
  readonly reportedBy: string | undefined
  /** Whether a refund is due or was sent. */
  readonly refund: "due" | "sent" | undefined
  /** Attempts to learn its outcome that failed. */
  readonly attempts: number
  readonly createdAt: Date
  readonly settledAt: Date | undefined
}

/** Selects a page of charges. */
export interface ChargeQuery {
  /** Charges in the page, above 0; default 50. */
  readonly limit?: number
  /** Only charges in this state. */
  readonly state?: ChargeState
  /** Only charges of this payer: an address, on EVM in any letter case. */
  readonly payer?: string
  /** Only charges that this transaction has settled. */
  readonly transaction?: string
  /** Only charges whose client named their payments so, by the extension `payment-identifier`. */
  readonly paymentId?: string
  /** The last charge of the previous page. */
  readonly before?: Pick<ChargeSummary, "createdAt" | "key">
}

/** Reads charges, and records refunds that were sent by other means. */
export class ChargeOperator extends Context.Service<
  ChargeOperator,
  {
    /** Finds a charge by its key. */
    readonly find: (key: string) => Effect.Effect<ChargeSummary | undefined, StoreError>
    /** Lists charges, newest first. */
    readonly list: (query?: ChargeQuery) => Effect.Effect<ReadonlyArray<ChargeSummary>, StoreError>
    /**
     * Records that a refund which was due has been sent by other means. `false` if none is due, if the transaction is
     * a payment's, or if the wallet may be sending it: it has started, and refunds have not been stopped for 90 minutes.
     */
    readonly recordRefund: (key: string, transaction: string) => Effect.Effect<boolean, StoreError>
  }
>()("@till402/core/ChargeOperator") {
  static readonly layer: Layer.Layer<ChargeOperator, never, Charges> = Layer.effect(
    ChargeOperator,
    Effect.map(Charges, (charges) => ({
      find: (key: string) =>
        Effect.map(charges.find(key), (charge) => (charge === undefined ? undefined : summaryOf(charge))),
      list: Effect.fnUntraced(function* ({
        before,
        limit = defaultLimit,
        state,
        ...whose
      }: ChargeQuery = {}) {
        if (before !== undefined) yield* checkBefore(before.createdAt, "charge")
        return yield* listInPages(limit, (size, last: ChargeQuery["before"] = before) =>
          Effect.map(
            charges.list({
              limit: size,
              ...(state === undefined ? {} : { state }),
              ...madeBy(whose),
              ...(last === undefined
                ? {}
                : { before: { createdAtMillis: last.createdAt.getTime(), key: last.key } })
            }),
            (found) => found.map(summaryOf)
          )
        )
      }),
      recordRefund: (key: string, transaction: string) =>
        Effect.map(recordManualRefund(charges, key, transaction), (recorded) => recorded === "Recorded")
    }))
  )
}

/** Whose charges, or which transaction's, as they are stored. */
export const madeBy = ({
  payer,
  paymentId,
  transaction
}: Pick<ChargeQuery, "payer" | "paymentId" | "transaction">): Omit<ChargesQuery, "limit" | "before"> => ({
  ...(paymentId === undefined ? {} : { paymentId }),
  ...(payer === undefined ? {} : { payer: plainHex(payer) }),
  ...(transaction === undefined ? {} : { transaction: plainHex(transaction) })
})

/** A charge as a host sees it. */
export const summaryOf = (charge: Charge): ChargeSummary => ({
  key: charge.key,
  operation: charge.operation,
  network: charge.network,
  payer: shownAddress(charge.payer),
  payTo: charge.payTo,
  paymentId: charge.paymentId === "" ? undefined : charge.paymentId,
  amountAtomic: BigInt(charge.amountAtomic),
  exposureAtomic: BigInt(charge.exposureAtomic),
  state: charge.state,
  transaction: charge.receipt?.transaction,
  reportedBy: charge.reportedBy,
  refund: charge.refund === undefined ? undefined : charge.refund._tag === "Due" ? "due" : "sent",
  attempts: charge.attempts,
  createdAt: new Date(charge.createdAtMillis),
  settledAt: charge.settledAtMillis === undefined ? undefined : new Date(charge.settledAtMillis)
})
