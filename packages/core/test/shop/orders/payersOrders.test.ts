import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { ChangeFeed } from "../../../src/shop/orders/OrderChanges.ts"
import { OrderOperator } from "../../../src/shop/orders/OrderOperator.ts"
import { Orders } from "../../../src/shop/ports/Orders.ts"
import { chargesWithOne, paid } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleOrder, uuidOf } from "../../../../testing/src/stores/records.ts"

const payer = "0xone"
const count = 300

it("a payer's orders are read among what they bought, and not among all their calls", async () => {
  const { ids, later, read } = await Effect.gen(function* () {
    const charges = yield* Charges
    const orders = yield* Orders
    for (let number = 0; number < count; number++) {
      const createdAtMillis = 1_000 + number
      const key = `key-${number}`
      const id = uuidOf(number)
      // One order for every ten calls; every other one is placed.
      const isOrder = number % 10 === 0
      yield* chargesWithOne(
        "settled",
        { key, payer, createdAtMillis },
        {
          settlement: { ...paid, transferLogIndex: number },
          ...(isOrder ? { subject: { kind: "order", id } } : {})
        }
      )
      const status = number % 20 === 0 ? "placed" : "delivered"
      if (isOrder) yield* orders.create(sampleOrder({ id, chargeKey: key, createdAtMillis, status }))
    }
    let read = 0
    const counting = Layer.mergeAll(
      Layer.succeed(Charges, {
        ...charges,
        list: (query) =>
          Effect.tap(charges.list(query), ({ length }) => Effect.sync(() => void (read += length)))
      }),
      Layer.succeed(Orders, orders)
    )
    return yield* Effect.gen(function* () {
      const operator = yield* OrderOperator
      const page = { limit: 5, payer, status: "placed" } as const
      const first = yield* operator.list(page)
      const second = yield* operator.list({ ...page, limit: 50, before: first.at(-1)!.id })
      return { ids: first.map(({ id }) => id), later: second.map(({ id }) => id), read }
    }).pipe(Effect.provide(Layer.provide(OrderOperator.layer(new ChangeFeed()), counting)))
  }).pipe(Effect.provide(Layer.mergeAll(Charges.layerMemory, Orders.layerMemory)), Effect.runPromise)
  const placed = Array.from({ length: count / 20 }, (_, index) => uuidOf(count - 20 * (index + 1)))
  expect([...ids, ...later]).toEqual(placed)
  expect(ids).toHaveLength(5)
  // 20 for the first page, and the others for the second.
  expect(read).toBeLessThanOrEqual(50)
})
