import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { ChangeFeed, type OrderChange, OrderChanges } from "../../../src/shop/orders/OrderChanges.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"

const change = (id: number): OrderChange => ({
  order: sampleOrder({ id: `order-${id}`, status: "placed" }),
  from: "placing"
})
const idsOf = async (changes: AsyncIterable<OrderChange>): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for await (const { order } of changes) ids.push(order.id)
  return ids
}

describe("a feed of changes", () => {
  it("gives each subscriber the changes since it subscribed, at its own pace, until the feed closes", async () => {
    const feed = new ChangeFeed()
    void feed.publish(change(0))
    const early = feed.subscribe()
    void feed.publish(change(1))
    const late = idsOf(feed.subscribe())
    void feed.publish(change(2))
    feed.close()
    assert.deepStrictEqual(await idsOf(early), ["order-1", "order-2"])
    assert.deepStrictEqual(await late, ["order-2"])
  })

  it("wakes a subscriber that waits", async () => {
    const feed = new ChangeFeed()
    const changes = feed.subscribe()
    const next = changes.next()
    void feed.publish(change(1))
    assert.strictEqual((await next).value?.order.id, "order-1")
    const end = changes.next()
    feed.close()
    assert.isTrue((await end).done)
  })

  it("drops the oldest of more than a thousand changes that wait", async () => {
    const feed = new ChangeFeed()
    const changes = feed.subscribe()
    for (let id = 0; id <= 1_000; id++) void feed.publish(change(id))
    feed.close()
    const ids = await idsOf(changes)
    assert.deepStrictEqual([ids.length, ids[0], ids.at(-1)], [1_000, "order-1", "order-1000"])
  })

  it("keeps nothing for a subscriber that has left", async () => {
    const feed = new ChangeFeed()
    const changes = feed.subscribe()
    void feed.publish(change(1))
    for await (const _ of changes) break
    void feed.publish(change(2))
    assert.isTrue((await changes.next()).done)
  })
})

describe("the listener to changes", () => {
  const publish = (listener: (change: OrderChange) => void | Promise<void>) =>
    Effect.gen(function* () {
      const events: Array<TillEvent> = []
      yield* Effect.provide(
        OrderChanges.use((changes) => changes.publish(change(1))).pipe(
          // Later changes are logged by the same logger.
          Effect.andThen(Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))),
          Effect.andThen(Effect.yieldNow)
        ),
        [
          OrderChanges.layer(new ChangeFeed(listener)),
          Logger.layer([eventLogger((event) => events.push(event))])
        ]
      )
      return events
    })

  it.live("gets each change", () =>
    Effect.gen(function* () {
      const heard: Array<string> = []
      const events = yield* publish(({ from, order }) => void heard.push(`${from} ${order.status}`))
      assert.deepStrictEqual([heard, events], [["placing placed"], []])
    })
  )

  it.live("may take its time: the order doesn't wait", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* publish(() => new Promise(() => {})), [])
    })
  )

  it.live.each([
    [
      "throws",
      () => {
        throw new TypeError("ada@example.com")
      }
    ],
    ["rejects", () => Promise.reject(new TypeError("ada@example.com"))]
  ] satisfies ReadonlyArray<[string, () => Promise<void>]>)(
    "that %s is reported, without its words",
    ([, listener]) =>
      Effect.gen(function* () {
        const events = yield* publish(listener)
        assert.deepStrictEqual(
          events.map(({ code, error, level }) => [level, code, error]),
          [["warning", "order_listener_failed", "TypeError"]]
        )
        assert.notInclude(JSON.stringify(events), "ada@")
      })
  )
})
