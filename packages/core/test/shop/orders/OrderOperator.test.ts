import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { ChangeFeed, OrderChanges } from "../../../src/shop/orders/OrderChanges.ts"
import type { OrderEvent } from "../../../src/shop/orders/OrderEvent.ts"
import { OrderLife } from "../../../src/shop/orders/OrderLife.ts"
import { advance } from "../../../src/shop/orders/OrderMachine.ts"
import { OrderOperator } from "../../../src/shop/orders/OrderOperator.ts"
import { OrderWorker } from "../../../src/shop/orders/OrderWorker.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { Fulfilment } from "../../../src/shop/ports/Fulfilment.ts"
import { type Order, Orders } from "../../../src/shop/ports/Orders.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"

const capabilities = { canFind: false, placesOnce: false, canReadStatus: false, canMail: false }

/** Parked, since nobody knows whether it was placed. */
const parked = sampleOrder({
  status: "needs_operator",
  reason: "placement_unknown",
  stepAtMillis: undefined,
  dueAtMillis: undefined
})

/** Runs an operator's command; another process changes the order between its first read and its first write. */
const race = (
  command: (operator: OrderOperator["Service"]) => Effect.Effect<unknown, unknown>,
  change: (orders: Orders["Service"]) => Effect.Effect<unknown, unknown>
) => {
  const racing = Layer.effect(
    Orders,
    Effect.gen(function* () {
      const orders = yield* Orders
      let isFirst = true
      return Orders.of({
        ...orders,
        replace: (order) =>
          Effect.suspend(() => {
            const before = isFirst ? Effect.orDie(change(orders)) : Effect.void
            isFirst = false
            return Effect.andThen(before, orders.replace(order))
          })
      })
    })
  ).pipe(Layer.provide(Orders.layerMemory))
  const feed = new ChangeFeed()
  const worker = Layer.succeed(OrderWorker, {
    wake: Effect.void,
    work: Effect.succeed(0),
    run: Effect.never
  })
  const upstream = Layer.succeed(Fulfilment, {
    quote: () => Effect.die("no quote"),
    place: () => Effect.die("no placement"),
    placesOnce: () => false,
    find: undefined,
    status: undefined
  })
  const operator = OrderOperator.layer(feed).pipe(
    Layer.provide(Layer.mergeAll(OrderLife.layer, worker)),
    Layer.provide(Layer.mergeAll(OrderChanges.layer(feed), upstream)),
    Layer.provideMerge(Layer.mergeAll(racing, Charges.layerMemory))
  )
  return Effect.gen(function* () {
    const orders = yield* Orders
    yield* orders.create(parked)
    const result = yield* command(yield* OrderOperator)
    return { result, order: yield* orders.find(parked.id) }
  }).pipe(Effect.provide(operator), Effect.runPromise)
}

/** Applies events to the stored order, a second apart. */
const apply = (...events: ReadonlyArray<OrderEvent>) =>
  Effect.fnUntraced(function* (orders: Orders["Service"]) {
    for (const [index, event] of events.entries()) {
      const order: Order = (yield* orders.find(parked.id))!
      const after = advance(order, event, capabilities, 2_000 + index * 1_000)!
      expect(yield* orders.replace(after), event._tag).toBe(true)
    }
  })

const commands: ReadonlyArray<
  readonly [string, string, (operator: OrderOperator["Service"]) => Effect.Effect<unknown, unknown>]
> = [
  ["retry", "processing", (operator) => operator.retry(parked.id)],
  ["resolution", "placed", (operator) => operator.resolve(parked.id, "upstream-9")],
  ["cancellation", "cancelled", (operator) => operator.cancel(parked.id)]
]

describe.each(commands)("a %s", (_, status, command) => {
  it("conflicts if the order was retried and parked again since the operator saw it", async () => {
    const { order, result } = await race(
      command,
      apply({ _tag: "Retried" }, { _tag: "PlacingBegun" }, { _tag: "PlacementUnclear" })
    )
    expect(result).toEqual({ outcome: "conflict", order: undefined })
    expect(order).toMatchObject({ status: "needs_operator", updatedAtMillis: 4_000, version: 4 })
  })

  it("is applied if only something beside the step has changed", async () => {
    const { order, result } = await race(command, (orders) => orders.replace(parked))
    expect(result).toMatchObject({ outcome: "done" })
    expect(order).toMatchObject({ status, version: 3 })
  })
})
