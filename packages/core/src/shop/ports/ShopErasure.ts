import { type Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { BackgroundWork, eraseOlder } from "../../runtime/BackgroundWork.ts"
import { Orders } from "./Orders.ts"
import { Quotes } from "./Quotes.ts"
import { VaultPurchases } from "./VaultPurchases.ts"

/**
 * Has quotes, and the personal data of orders and purchases, erased after their lifetimes, in the stores that the storage
 * has: also those of routes that the till no longer serves.
 */
export const shopErasure = ({
  personalDataLifetimeMillis,
  responseLifetimeMillis
}: {
  readonly personalDataLifetimeMillis: number
  readonly responseLifetimeMillis: number
}) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      yield* eraseIn(Quotes, "quotes.expire", responseLifetimeMillis, (quotes) => quotes.expire)
      yield* eraseIn(Orders, "orders.forget", personalDataLifetimeMillis, (orders) => orders.forget)
      yield* eraseIn(
        VaultPurchases,
        "vaultPurchases.forget",
        personalDataLifetimeMillis,
        (purchases) => purchases.forget
      )
    })
  )

type Erase = (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>

const eraseIn = Effect.fnUntraced(function* <Id, Store>(
  key: Context.Key<Id, Store>,
  operation: string,
  lifetimeMillis: number,
  eraseOf: (store: Store) => Erase
) {
  const store = yield* Effect.serviceOption(key)
  if (store._tag === "None") return
  const background = yield* BackgroundWork
  yield* background.add({ operation, run: eraseOlder(lifetimeMillis, eraseOf(store.value)) })
})
