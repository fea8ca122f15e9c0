import { Effect } from "effect"
import { type Order, Orders, type OrderStatus } from "@till402/core/effect"
import { sampleOffer, sampleOrder, uuidOf } from "./records.ts"
import { expectEqual, race, racers, type StoreCase, storeCase, countTrue } from "./StoreCase.ts"

const { id } = sampleOrder()
const ids = (orders: ReadonlyArray<Order>) => orders.map((order) => order.id)

/** Orders numbered from 0, created in shuffled order; every third one is placed. */
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

/** Reads all pages. */
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

const keeping: ReadonlyArray<StoreCase<Orders>> = [
  storeCase("Orders: an order is stored unchanged", function* () {
    const orders = yield* Orders
    expectEqual(yield* orders.find(id), undefined, "an unknown order")
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
      updatedAtMillis: 2_000,
      timeline: [
        { status: "awaiting_payment", atMillis: 1_000 },
        { status: "processing", atMillis: 2_000 }
      ]
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
      expectEqual(found, order, `order ${order.id}`)
    }
  }),
  storeCase("Orders: creating an order again changes nothing", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    yield* orders.replace(sampleOrder({ status: "processing", updatedAtMillis: 2_000 }))
    yield* orders.create(sampleOrder({ email: "eve@example.com" }))
    const found = yield* orders.find(id)
    expectEqual(found, sampleOrder({ status: "processing", version: 2, updatedAtMillis: 2_000 }), "the order")
  }),
  storeCase("Orders: amounts of any size are stored unchanged", function* () {
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
      expectEqual((yield* orders.find(uuidOf(number)))?.offer, offer, `the offer of ${atomic}`)
    }
  })
]

const moving: ReadonlyArray<StoreCase<Orders>> = [
  storeCase("Orders: an order is replaced only with its current version", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder())
    const changed = sampleOrder({
      status: "placed",
      upstreamReference: "up-1",
      updatedAtMillis: 2_000,
      timeline: [...sampleOrder().timeline, { status: "placed", atMillis: 2_000 }]
    })
    expectEqual(yield* orders.replace({ ...changed, id: uuidOf(9) }), false, "an unknown order")
    expectEqual(yield* orders.replace({ ...changed, version: 2 }), false, "a version that is none yet")
    expectEqual(yield* orders.find(id), sampleOrder(), "the order before")
    expectEqual(yield* orders.replace(changed), true, "the version that stands")
    expectEqual(yield* orders.replace(changed), false, "again")
    expectEqual(yield* orders.find(id), { ...changed, version: 2 }, "the order after")
    expectEqual(yield* orders.replace(sampleOrder({ version: 2 })), true, "the next version")
    expectEqual(yield* orders.find(id), sampleOrder({ version: 3 }), "the final order")
  }),
  storeCase("Orders: agreed fields can't be replaced", function* () {
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
    expectEqual(yield* orders.replace(other), true, "replaced")
    expectEqual(yield* orders.find(id), sampleOrder({ version: 2 }), "the order")
  }),
  storeCase(`Orders: of ${racers} racers exactly one replaces an order`, function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ status: "processing" }))
    const outcomes = yield* race((racer) =>
      orders.replace(sampleOrder({ status: "placing", upstreamReference: `up-${racer}` }))
    )
    expectEqual(countTrue(outcomes), 1, "racers that replaced it")
    expectEqual(
      (yield* orders.find(id))?.upstreamReference,
      `up-${outcomes.indexOf(true)}`,
      "the stored order"
    )
  }),
  storeCase("Orders: an order is found by its upstream reference", function* () {
    const orders = yield* Orders
    yield* orders.create(sampleOrder({ upstreamReference: "up-1" }))
    yield* orders.create(sampleOrder({ id: uuidOf(2), upstreamReference: "up-2" }))
    yield* orders.create(sampleOrder({ id: uuidOf(3) }))
    const idOf = (reference: string, otherThan?: string) =>
      Effect.map(orders.findByReference(reference, otherThan), (found) => found?.id)
    expectEqual(yield* idOf("up-2"), uuidOf(2), "by its name")
    expectEqual(yield* idOf("up-3"), undefined, "by a name that none has")
    expectEqual(yield* idOf("up-2", uuidOf(2)), undefined, "another one by that name")
    expectEqual(yield* idOf("up-2", uuidOf(1)), uuidOf(2), "by its name, other than another one")
    yield* orders.create(sampleOrder({ id: uuidOf(4), upstreamReference: "up-2" }))
    expectEqual(yield* idOf("up-2", uuidOf(2)), uuidOf(4), "the second of that name")
    expectEqual(yield* idOf("up-2", uuidOf(4)), uuidOf(2), "the first of that name")
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

const working: ReadonlyArray<StoreCase<Orders>> = [
  storeCase("Orders: due ones are taken, longest due first", function* () {
    const orders = yield* dueOrders(10)
    yield* orders.create(sampleOrder({ id: uuidOf(99), dueAtMillis: undefined }))
    expectEqual(yield* orders.take(999, 9_000, 100), [], "before any is due")
    const first = yield* orders.take(1_005, 9_000, 3)
    expectEqual(ids(first).toSorted(), [0, 1, 2].map(uuidOf), "the first three")
    const second = yield* orders.take(1_005, 9_000, 100)
    expectEqual(ids(second).toSorted(), [3, 4, 5].map(uuidOf), "the others")
    expectEqual(yield* orders.take(1_005, 9_000, 100), [], "again")
    const third = yield* orders.take(8_999, 9_500, 2)
    expectEqual(ids(third).toSorted(), [6, 7].map(uuidOf), "later ones")
    for (const order of third) expectEqual(yield* orders.find(order.id), order, "the stored record")
  }),
  storeCase("Orders: the earliest due time is known, also one to come", function* () {
    const orders = yield* Orders
    expectEqual(yield* orders.earliestDue(), undefined, "without orders")
    yield* orders.create(sampleOrder({ id: uuidOf(99), dueAtMillis: undefined }))
    expectEqual(yield* orders.earliestDue(), undefined, "while nothing is due")
    yield* dueOrders(3)
    expectEqual(yield* orders.earliestDue(), 1_000, "of three")
    yield* orders.take(1_001, 9_000, 100)
    expectEqual(yield* orders.earliestDue(), 1_002, "once two of them are taken")
    yield* orders.take(1_002, 9_500, 100)
    expectEqual(yield* orders.earliestDue(), 9_000, "once all are taken")
  }),
  storeCase("Orders: a taken order has a new version and is due again later", function* () {
    const orders = yield* dueOrders(1)
    const [taken] = yield* orders.take(1_000, 9_000, 1)
    expectEqual(taken, sampleOrder({ id: uuidOf(0), dueAtMillis: 9_000, version: 2 }), "the records taken")
    expectEqual(yield* orders.find(uuidOf(0)), taken, "the stored record")
    expectEqual(yield* orders.replace(sampleOrder({ id: uuidOf(0) })), false, "replaced with an old version")
    expectEqual((yield* orders.take(9_000, 12_000, 1))[0]?.version, 3, "taken again, as its worker died")
    expectEqual(
      yield* orders.replace({ ...taken!, status: "placed" }),
      false,
      "replaced by the worker that was late"
    )
  }),
  storeCase(`Orders: ${racers} racers take each order once`, function* () {
    const orders = yield* dueOrders(30)
    const taken = (yield* race(() => orders.take(2_000, 9_000, 4))).flat()
    // A racer may skip rows that another one has locked; later takes return them.
    const rest = yield* orders.take(2_000, 9_000, 100)
    expectEqual(
      [...ids(taken), ...ids(rest)].toSorted(),
      Array.from({ length: 30 }, (_, number) => uuidOf(number)),
      "the records taken"
    )
  }),
  storeCase("Orders: address and email of finished orders are erased", function* () {
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
    expectEqual(yield* orders.forget(2_000, 2), 2, "two at most")
    expectEqual(yield* orders.forget(2_000, 100), 1, "the one that was left")
    expectEqual(yield* orders.forget(2_000, 100), 0, "again")
    const known = (yield* orders.list({ limit: 100 })).filter(({ email }) => email !== undefined)
    expectEqual(ids(known).toSorted(), [2, 3, 4].map(uuidOf), "addresses that remain")
    const forgotten = sampleOrder({
      ...rests,
      status: "delivered",
      shippingAddress: undefined,
      email: undefined
    })
    expectEqual(yield* orders.find(uuidOf(1)), forgotten, "an order that was forgotten")
  })
]

const numbersDown = (count: number, when: (number: number) => boolean = () => true) =>
  Array.from({ length: count }, (_, index) => count - 1 - index)
    .filter(when)
    .map(uuidOf)

const listing: ReadonlyArray<StoreCase<Orders>> = [
  storeCase("Orders: list returns the newest first, up to the limit", function* () {
    const orders = yield* ordersWith(10, (number) => 1_000 + number)
    expectEqual(ids(yield* orders.list({ limit: 3 })), numbersDown(10).slice(0, 3), "the first three")
    expectEqual(ids(yield* orders.list({ limit: 100 })), numbersDown(10), "all")
  }),
  storeCase("Orders: pages have no gaps and no repeats", function* () {
    yield* ordersWith(31, (number) => 1_000 + number)
    expectEqual(yield* walk(4), numbersDown(31), "all pages")
  }),
  storeCase("Orders: pages work for records of the same millisecond", function* () {
    yield* ordersWith(31, (number) => 1_000 + Math.floor(number / 10))
    const walked = yield* walk(4)
    expectEqual(walked.length, 31, "orders walked")
    expectEqual(walked.toSorted(), numbersDown(31).toSorted(), "which")
  }),
  storeCase("Orders: list filters by status", function* () {
    const orders = yield* ordersWith(20, (number) => 1_000 + number)
    const placed = numbersDown(20, (number) => number % 3 === 0)
    expectEqual(ids(yield* orders.list({ limit: 100, status: "placed" })), placed, "placed")
    expectEqual(yield* walk(2, "placed"), placed, "placed, in pages")
    expectEqual(yield* orders.list({ limit: 100, status: "refunded" }), [], "refunded")
  }),
  storeCase("Orders: list filters by email, until it is erased, and by item", function* () {
    const orders = yield* Orders
    const storefront = { source: "marketplace_b", productUrl: "https://a.example/p", variantId: "1" } as const
    const add = (number: number, changes: Partial<Order>) =>
      orders.create(sampleOrder({ id: uuidOf(number), createdAtMillis: 1_000 + number, ...changes }))
    yield* add(1, {})
    yield* add(2, { email: "grace@example.com" })
    yield* add(3, { product: storefront, status: "delivered", dueAtMillis: undefined })
    const listed = (query: Omit<Parameters<typeof orders.list>[0], "limit">) =>
      Effect.map(orders.list({ limit: 9, ...query }), ids)
    expectEqual(yield* listed({ email: "ada@example.com" }), [3, 1].map(uuidOf), "of an email")
    expectEqual(yield* listed({ email: "ada@example.com", before: uuidOf(3) }), [uuidOf(1)], "the next page")
    expectEqual(yield* listed({ email: "ADA@Example.com" }), [3, 1].map(uuidOf), "in another letter case")
    expectEqual(yield* listed({ email: "ada" }), [], "of a part of an email")
    expectEqual(yield* listed({ item: "B000000001" }), [2, 1].map(uuidOf), "of a code")
    expectEqual(yield* listed({ item: "https://a.example/p" }), [uuidOf(3)], "of a page")
    expectEqual(
      yield* listed({ item: "B000000001", email: "ada@example.com", status: "awaiting_payment" }),
      [uuidOf(1)],
      "of all three"
    )
    const named = [1, 3, 99].map(uuidOf)
    expectEqual(yield* listed({ ids: named }), [3, 1].map(uuidOf), "of ids")
    expectEqual(yield* listed({ ids: named, status: "delivered" }), [uuidOf(3)], "of ids and a status")
    expectEqual(yield* listed({ ids: [] }), [], "of no ids")
    yield* orders.forget(1e15, 9)
    expectEqual(yield* listed({ email: "ada@example.com" }), [uuidOf(1)], "of an email that was erased")
  }),
  storeCase("Orders: a page before an unknown order is empty", function* () {
    const orders = yield* ordersWith(5, (number) => 1_000 + number)
    expectEqual(yield* orders.list({ limit: 10, before: uuidOf(99) }), [], "before an unknown order")
    expectEqual(yield* orders.list({ limit: 10, before: uuidOf(0) }), [], "before the oldest")
  })
]

/** Contract of `Orders`. */
export const orderCases: ReadonlyArray<StoreCase<Orders>> = [...keeping, ...moving, ...working, ...listing]
