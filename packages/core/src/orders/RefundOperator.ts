import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { Charges } from "../ports/Charges.ts"
import { resumeRefunds, stopRefunds } from "./RefundGuard.ts"

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

/** Stops and resumes automatic refunds. The till stops them itself if ledger and chain contradict each other. */
export class RefundOperator extends Context.Service<
  RefundOperator,
  {
    readonly status: Effect.Effect<RefundStatus, StoreError>
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
      stop: (reason: string) => Effect.provideService(stopRefunds(reason), Charges, charges),
      resume: Effect.provideService(resumeRefunds, Charges, charges)
    }))
  )
}
