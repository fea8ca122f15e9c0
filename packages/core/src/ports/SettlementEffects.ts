import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { Subject } from "./Charge.ts"

/** What the settlement of a charge sets off for its subject. Each may be called more than once. */
export interface SettlementEffect {
  readonly settled: (id: string) => Effect.Effect<void, StoreError>
  /** `chargeKey` is given if everything that its key holds is rolled back, and not only this subject. */
  readonly abandoned: (id: string, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
}

/** The effects of settlements, by the kind of the charge's subject. What reserves subjects of a kind registers theirs. */
export class SettlementEffects extends Context.Service<
  SettlementEffects,
  {
    readonly add: (kind: string, effect: SettlementEffect) => Effect.Effect<void>
    /** Whether this till sells subjects of a kind. Otherwise another till of the same store does, or did. */
    readonly isKnown: (kind: string) => boolean
    /** Does nothing for an unknown kind. */
    readonly settled: (subject: Subject) => Effect.Effect<void, StoreError>
    /** Does nothing for an unknown kind. */
    readonly abandoned: (subject: Subject, chargeKey: string | undefined) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/SettlementEffects") {
  static readonly layer: Layer.Layer<SettlementEffects> = Layer.sync(SettlementEffects, () => {
    const effects = new Map<string, SettlementEffect>()
    return SettlementEffects.of({
      add: (kind, effect) => Effect.sync(() => void effects.set(kind, effect)),
      isKnown: (kind) => effects.has(kind),
      settled: ({ id, kind }) => Effect.suspend(() => effects.get(kind)?.settled(id) ?? Effect.void),
      abandoned: ({ id, kind }, chargeKey) =>
        Effect.suspend(() => effects.get(kind)?.abandoned(id, chargeKey) ?? Effect.void)
    })
  })
}
