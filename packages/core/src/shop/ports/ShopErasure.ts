import { Effect, Layer } from "effect"
import { BackgroundWork, eraseOlder } from "../../runtime/BackgroundWork.ts"
import { Orders } from "./Orders.ts"
import { Quotes } from "./Quotes.ts"
import { VaultPurchases } from "./VaultPurchases.ts"

/**
 * Has quotes, and the personal data of orders and purchases, erased after their lifetimes: also those of routes that the
 * till no longer serves.
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
      const background = yield* BackgroundWork
      const quotes = yield* Quotes
      const orders = yield* Orders
      const purchases = yield* VaultPurchases
      yield* background.add({
        operation: "quotes.expire",
        run: eraseOlder(responseLifetimeMillis, (before, limit) => quotes.expire(before, limit))
      })
      yield* background.add({
        operation: "orders.forget",
        run: eraseOlder(personalDataLifetimeMillis, (before, limit) => orders.forget(before, limit))
      })
      yield* background.add({
        operation: "vaultPurchases.forget",
        run: eraseOlder(personalDataLifetimeMillis, (before, limit) => purchases.forget(before, limit))
      })
    })
  )
