import { Effect, Fiber, Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { ChangeFeed, OrderChanges } from "../../../src/shop/orders/OrderChanges.ts"
import { OrderLife } from "../../../src/shop/orders/OrderLife.ts"
import { workLeaseMillis } from "../../../src/shop/orders/OrderTimings.ts"
import { OrderMailing } from "../../../src/shop/orders/OrderMailing.ts"
import { OrderWorker } from "../../../src/shop/orders/OrderWorker.ts"
import { BackgroundWork } from "../../../src/runtime/BackgroundWork.ts"
import { Refunds } from "../../../src/refunds/Refunds.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { Fulfilment } from "../../../src/shop/ports/Fulfilment.ts"
import { type Mail, Mailer } from "../../../src/shop/ports/Mailer.ts"
import { type Order, Orders } from "../../../src/shop/ports/Orders.ts"
import { Quotes } from "../../../src/shop/ports/Quotes.ts"
import { sampleOrder, uuidOf } from "../../../../testing/src/stores/records.ts"
import { statusPages } from "./statusPages.ts"

const nowMillis = 1_800_000_000_000

/** A paid order, whose confirmation is to be sent. */
const paidOrder = (number: number, overrides: Partial<Order> = {}): Order =>
  sampleOrder({
    id: uuidOf(number),
    status: "processing",
    stepAtMillis: nowMillis,
    mails: [{ kind: "confirmed", attempts: 0, dueAtMillis: nowMillis }],
    dueAtMillis: nowMillis,
    createdAtMillis: nowMillis,
    updatedAtMillis: nowMillis,
    ...overrides
  })

interface Scene {
  readonly orders: Orders["Service"]
  readonly worker: OrderWorker["Service"]
  /** Orders that are placed, in turn, and when. */
  readonly placed: ReadonlyArray<readonly [string, number]>
  /** Calls of the mailer. */
  readonly mails: ReadonlyArray<Mail>
}

/** Runs a test with a mailer that responds at once, or not before the test has ended. */
const play = <A, E>(
  mailerIs: "responding" | "hanging",
  test: (scene: Scene) => Effect.Effect<A, E>
): Promise<A> => {
  const placed: Array<readonly [string, number]> = []
  const mails: Array<Mail> = []
  const ended = Promise.withResolvers<void>()
  const clock = TestClock.layer()
  const upstream = Layer.succeed(Fulfilment, {
    quote: () => Effect.die("no quote"),
    place: ({ orderId }) =>
      Effect.clockWith((current) =>
        Effect.map(Effect.andThen(Effect.sleep(100), current.currentTimeMillis), (at) => {
          placed.push([orderId, at - nowMillis])
          return { reference: `up-${orderId}` }
        })
      ),
    placesOnce: true,
    status: () => Effect.succeed({ status: "placed", shipments: [] })
  })
  const mailer = Mailer.layerPromise({
    send: (mail) => {
      mails.push(mail)
      return mailerIs === "hanging" ? ended.promise : Promise.resolve()
    }
  })
  const refunds = Layer.mock(Refunds, { isAutomatic: false })
  const feed = new ChangeFeed()
  const program = Effect.gen(function* () {
    yield* TestClock.setTime(nowMillis)
    const result = yield* test({ orders: yield* Orders, worker: yield* OrderWorker, placed, mails })
    ended.resolve()
    return result
  })
  return program.pipe(
    Effect.provide(
      OrderWorker.layer.pipe(
        Layer.provide(Layer.mergeAll(OrderLife.layer, OrderMailing.layer, refunds)),
        Layer.provide(
          Layer.mergeAll(OrderChanges.layer(feed), upstream, mailer, BackgroundWork.layer, statusPages)
        ),
        Layer.provideMerge(Layer.mergeAll(Orders.layerMemory, Charges.layerMemory, Quotes.layerMemory))
      )
    ),
    Effect.provide(Logger.layer([])),
    Effect.provide(clock),
    Effect.runPromise
  )
}

describe("a mailer that hangs", () => {
  it("holds up no order: 300 are placed as fast as with one that responds", async () => {
    const placedWith = (mailerIs: "responding" | "hanging") =>
      play(mailerIs, ({ orders, placed, worker }) =>
        Effect.gen(function* () {
          for (let number = 0; number < 300; number++) yield* orders.create(paidOrder(number))
          const run = yield* Effect.forkChild(worker.run)
          yield* TestClock.adjust(2_000)
          yield* Fiber.interrupt(run)
          return placed.length
        })
      )
    expect(await placedWith("responding")).toBe(300)
    expect(await placedWith("hanging")).toBe(300)
  })

  it("holds up no later step of an order whose mail it has", async () => {
    const outcome = await play("hanging", ({ orders, worker }) =>
      Effect.gen(function* () {
        yield* orders.create(paidOrder(1, { stepAtMillis: nowMillis + 2_000 }))
        const run = yield* Effect.forkChild(worker.run)
        yield* TestClock.adjust(2_500)
        const order = yield* orders.find(uuidOf(1))
        yield* Fiber.interrupt(run)
        return order?.status
      })
    )
    expect(outcome).toBe("placed")
  })

  it("gets a mail again that was not sent, and not more often than its backoff allows", async () => {
    const [calls, attempts] = await play("hanging", ({ mails, orders, worker }) =>
      Effect.gen(function* () {
        yield* orders.create(paidOrder(1))
        const run = yield* Effect.forkChild(worker.run)
        // Two deadlines of 20 seconds, and the first pause of 10.
        yield* TestClock.adjust(52_000)
        const order = yield* orders.find(uuidOf(1))
        yield* Fiber.interrupt(run)
        return [mails.length, order?.mails[0]?.attempts]
      })
    )
    expect([calls, attempts]).toEqual([2, 2])
  })
})

it("mails that find the queue full are sent later, each once", async () => {
  const keys = await play("responding", ({ mails, orders, worker }) =>
    Effect.gen(function* () {
      for (let number = 0; number < 600; number++) {
        yield* orders.create(paidOrder(number, { status: "delivered", stepAtMillis: undefined }))
      }
      const run = yield* Effect.forkChild(worker.run)
      yield* TestClock.adjust(workLeaseMillis)
      yield* Fiber.interrupt(run)
      return mails.map(({ idempotencyKey }) => idempotencyKey)
    })
  )
  expect(keys).toHaveLength(600)
  expect(new Set(keys).size).toBe(600)
})

it("a run ends once the mails of its orders are sent", async () => {
  const sent = await play("responding", ({ mails, orders, worker }) =>
    Effect.gen(function* () {
      yield* orders.create(paidOrder(1))
      const work = yield* Effect.forkChild(worker.work)
      yield* TestClock.adjust(200)
      yield* Fiber.join(work)
      return [mails.length, (yield* orders.find(uuidOf(1)))?.mails]
    })
  )
  expect(sent).toEqual([1, []])
})
