import { Context, Effect, Layer } from "effect"
import { type Charge, Charges } from "../../ports/Charges.ts"

type Listener = (charge: Charge) => void

/**
 * Notifies the limits of payments that count as paid no longer: their refund became due, or a reorganization undid
 * their settlement. Covers changes by this process; those of others are visible in the store.
 */
export class PaymentReversals extends Context.Service<
  PaymentReversals,
  { readonly subscribe: (listener: Listener) => void }
>()("@till402/core/PaymentReversals") {
  /** Provides the charges that it is given, with their reversals watched. */
  static readonly layer: Layer.Layer<Charges | PaymentReversals, never, Charges> = Layer.effectContext(
    Effect.gen(function* () {
      const charges = yield* Charges
      const listeners: Array<Listener> = []
      const notify = Effect.fnUntraced(function* (key: string) {
        const charge = yield* charges.find(key)
        if (charge !== undefined) for (const listener of listeners) listener(charge)
      })
      const watched = Charges.of({
        ...charges,
        markRefundDue: (key, nowMillis, owner) =>
          Effect.tap(charges.markRefundDue(key, nowMillis, owner), (isDue) =>
            isDue ? notify(key) : Effect.void
          ),
        reopen: (key, owner, nowMillis) =>
          Effect.tap(charges.reopen(key, owner, nowMillis), (isOpen) => (isOpen ? notify(key) : Effect.void))
      })
      const reversals = PaymentReversals.of({
        subscribe: (listener) => {
          listeners.push(listener)
        }
      })
      return Context.make(Charges, watched).pipe(Context.add(PaymentReversals, reversals))
    })
  )
}
