import { Effect } from "effect"
import type { OrderStatus } from "../../domain/Order.ts"
import { type Order, Orders } from "../../ports/Orders.ts"
import { sampleOffer, sampleOrder, uuidOf } from "./records.ts"
import { equal, race, racers, type StoreCase, storeCase, wins } from "./StoreCase.ts"

const { id } = sampleOrder()
const ids = (orders: ReadonlyArray<Order>) => orders.map((order) => order.id)

/** Orders numbered from 0, made in an order of their own; every third one is placed. */
const ordersWith = Effect.fnUntraced(function* (count: number, createdAtMillis: (number: number) => number) {
  const orders = yield* Orders
  for (let step = 0; step < count; step++) {
    const number = (step * 7) % count
    yield* orders.create(
      sampleOrder({
        id: uuidOf(number),
        status: number % 3 === 0 ? "placed" : "processing",
        createdAtMillis: createdAtMillis(number)
      })
    )
  }
  return orders
})

/** Walks all pages. */
const walk = Effect.fnUntraced(function* (limit: number, status?: OrderStatus) {
  const orders = yield* Orders
  const pages: Array<ReadonlyArray<Order>> = []
  for (let before: string | undefined; ; before = pages.at(-1)!.at(-1)!.id) {
    const page = yield* orders.list({
      limit,
      ...(status === undefined ? {} : { status }),
      ...(before === undefined ? {} : { before })
    })
    if (page.length === 0 || pages.length > 100) return ids(pages.flat())
    pages.push(page)
  }
})

const keeping: ReadonlyArray<StoreCase> = [
  storeCase("Orders: an order comes back as it was written", function* () {
    const orders = yield* Orders
    equal(yield* orders.find(id), undefined, "an unknown order")
    const ofStorefront = sampleOrder({
      id: uuidOf(2),
      status: "processing",
      product: {
        source: "marketplace_b",
        productUrl: "https://store.example/products/tote?variant=41",
        variantId: "41"
      },
      shippingAddress: {
        ...sampleOrder().shippingAddress,
        name: 'Zoë O\'Brien "Zo" 👩',
        line2: "c\\o %_",
        phone: "+1 555"
      },
      upstreamReference: "up-1",
      updatedAtMillis: 2_000
    })
    for (const order of [sampleOrder(), ofStorefront]) {
      yield* orders.create(order)
      const found = yield* orders.find(order.id)
      equal(found, order, `order ${order.id}`)
    }
  }),
  storeCase("Orders: writing an order again changes nothing", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    yield* orders.advance(id, { from: ["awaiting_payment"], to: "processing" }, 2_000)
    yield* orders.create(sampleOrder({ email: "eve@example.com" }))
    const found = yield* orders.find(id)
    equal(found, sampleOrder({ status: "processing", updatedAtMillis: 2_000 }), "the order")
  }),
  storeCase("Orders: money of any size comes back as it was", function* () {
    const orders = yield* Orders
    for (const [number, atomic] of [0n, 1n, 10n ** 15n, 2n ** 63n].entries()) {
      const money = { atomic, currency: "USD" }
      const offer = { ...sampleOffer(), subtotal: money, tax: money, shipping: money, total: money }
      yield* orders.create(sampleOrder({ id: uuidOf(number), offer }))
      equal((yield* orders.find(uuidOf(number)))?.offer, offer, `the offer of ${atomic}`)
    }
  })
]

const moving: ReadonlyArray<StoreCase> = [
  storeCase("Orders: an order moves on from the named states only", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    const to = "processing"
    equal(yield* orders.advance(uuidOf(9), { from: ["placed"], to }, 2_000), false, "an unknown order")
    equal(yield* orders.advance(id, { from: ["placed", "placing"], to }, 2_000), false, "from others")
    equal(yield* orders.advance(id, { from: [], to }, 2_000), false, "from none")
    equal(yield* orders.find(id), sampleOrder(), "the order before")
    const from = ["abandoned", "awaiting_payment"] as const
    equal(yield* orders.advance(id, { from, to }, 2_000), true, "from its own")
    equal(yield* orders.advance(id, { from, to }, 3_000), false, "once more")
    const moved = yield* orders.find(id)
    equal(moved, sampleOrder({ status: to, updatedAtMillis: 2_000 }), "the order after")
  }),
  storeCase("Orders: the upstream's reference stays once it is known", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ status: "placing" }))
    const placed = { from: ["placing"], to: "placed", upstreamReference: "up-1" } as const
    equal(yield* orders.advance(id, placed, 2_000), true, "placed")
    equal(yield* orders.advance(id, { from: ["placed"], to: "shipped" }, 3_000), true, "shipped")
    const shipped = sampleOrder({ status: "shipped", upstreamReference: "up-1", updatedAtMillis: 3_000 })
    equal(yield* orders.find(id), shipped, "the order")
  }),
  storeCase(`Orders: of ${racers} racers exactly one moves an order on`, function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ status: "processing" }))
    const outcomes = yield* race((racer) =>
      orders.advance(id, { from: ["processing"], to: "placing", upstreamReference: `up-${racer}` }, 2_000)
    )
    equal(wins(outcomes), 1, "racers that moved it")
    equal((yield* orders.find(id))?.upstreamReference, `up-${outcomes.indexOf(true)}`, "who did")
  })
]

const numbersDown = (count: number, when: (number: number) => boolean = () => true) =>
  Array.from({ length: count }, (_, index) => count - 1 - index)
    .filter(when)
    .map(uuidOf)

const listing: ReadonlyArray<StoreCase> = [
  storeCase("Orders: listed newest first, up to the limit", function* () {
    const orders = yield* ordersWith(10, (number) => 1_000 + number)
    equal(ids(yield* orders.list({ limit: 3 })), numbersDown(10).slice(0, 3), "the first three")
    equal(ids(yield* orders.list({ limit: 100 })), numbersDown(10), "all")
  }),
  storeCase("Orders: pages follow each other without gaps or repeats", function* () {
    yield* ordersWith(31, (number) => 1_000 + number)
    equal(yield* walk(4), numbersDown(31), "all pages")
  }),
  storeCase("Orders: also where many were made in the same millisecond", function* () {
    yield* ordersWith(31, (number) => 1_000 + Math.floor(number / 10))
    const walked = yield* walk(4)
    equal(walked.length, 31, "orders walked")
    equal(walked.toSorted(), numbersDown(31).toSorted(), "which")
  }),
  storeCase("Orders: listed by status", function* () {
    const orders = yield* ordersWith(20, (number) => 1_000 + number)
    const placed = numbersDown(20, (number) => number % 3 === 0)
    equal(ids(yield* orders.list({ limit: 100, status: "placed" })), placed, "placed")
    equal(yield* walk(2, "placed"), placed, "placed, in pages")
    equal(yield* orders.list({ limit: 100, status: "refunded" }), [], "refunded")
  }),
  storeCase("Orders: those that wait in a status, the longest unchanged first", function* () {
    const orders = yield* ordersWith(20, (number) => 1_000 + number)
    const placed = numbersDown(20, (number) => number % 3 === 0).toReversed()
    equal(ids(yield* orders.waiting("placed", 3)), placed.slice(0, 3), "the first three")
    equal(ids(yield* orders.waiting("placed", 100)), placed, "all")
    yield* orders.advance(placed[0]!, { from: ["placed"], to: "placed" }, 9_000)
    equal(ids(yield* orders.waiting("placed", 100)), [...placed.slice(1), placed[0]!], "after a change")
  }),
  storeCase("Orders: a page before an unknown order is empty", function* () {
    const orders = yield* ordersWith(5, (number) => 1_000 + number)
    equal(yield* orders.list({ limit: 10, before: uuidOf(99) }), [], "before an unknown order")
    equal(yield* orders.list({ limit: 10, before: uuidOf(0) }), [], "before the oldest")
  })
]

/** What `Orders` promises. */
export const orderCases: ReadonlyArray<StoreCase> = [...keeping, ...moving, ...listing]
