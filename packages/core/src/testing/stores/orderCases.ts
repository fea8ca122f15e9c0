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
        ...sampleOrder().shippingAddress!,
        name: 'Zoë O\'Brien "Zo" 👩',
        line2: "c\\o %_",
        phone: "+1 555"
      },
      upstreamReference: "up-1",
      shipments: [
        { trackingNumber: '1Z"9' },
        { carrier: "UPS", trackingNumber: "2", trackingUrl: "https://ups.example/?n=2" }
      ],
      reason: "it's late",
      attempts: 3,
      stepAtMillis: undefined,
      mails: [{ kind: "shipped", attempts: 2, dueAtMillis: 7_000 }],
      dueAtMillis: 7_000,
      version: 4,
      updatedAtMillis: 2_000
    })
    const atRest = sampleOrder({
      id: uuidOf(3),
      status: "delivered",
      shippingAddress: undefined,
      email: undefined,
      stepAtMillis: undefined,
      dueAtMillis: undefined
    })
    for (const order of [sampleOrder(), ofStorefront, atRest]) {
      yield* orders.create(order)
      const found = yield* orders.find(order.id)
      equal(found, order, `order ${order.id}`)
    }
  }),
  storeCase("Orders: writing an order again changes nothing", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    yield* orders.replace(sampleOrder({ status: "processing", updatedAtMillis: 2_000 }))
    yield* orders.create(sampleOrder({ email: "eve@example.com" }))
    const found = yield* orders.find(id)
    equal(found, sampleOrder({ status: "processing", version: 2, updatedAtMillis: 2_000 }), "the order")
  }),
  storeCase("Orders: money of any size comes back as it was", function* () {
    const orders = yield* Orders
    for (const [number, atomic] of [0n, 1n, 10n ** 15n, 2n ** 63n].entries()) {
      const money = { atomic, currency: "USD" }
      const offer = {
        ...sampleOffer(),
        subtotal: money,
        tax: money,
        shipping: money,
        ...(number % 2 === 0 ? {} : { fee: money }),
        total: money
      }
      yield* orders.create(sampleOrder({ id: uuidOf(number), offer }))
      equal((yield* orders.find(uuidOf(number)))?.offer, offer, `the offer of ${atomic}`)
    }
  })
]

const moving: ReadonlyArray<StoreCase> = [
  storeCase("Orders: an order is replaced by who saw how it stands", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    const changed = sampleOrder({ status: "placed", upstreamReference: "up-1", updatedAtMillis: 2_000 })
    equal(yield* orders.replace({ ...changed, id: uuidOf(9) }), false, "an unknown order")
    equal(yield* orders.replace({ ...changed, version: 2 }), false, "a version that is none yet")
    equal(yield* orders.find(id), sampleOrder(), "the order before")
    equal(yield* orders.replace(changed), true, "the version that stands")
    equal(yield* orders.replace(changed), false, "once more")
    equal(yield* orders.find(id), { ...changed, version: 2 }, "the order after")
    equal(yield* orders.replace(sampleOrder({ version: 2 })), true, "the next version")
    equal(yield* orders.find(id), sampleOrder({ version: 3 }), "the order in the end")
  }),
  storeCase("Orders: what was agreed stays as it was created", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    const other = sampleOrder({
      chargeKey: "other",
      product: { source: "marketplace_a", asin: "B000000002", productUrl: undefined },
      offer: sampleOffer({ reference: "offer-2" }),
      email: undefined,
      shippingAddress: undefined,
      createdAtMillis: 9_000
    })
    equal(yield* orders.replace(other), true, "replaced")
    equal(yield* orders.find(id), sampleOrder({ version: 2 }), "the order")
  }),
  storeCase(`Orders: of ${racers} racers exactly one replaces an order`, function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ status: "processing" }))
    const outcomes = yield* race((racer) =>
      orders.replace(sampleOrder({ status: "placing", upstreamReference: `up-${racer}` }))
    )
    equal(wins(outcomes), 1, "racers that replaced it")
    equal((yield* orders.find(id))?.upstreamReference, `up-${outcomes.indexOf(true)}`, "who did")
  }),
  storeCase("Orders: an order is found by its name upstream", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ upstreamReference: "up-1" }))
    yield* orders.create(sampleOrder({ id: uuidOf(2), upstreamReference: "up-2" }))
    yield* orders.create(sampleOrder({ id: uuidOf(3) }))
    equal((yield* orders.findByReference("up-2"))?.id, uuidOf(2), "by its name")
    equal(yield* orders.findByReference("up-3"), undefined, "by a name that none has")
  })
]

/** Orders numbered from 0, due at 1000, 1001 and so on. */
const dueOrders = Effect.fnUntraced(function* (count: number) {
  const orders = yield* Orders
  for (let step = 0; step < count; step++) {
    const number = (step * 7) % count
    yield* orders.create(sampleOrder({ id: uuidOf(number), dueAtMillis: 1_000 + number }))
  }
  return orders
})

const working: ReadonlyArray<StoreCase> = [
  storeCase("Orders: those that are due are taken, the longest due first", function* () {
    const orders = yield* dueOrders(10)
    yield* orders.create(sampleOrder({ id: uuidOf(99), dueAtMillis: undefined }))
    equal(yield* orders.take(999, 9_000, 100), [], "before any is due")
    const first = yield* orders.take(1_005, 9_000, 3)
    equal(ids(first).toSorted(), [0, 1, 2].map(uuidOf), "the first three")
    const second = yield* orders.take(1_005, 9_000, 100)
    equal(ids(second).toSorted(), [3, 4, 5].map(uuidOf), "the others")
    equal(yield* orders.take(1_005, 9_000, 100), [], "once more")
    const third = yield* orders.take(8_999, 9_500, 2)
    equal(ids(third).toSorted(), [6, 7].map(uuidOf), "later ones")
    for (const order of third) equal(yield* orders.find(order.id), order, "what stands of one")
  }),
  storeCase("Orders: a taken order has a new version, and is due again later", function* () {
    const orders = yield* dueOrders(1)
    const [taken] = yield* orders.take(1_000, 9_000, 1)
    equal(taken, sampleOrder({ id: uuidOf(0), dueAtMillis: 9_000, version: 2 }), "what was taken")
    equal(yield* orders.find(uuidOf(0)), taken, "what stands")
    equal(yield* orders.replace(sampleOrder({ id: uuidOf(0) })), false, "replaced by who saw it before")
    equal((yield* orders.take(9_000, 12_000, 1))[0]?.version, 3, "taken again, as its worker died")
    equal(
      yield* orders.replace({ ...taken!, status: "placed" }),
      false,
      "replaced by the worker that was late"
    )
  }),
  storeCase(`Orders: ${racers} racers take each order once`, function* () {
    const orders = yield* dueOrders(30)
    const taken = (yield* race(() => orders.take(2_000, 9_000, 4))).flat()
    // Who meets rows that another is at work on may go without: they are not lost, others come for them.
    const rest = yield* orders.take(2_000, 9_000, 100)
    equal(
      [...ids(taken), ...ids(rest)].toSorted(),
      Array.from({ length: 30 }, (_, number) => uuidOf(number)),
      "what was taken"
    )
  }),
  storeCase("Orders: address and e-mail of orders at rest are forgotten", function* () {
    const orders = yield* Orders
    const rests = { dueAtMillis: undefined, stepAtMillis: undefined, updatedAtMillis: 1_999 }
    const at = (number: number, overrides: Partial<Order>) =>
      orders.create(sampleOrder({ id: uuidOf(number), ...overrides }))
    yield* at(1, { ...rests, status: "delivered" })
    yield* at(2, { ...rests, status: "delivered", updatedAtMillis: 2_000 })
    yield* at(3, { ...rests, status: "shipped", dueAtMillis: 9_000 })
    yield* at(4, { ...rests, status: "needs_operator" })
    yield* at(5, { ...rests, status: "refunded" })
    yield* at(6, { ...rests, status: "abandoned" })
    equal(yield* orders.forget(2_000, 2), 2, "two at most")
    equal(yield* orders.forget(2_000, 100), 1, "the one that was left")
    equal(yield* orders.forget(2_000, 100), 0, "once more")
    const known = (yield* orders.list({ limit: 100 })).filter(({ email }) => email !== undefined)
    equal(ids(known).toSorted(), [2, 3, 4].map(uuidOf), "those that are still known")
    const forgotten = sampleOrder({
      ...rests,
      status: "delivered",
      shippingAddress: undefined,
      email: undefined
    })
    equal(yield* orders.find(uuidOf(1)), forgotten, "an order that was forgotten")
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
  storeCase("Orders: a page before an unknown order is empty", function* () {
    const orders = yield* ordersWith(5, (number) => 1_000 + number)
    equal(yield* orders.list({ limit: 10, before: uuidOf(99) }), [], "before an unknown order")
    equal(yield* orders.list({ limit: 10, before: uuidOf(0) }), [], "before the oldest")
  })
]

/** What `Orders` promises. */
export const orderCases: ReadonlyArray<StoreCase> = [...keeping, ...moving, ...working, ...listing]
