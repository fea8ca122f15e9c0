import { describe, expect, it } from "vitest"
import type { OrderStatus } from "../../src/domain/Order.ts"
import * as OrderTimings from "../../src/orders/OrderTimings.ts"
import { advance, newOrder } from "../../src/orders/OrderMachine.ts"
import type { OrderEvent } from "../../src/orders/OrderEvent.ts"
import { type Capabilities, nextStep } from "../../src/orders/OrderStep.ts"
import type { Order } from "../../src/ports/Orders.ts"
import { sampleOrder } from "../../src/testing/stores/records.ts"

const now = 1_000_000_000
const able: Capabilities = { canFind: true, placesOnce: false, canReadStatus: true, canMail: true }
const unable: Capabilities = { canFind: false, placesOnce: false, canReadStatus: false, canMail: false }

const orderIn = (status: OrderStatus, overrides: Partial<Order> = {}): Order =>
  sampleOrder({
    status,
    createdAtMillis: now,
    updatedAtMillis: now,
    stepAtMillis: now,
    dueAtMillis: now,
    ...overrides
  })

const after = (order: Order, event: OrderEvent, capabilities = able, nowMillis = now): Order => {
  const next = advance(order, event, capabilities, nowMillis)
  if (next === undefined) throw new Error(`${event._tag} means nothing to ${order.status}`)
  return next
}

/** One event of each kind. */
const events: ReadonlyArray<OrderEvent> = [
  { _tag: "PaymentSettled" },
  { _tag: "PaymentFailed" },
  { _tag: "PaymentPending" },
  { _tag: "PlacingBegun" },
  { _tag: "Placed", reference: "up-1" },
  { _tag: "PlacementRefused", reason: "out_of_stock" },
  { _tag: "NotPlaced", retryAfterMillis: undefined },
  { _tag: "PlacementUnclear" },
  { _tag: "Progressed", progress: { status: "shipped", shipments: [] } },
  { _tag: "Progressed", progress: { status: "failed", shipments: [] } },
  { _tag: "Untracked" },
  { _tag: "StatusUnknown" },
  { _tag: "RefundDue" },
  { _tag: "NoRefundDue" },
  { _tag: "RefundPending" },
  { _tag: "Refunded" },
  { _tag: "MailSent", kind: "confirmed" },
  { _tag: "MailFailed", kind: "confirmed", isFinal: false },
  { _tag: "Retried" },
  { _tag: "Resolved", reference: "up-1" },
  { _tag: "Cancelled", reason: "seller" },
  { _tag: "StepRequested" }
]

/** Where each status may lead; what is not written here must be impossible. */
const edges: Readonly<Record<OrderStatus, ReadonlyArray<OrderStatus>>> = {
  awaiting_payment: ["processing", "abandoned"],
  abandoned: ["processing"],
  processing: ["placing", "cancelled", "needs_operator"],
  placing: ["placed", "failed", "processing", "needs_operator"],
  placed: ["shipped", "delivered", "failed", "cancelled", "needs_operator"],
  shipped: ["delivered", "failed", "cancelled", "needs_operator"],
  delivered: [],
  failed: ["refund_due", "abandoned"],
  cancelled: ["refund_due", "abandoned"],
  needs_operator: ["processing", "placed", "cancelled"],
  refund_due: ["refunded"],
  refunded: []
}

describe("the life of an order", () => {
  const everything = [able, unable, { ...unable, placesOnce: true }]
  it.each(Object.keys(edges) as ReadonlyArray<OrderStatus>)("leads from %s nowhere else", (status) => {
    const reached = new Set<OrderStatus>()
    for (const capabilities of everything) {
      for (const event of events) {
        for (const age of [
          0,
          2 * OrderTimings.placingTimeoutMillis,
          2 * OrderTimings.trackingTimeoutMillis
        ]) {
          const next = advance(orderIn(status), event, capabilities, now + age)
          if (next !== undefined && next.status !== status) reached.add(next.status)
        }
      }
    }
    for (const to of reached) expect(edges[status]).toContain(to)
  })

  it("never lets an order that is not at rest be forgotten by all workers", () => {
    const waitsForSomebody: ReadonlyArray<OrderStatus> = [
      "needs_operator",
      "abandoned",
      "delivered",
      "refunded"
    ]
    for (const status of Object.keys(edges) as ReadonlyArray<OrderStatus>) {
      for (const capabilities of everything) {
        for (const event of events) {
          const next = advance(orderIn(status), event, capabilities, now)
          if (next === undefined || waitsForSomebody.includes(next.status)) continue
          if (nextStep(next, capabilities) === undefined || event._tag === "Untracked") continue
          expect(next.dueAtMillis, `${status}, ${event._tag}`).toBeDefined()
        }
      }
    }
  })

  it("begins with a payment to be waited for", () => {
    const { chargeKey, email, id, offer, product, shippingAddress } = sampleOrder()
    const told = { chargeKey, email, id, offer, product, shippingAddress }
    expect(newOrder(told, now)).toEqual({
      ...told,
      status: "awaiting_payment",
      upstreamReference: undefined,
      shipments: [],
      reason: undefined,
      attempts: 0,
      mails: [],
      version: 1,
      stepAtMillis: now + OrderTimings.paymentLifetimeMillis,
      dueAtMillis: now + OrderTimings.paymentLifetimeMillis,
      createdAtMillis: now,
      updatedAtMillis: now
    })
  })
})

/** An order with a past, so that whatever an event changes or leaves alone can be seen. */
const veteran = (status: OrderStatus, overrides: Partial<Order> = {}): Order =>
  orderIn(status, {
    attempts: 3,
    reason: "earlier",
    upstreamReference: "up-0",
    updatedAtMillis: now - 1_000,
    stepAtMillis: now - 1,
    dueAtMillis: now - 1,
    ...overrides
  })

/** What an event changes: a new status, whose step is due after so long. */
const enters = (
  status: OrderStatus,
  stepIn: number | undefined,
  more: Partial<Order> = {}
): Partial<Order> => {
  const stepAtMillis = stepIn === undefined ? undefined : now + stepIn
  const dueAtMillis = stepAtMillis
  return {
    status,
    attempts: 0,
    reason: undefined,
    updatedAtMillis: now,
    stepAtMillis,
    dueAtMillis,
    ...more
  }
}

/** The step that is due, once more after so long. */
const retries = (pauseMillis: number): Partial<Order> => ({
  attempts: 4,
  stepAtMillis: now + pauseMillis,
  dueAtMillis: now + pauseMillis
})

const mailed = (kind: Order["mails"][number]["kind"]): Partial<Order> => ({
  mails: [{ kind, attempts: 0, dueAtMillis: now }],
  dueAtMillis: now
})

type Effects = Partial<Record<OrderStatus, Partial<Order>>>

/** What each event does to an order in each status; in a status that is not written here it does nothing. */
const effects: ReadonlyArray<readonly [OrderEvent, Effects]> = [
  [
    { _tag: "PaymentSettled" },
    {
      awaiting_payment: enters("processing", 0, mailed("confirmed")),
      abandoned: enters("processing", 0, mailed("confirmed"))
    }
  ],
  [
    { _tag: "PaymentFailed" },
    {
      awaiting_payment: enters("abandoned", undefined),
      // It had settled, and a reorganization undid that.
      ...Object.fromEntries(
        ["processing", "placing", "placed", "shipped"].map((status) => [
          status,
          enters("needs_operator", undefined, { reason: "payment_reversed" })
        ])
      )
    }
  ],
  [{ _tag: "PaymentPending" }, { awaiting_payment: retries(OrderTimings.paymentCheckMillis) }],
  [
    { _tag: "PlacingBegun" },
    {
      processing: enters("placing", OrderTimings.leaseMillis, { attempts: 3 }),
      placing: enters("placing", OrderTimings.leaseMillis, { attempts: 3, updatedAtMillis: now - 1_000 })
    }
  ],
  [
    { _tag: "Placed", reference: "up-1" },
    {
      placing: enters("placed", 15_000, { upstreamReference: "up-1" }),
      needs_operator: enters("placed", 15_000, { upstreamReference: "up-1" })
    }
  ],
  [
    { _tag: "PlacementRefused", reason: "out_of_stock" },
    { placing: enters("failed", 0, { reason: "out_of_stock" }) }
  ],
  [
    { _tag: "NotPlaced", retryAfterMillis: undefined },
    { placing: enters("processing", 16_000, { attempts: 4 }) }
  ],
  [{ _tag: "PlacementUnclear" }, { placing: retries(16_000) }],
  [
    { _tag: "Progressed", progress: { status: "delivered", shipments: [] } },
    { placed: enters("delivered", undefined), shipped: enters("delivered", undefined) }
  ],
  [
    { _tag: "Progressed", progress: { status: "failed", shipments: [] } },
    {
      placed: enters("failed", 0, { reason: "failed" }),
      shipped: enters("failed", 0, { reason: "failed" })
    }
  ],
  [
    { _tag: "Progressed", progress: { status: "cancelled", reason: "seller", shipments: [] } },
    {
      placed: enters("cancelled", 0, { reason: "seller" }),
      shipped: enters("cancelled", 0, { reason: "seller" })
    }
  ],
  [
    { _tag: "Untracked" },
    {
      placed: { attempts: 0, stepAtMillis: undefined, dueAtMillis: undefined },
      shipped: { attempts: 0, stepAtMillis: undefined, dueAtMillis: undefined }
    }
  ],
  [{ _tag: "StatusUnknown" }, { placed: retries(120_000), shipped: retries(120_000) }],
  [
    { _tag: "RefundDue" },
    {
      failed: enters("refund_due", 0, { reason: "earlier" }),
      cancelled: enters("refund_due", 0, { reason: "earlier" })
    }
  ],
  [
    { _tag: "NoRefundDue" },
    {
      failed: enters("abandoned", undefined, { reason: "earlier" }),
      cancelled: enters("abandoned", undefined, { reason: "earlier" })
    }
  ],
  [
    { _tag: "RefundPending" },
    { refund_due: retries(40_000), failed: retries(40_000), cancelled: retries(40_000) }
  ],
  [
    { _tag: "Refunded" },
    { refund_due: enters("refunded", undefined, { reason: "earlier", ...mailed("refunded") }) }
  ],
  [{ _tag: "MailSent", kind: "confirmed" }, {}],
  [{ _tag: "MailFailed", kind: "confirmed", isFinal: false }, {}],
  [{ _tag: "Retried" }, {}],
  [
    { _tag: "Resolved", reference: "up-1" },
    { needs_operator: enters("placed", 15_000, { upstreamReference: "up-1" }) }
  ],
  [
    { _tag: "Cancelled", reason: "seller" },
    {
      processing: enters("cancelled", 0, { reason: "seller" }),
      needs_operator: enters("cancelled", 0, { reason: "seller" }),
      placed: enters("cancelled", 0, { reason: "seller" }),
      shipped: enters("cancelled", 0, { reason: "seller" })
    }
  ],
  [
    { _tag: "StepRequested" },
    Object.fromEntries(
      ["processing", "placed", "shipped", "failed", "cancelled", "refund_due"].map((status) => [
        status,
        { stepAtMillis: now, dueAtMillis: now }
      ])
    )
  ]
]

describe("an event", () => {
  const nameOf = (event: OrderEvent): string =>
    event._tag === "Progressed" ? `Progressed to ${event.progress.status}` : event._tag
  const cases = effects.flatMap(([event, effect]) =>
    Object.keys(edges).map((status) => [nameOf(event), status as OrderStatus, event, effect] as const)
  )
  it.each(cases)(
    "%s changes an order that is %s as written, and nothing else of it",
    (_, status, event, effect) => {
      const order = veteran(status)
      const changes = effect[status]
      expect(advance(order, event, able, now)).toEqual(
        changes === undefined ? undefined : { ...order, ...changes }
      )
    }
  )

  it("has a row for each kind", () => {
    const kinds = new Set(effects.map(([{ _tag }]) => _tag))
    for (const { _tag } of events) expect(kinds).toContain(_tag)
  })
})

describe("an order whose status upstream can't report", () => {
  it("stays placed, without a step", () => {
    for (const status of ["placed", "shipped"] as const) {
      expect(advance(veteran(status), { _tag: "StepRequested" }, unable, now)).toBeUndefined()
    }
    const placed = after(veteran("placing"), { _tag: "Placed", reference: "up-1" }, unable)
    expect(placed).toMatchObject({ status: "placed", stepAtMillis: undefined, dueAtMillis: undefined })
  })
})

describe("placing", () => {
  it("keeps the order for its worker, whatever mail is due", () => {
    const paid = after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" })
    expect(paid).toMatchObject({ status: "processing", dueAtMillis: now })
    expect(paid.mails).toEqual([{ kind: "confirmed", attempts: 0, dueAtMillis: now }])
    const placing = after(paid, { _tag: "PlacingBegun" })
    expect(placing).toMatchObject({ status: "placing", dueAtMillis: now + OrderTimings.leaseMillis })
    expect(placing.mails).toEqual(paid.mails)
  })

  it("parks at once what is unclear where nobody can tell", () => {
    const parked = after(orderIn("placing"), { _tag: "PlacementUnclear" }, unable)
    expect(parked).toMatchObject({
      status: "needs_operator",
      reason: "placement_unknown",
      dueAtMillis: undefined
    })
  })

  it("asks again about what is unclear, ever more seldom, and parks it after a day", () => {
    let order = orderIn("placing")
    const pauses: Array<number> = []
    let at = now
    while (order.status === "placing" && pauses.length < 500) {
      order = after(order, { _tag: "PlacementUnclear" }, able, at)
      if (order.stepAtMillis !== undefined) {
        pauses.push(order.stepAtMillis - at)
        at = order.stepAtMillis
      }
    }
    expect(order).toMatchObject({ status: "needs_operator", reason: "placement_unknown" })
    expect(pauses.slice(0, 4)).toEqual([2_000, 4_000, 8_000, 16_000])
    expect(pauses).toEqual(pauses.toSorted((left, right) => left - right))
    expect(at - now).toBeGreaterThan(OrderTimings.placingTimeoutMillis)
    expect(at - now).toBeLessThan(1.1 * OrderTimings.placingTimeoutMillis)
  })

  it("is given up only once its time is over, not when it ends", () => {
    const atTheEnd = now + OrderTimings.placingTimeoutMillis
    const placing = orderIn("placing")
    const refused: OrderEvent = { _tag: "NotPlaced", retryAfterMillis: undefined }
    expect(after(placing, refused, able, atTheEnd).status).toBe("processing")
    expect(after(placing, refused, able, atTheEnd + 1).status).toBe("failed")
    expect(after(placing, { _tag: "PlacementUnclear" }, able, atTheEnd).status).toBe("placing")
    expect(after(placing, { _tag: "PlacementUnclear" }, able, atTheEnd + 1).status).toBe("needs_operator")
  })

  it("waits for as long as upstream says, but no longer than it is tried in all", () => {
    const told = (retryAfterMillis: number) =>
      after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis }).stepAtMillis! - now
    expect([told(0), told(90_000), told(10 * OrderTimings.placingTimeoutMillis)]).toEqual([
      2_000,
      90_000,
      OrderTimings.placingTimeoutMillis
    ])
  })

  it("tries again what was certainly not placed, as told, and fails it after a day", () => {
    const again = after(orderIn("placing", { attempts: 2 }), {
      _tag: "NotPlaced",
      retryAfterMillis: undefined
    })
    expect(again).toMatchObject({ status: "processing", attempts: 3, stepAtMillis: now + 8_000 })
    const later = after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis: 90_000 })
    expect(later.stepAtMillis).toBe(now + 90_000)
    const old = now + OrderTimings.placingTimeoutMillis + 1
    expect(
      after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis: undefined }, able, old)
    ).toMatchObject({
      status: "failed",
      reason: "not_placed_in_time",
      dueAtMillis: old
    })
  })

  it("is never hurried, nor cancelled: who does that places it twice", () => {
    for (const _tag of ["StepRequested", "Retried"] as const)
      expect(advance(orderIn("placing"), { _tag }, able, now)).toBeUndefined()
    expect(advance(orderIn("placing"), { _tag: "Cancelled", reason: "x" }, able, now)).toBeUndefined()
  })

  it("is begun again where an operator says that nothing is known upstream", () => {
    const parked = veteran("needs_operator", { upstreamReference: undefined })
    expect(advance(parked, { _tag: "Retried" }, able, now)).toEqual({ ...parked, ...enters("processing", 0) })
    for (const status of Object.keys(edges) as ReadonlyArray<OrderStatus>) {
      if (status === "needs_operator") continue
      const order = veteran(status, { upstreamReference: undefined })
      expect(advance(order, { _tag: "Retried" }, able, now), status).toBeUndefined()
    }
  })

  it("is not begun again for an order that is known upstream", () => {
    const known = orderIn("needs_operator", { upstreamReference: "up-1" })
    expect(advance(known, { _tag: "Retried" }, able, now)).toBeUndefined()
    expect(after(known, { _tag: "Resolved", reference: "up-1" }).status).toBe("placed")
  })
})

describe("following a placed order", () => {
  const parcel = { carrier: "UPS", trackingNumber: "1Z9" }
  const progressed = (order: Order, status: "placed" | "shipped" | "delivered", parcels = [parcel]) =>
    after(order, { _tag: "Progressed", progress: { status, shipments: parcels } })
  const kinds = ({ mails }: Order) => mails.map(({ kind }) => kind)

  it("tells the buyer of each parcel, and of shipping without one", () => {
    const placed = orderIn("placed")
    expect(kinds(progressed(placed, "placed", []))).toEqual([])
    const shipped = progressed(placed, "shipped")
    expect(kinds(shipped)).toEqual(["shipped"])
    const told = after(shipped, { _tag: "MailSent", kind: "shipped" })
    expect(kinds(progressed(told, "shipped"))).toEqual([])
    expect(kinds(progressed(told, "shipped", [parcel, { carrier: "UPS", trackingNumber: "1Z8" }]))).toEqual([
      "shipped"
    ])
    expect(kinds(progressed(placed, "shipped", []))).toEqual(["shipped"])
  })

  it("tells of a parcel among others, and of no shipping that has not begun or is over", () => {
    const other = { carrier: "UPS", trackingNumber: "1Z8" }
    const two = orderIn("shipped", { shipments: [parcel, other] })
    expect(kinds(progressed(two, "shipped", [parcel, other]))).toEqual([])
    expect(kinds(progressed(two, "shipped", [other]))).toEqual([])
    const announced = progressed(orderIn("placed"), "placed", [parcel])
    expect([kinds(announced), announced.shipments]).toEqual([[], [parcel]])
    expect(kinds(progressed(announced, "shipped", [parcel]))).toEqual(["shipped"])
    expect(kinds(progressed(orderIn("placed"), "delivered", []))).toEqual([])
    expect(kinds(progressed(orderIn("shipped"), "delivered", [parcel]))).toEqual(["shipped"])
  })

  it("tells of a second parcel in one mail with the first, where that has not gone out", () => {
    const first = progressed(orderIn("placed"), "shipped")
    const failing = after(first, { _tag: "MailFailed", kind: "shipped", isFinal: false })
    const confirmed = { kind: "confirmed", attempts: 1, dueAtMillis: now + 5 } as const
    const both = progressed({ ...failing, mails: [confirmed, ...failing.mails] }, "shipped", [
      parcel,
      { carrier: "UPS", trackingNumber: "1Z8" }
    ])
    expect(both.mails).toEqual([confirmed, { kind: "shipped", attempts: 0, dueAtMillis: now }])
  })

  it("counts from the last change of its status, not from a question", () => {
    const asked = after(
      veteran("placed"),
      { _tag: "Progressed", progress: { status: "placed", shipments: [] } },
      able,
      now + 1
    )
    expect(asked.updatedAtMillis).toBe(now - 1_000)
    expect(asked.attempts).toBe(0)
    const arrived = { _tag: "Progressed", progress: { status: "delivered", shipments: [] } } as const
    const late = now + OrderTimings.trackingTimeoutMillis + 1
    expect(after(veteran("shipped"), arrived, able, late)).toMatchObject({
      status: "delivered",
      updatedAtMillis: late
    })
  })

  it("is left to an operator once its time is over, not when it ends", () => {
    const placed = orderIn("placed", { shipments: [parcel] })
    const unknown = (sinceMillis: number) =>
      after(placed, { _tag: "StatusUnknown" }, able, now + sinceMillis).status
    expect([
      unknown(OrderTimings.trackingTimeoutMillis),
      unknown(OrderTimings.trackingTimeoutMillis + 1)
    ]).toEqual(["placed", "needs_operator"])
    const parked = after(
      placed,
      { _tag: "Progressed", progress: { status: "placed", shipments: [] } },
      able,
      now + OrderTimings.trackingTimeoutMillis + 1
    )
    expect(parked).toMatchObject({ status: "needs_operator", shipments: [parcel] })
  })

  it("never goes back, nor takes a parcel back", () => {
    const shipped = orderIn("shipped", { shipments: [parcel] })
    expect(progressed(shipped, "placed", [])).toMatchObject({ status: "shipped", shipments: [parcel] })
    expect(
      advance(
        orderIn("delivered"),
        { _tag: "Progressed", progress: { status: "failed", shipments: [] } },
        able,
        now
      )
    ).toBeUndefined()
  })

  it("asks often at first, then seldom, and leaves it to an operator after 60 days", () => {
    const placed = orderIn("placed")
    const asked = (sinceMillis: number) =>
      after(
        placed,
        { _tag: "Progressed", progress: { status: "placed", shipments: [] } },
        able,
        now + sinceMillis
      )
    expect(asked(0).stepAtMillis! - now).toBe(15_000)
    expect(asked(3_600_000).stepAtMillis! - now - 3_600_000).toBe(900_000)
    expect(
      asked(OrderTimings.trackingTimeoutMillis).stepAtMillis! - now - OrderTimings.trackingTimeoutMillis
    ).toBe(6 * 3_600_000)
    expect(asked(OrderTimings.trackingTimeoutMillis + 1)).toMatchObject({
      status: "needs_operator",
      reason: "not_delivered_in_time"
    })
    expect(
      after(placed, { _tag: "StatusUnknown" }, able, now + OrderTimings.trackingTimeoutMillis + 1)
    ).toMatchObject({
      status: "needs_operator",
      reason: "status_unknown"
    })
  })

  it("owes the money back for what fails or is cancelled after acceptance", () => {
    for (const status of ["failed", "cancelled"] as const) {
      const progress = { status, reason: "insufficient_stock", shipments: [] }
      const failed = after(orderIn("placed"), { _tag: "Progressed", progress })
      expect(failed).toMatchObject({ status, reason: "insufficient_stock", dueAtMillis: now })
      const due = after(failed, { _tag: "RefundDue" })
      expect(due).toMatchObject({ status: "refund_due", reason: "insufficient_stock", dueAtMillis: now })
      const refunded = after(due, { _tag: "Refunded" })
      expect(refunded).toMatchObject({
        status: "refunded",
        stepAtMillis: undefined,
        reason: "insufficient_stock"
      })
      expect(kinds(refunded)).toEqual(["refunded"])
    }
  })
})

describe("mails", () => {
  const mailing = orderIn("delivered", {
    stepAtMillis: undefined,
    mails: [{ kind: "shipped", attempts: 0, dueAtMillis: now }]
  })

  it("are tried again with growing pauses, and given up after two days", () => {
    let order = mailing
    let at = now
    for (let attempt = 0; order.mails.length > 0 && attempt < 100; attempt++) {
      order = after(order, { _tag: "MailFailed", kind: "shipped", isFinal: false }, able, at)
      at = order.mails[0]?.dueAtMillis ?? at
      expect(order.dueAtMillis).toBe(order.mails[0]?.dueAtMillis)
    }
    expect(order.mails).toEqual([])
    expect((at - now) / 86_400_000).toBeGreaterThan(1)
    expect((at - now) / 86_400_000).toBeLessThan(3)
  })

  it("are given up at once where that is final, and count for nothing without a mailer", () => {
    expect(after(mailing, { _tag: "MailFailed", kind: "shipped", isFinal: true }).mails).toEqual([])
    expect(after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" }, unable).mails).toEqual([])
  })

  it("are each known by kind and time: another one that took its place stays", () => {
    const one = { kind: "confirmed", attempts: 2, dueAtMillis: now } as const
    const two = { kind: "shipped", attempts: 4, dueAtMillis: now + 7 } as const
    const both = orderIn("delivered", { stepAtMillis: undefined, mails: [one, two] })
    const sent = (kind: "confirmed" | "shipped" | "refunded", dueAtMillis?: number) =>
      advance(
        both,
        { _tag: "MailSent", kind, ...(dueAtMillis === undefined ? {} : { dueAtMillis }) },
        able,
        now
      )?.mails
    expect(sent("confirmed")).toEqual([two])
    expect(sent("shipped")).toEqual([one])
    expect(sent("shipped", now + 7)).toEqual([one])
    expect(sent("shipped", now)).toBeUndefined()
    expect(sent("refunded")).toBeUndefined()
    const failed = after(both, { _tag: "MailFailed", kind: "shipped", isFinal: false })
    const dueAtMillis = now + OrderTimings.mailBackoff(4)
    expect(failed.mails).toEqual([one, { kind: "shipped", attempts: 5, dueAtMillis }])
    expect(failed.dueAtMillis).toBe(now)
  })

  it("are tried as often as is written, and no more", () => {
    const failing = (attempts: number) =>
      after(orderIn("delivered", { mails: [{ kind: "shipped", attempts, dueAtMillis: now }] }), {
        _tag: "MailFailed",
        kind: "shipped",
        isFinal: false
      }).mails
    expect(failing(OrderTimings.maxMailAttempts - 2)).toHaveLength(1)
    expect(failing(OrderTimings.maxMailAttempts - 1)).toEqual([])
  })

  it("do not hold up the life of an order", () => {
    const paid = after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" })
    const later = after(paid, { _tag: "MailFailed", kind: "confirmed", isFinal: false })
    expect(later.dueAtMillis).toBe(later.stepAtMillis)
  })
})
