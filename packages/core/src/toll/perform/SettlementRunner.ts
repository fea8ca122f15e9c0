import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { Charges } from "../../ports/Charges.ts"
import { PaymentEvents } from "../../runtime/PaymentEvents.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import { Chain } from "../evidence/Chain.ts"
import { Facilitator } from "../facilitator/Facilitator.ts"
import type { ChargeEvent, SettlementStep } from "../machine/ChargeStep.ts"
import type { ChargeLease, HeldCharge } from "../attempt/HeldCharge.ts"
import { type ReconcileOptions, Reconciler, type Reconciliation } from "./Reconciler.ts"
import { SettlementEffects } from "../../ports/SettlementEffects.ts"
import { type SettlementConfig, SettlementPerformer, type Takeover } from "./SettlementPerformer.ts"

/**
 * Performs the steps under a lease that the reconciler shares with calls: settles, and finds out whether money moved.
 */
export class SettlementRunner extends Context.Service<
  SettlementRunner,
  {
    /** Takes over a charge whose lease has expired; `undefined`: another process was first. */
    readonly takeOver: (lease: ChargeLease) => Effect.Effect<Takeover | undefined, StoreError>
    /** Performs a step under a charge's lease. */
    readonly perform: (step: SettlementStep, held: HeldCharge) => Effect.Effect<ChargeEvent, StoreError>
    /** Finishes charges whose process died, and checks those that are watched. */
    readonly reconcile: (options: ReconcileOptions) => Effect.Effect<Reconciliation, StoreError>
  }
>()("@till402/core/SettlementRunner") {
  static readonly layer = (config: SettlementConfig) =>
    Layer.effect(
      SettlementRunner,
      Effect.gen(function* () {
        const charges = yield* Charges
        const chain = yield* Chain
        const facilitator = yield* Facilitator
        const secrets = yield* Secrets
        const effects = yield* SettlementEffects
        const payments = yield* PaymentEvents
        const services = { charges, chain, facilitator, secrets, effects, payments }
        const performer = new SettlementPerformer(services, config)
        const reconciler = new Reconciler({ charges, chain, performer }, config)
        return SettlementRunner.of({
          takeOver: (lease) => performer.takeOver(lease),
          perform: (step, held) => performer.perform(step, held),
          reconcile: (options) => reconciler.reconcile(options)
        })
      })
    )
}
