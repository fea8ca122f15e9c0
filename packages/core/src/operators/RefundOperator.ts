import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { shownAddress } from "../domain/EvmAddress.ts"
import { type Charge, Charges, type Subject } from "../ports/Charges.ts"
import { defaultLimit, listInPages } from "./listInPages.ts"
import { checkBefore } from "./OperatorInput.ts"
import { resumeRefunds, stopRefunds } from "../refunds/RefundGuard.ts"

/** Whether refunds are stopped, why and since when. */
export interface RefundStatus {
  readonly stopped:
    | {
        /** A `RefundStopReason` of the till, or an operator's text. */
        readonly reason: string
        readonly at: Date
      }
    | undefined
}

/** A refund that is due and not sent yet. */
export interface DueRefund {
  /** Names the payment: `chain:asset:payer:nonce`. Record a refund that you sent under it. */
  readonly chargeKey: string
  /** What the payment bought besides a response, e.g. `{ kind: "order", id }`. */
  readonly subject: Subject | undefined
  /** The id of the operation that was paid for. */
  readonly operation: string
  /** CAIP-2: send the refund on this network. */
  readonly network: string
  /** Address of the stablecoin's contract. */
  readonly asset: string
  /** Address that paid, on EVM checksummed: send the refund to it. */
  readonly payer: string
  /** Atomic units of the stablecoin. */
  readonly amountAtomic: bigint
  /** Hash of the transaction that paid. */
  readonly transaction: string | undefined
  /** Whether the refund wallet may be sending it: then stop refunds before you send it yourself. */
  readonly isStarted: boolean
  /** When the charge was created. */
  readonly createdAt: Date
}

/** Selects a page of the refunds that are due. */
export interface DueRefundQuery {
  /** Refunds in the page, above 0; default 50. */
  readonly limit?: number
  /** The last refund of the previous page. */
  readonly before?: Pick<DueRefund, "createdAt" | "chargeKey">
}

/** A refund as a host sees it. */
const dueRefundOf = (charge: Charge): DueRefund => ({
  chargeKey: charge.key,
  subject: charge.subject,
  operation: charge.operation,
  network: charge.network,
  asset: charge.asset,
  payer: shownAddress(charge.payer),
  amountAtomic: BigInt(charge.amountAtomic),
  transaction: charge.receipt?.transaction,
  isStarted: charge.refund?._tag === "Due" && charge.refund.startedAtMillis !== undefined,
  createdAt: new Date(charge.createdAtMillis)
})

/** Stops and resumes automatic refunds. The till stops them itself if ledger and chain contradict each other. */
export class RefundOperator extends Context.Service<
  RefundOperator,
  {
    readonly status: Effect.Effect<RefundStatus, StoreError>
    /** Lists the refunds that are due and not sent yet, newest payment first. */
    readonly due: (query?: DueRefundQuery) => Effect.Effect<ReadonlyArray<DueRefund>, StoreError>
    /** Stops refunds in every process until they are resumed; `false` if they were already stopped. */
    readonly stop: (reason: string) => Effect.Effect<boolean, StoreError>
    /** Resumes refunds; `false` if they were not stopped. */
    readonly resume: Effect.Effect<boolean, StoreError>
  }
>()("@till402/core/RefundOperator") {
  static readonly layer: Layer.Layer<RefundOperator, never, Charges> = Layer.effect(
    RefundOperator,
    Effect.map(Charges, (charges) => ({
      status: Effect.map(
        Effect.suspend(() => charges.refundStop()),
        (stop) => ({
          stopped: stop === undefined ? undefined : { reason: stop.reason, at: new Date(stop.atMillis) }
        })
      ),
      due: Effect.fnUntraced(function* ({ before, limit = defaultLimit }: DueRefundQuery = {}) {
        if (before !== undefined) yield* checkBefore(before.createdAt, "refund")
        return yield* listInPages(limit, (size, last: DueRefundQuery["before"] = before) =>
          Effect.map(
            charges.list({
              isRefundDue: true,
              limit: size,
              ...(last === undefined
                ? {}
                : { before: { createdAtMillis: last.createdAt.getTime(), key: last.chargeKey } })
            }),
            (found) => found.map(dueRefundOf)
          )
        )
      }),
      stop: (reason: string) => Effect.provideService(stopRefunds(reason), Charges, charges),
      resume: Effect.provideService(resumeRefunds, Charges, charges)
    }))
  )
}
