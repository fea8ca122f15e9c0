import { Context, type Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import type { Subject } from "../../ports/Charges.ts"

/** Effects of a settlement on the subject of its charge, e.g. an order. Each may be called more than once. */
export class SettlementEffects extends Context.Service<
  SettlementEffects,
  {
    readonly settled: (subject: Subject) => Effect.Effect<void, StoreError>
    /** `chargeKey` is given if everything that its key holds is rolled back, and not only this subject. */
    readonly abandoned: (subject: Subject, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/SettlementEffects") {}
