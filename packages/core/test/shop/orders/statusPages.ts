import { Effect, Layer } from "effect"
import { StatusPages } from "../../../src/ports/StatusPages.ts"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import { orderStatusPages } from "../../../src/shop/orders/OrderStatusPage.ts"

export const statusRoot = "https://shop.example/x402-status"

/** The status pages of orders, of which there are none. */
export const statusPages = Layer.effectDiscard(
  StatusPages.use((pages) => pages.add(orderStatusPages({ find: () => Effect.undefined })))
).pipe(
  Layer.provideMerge(StatusPages.layer(statusRoot)),
  Layer.provide(Secrets.layer([{ id: "1", secret: "the secret of a test" }]))
)
