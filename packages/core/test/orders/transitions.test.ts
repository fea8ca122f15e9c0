import { describe, expect, it } from "vitest"
import type { OrderStatus } from "../../src/domain/Order.ts"
import * as Pace from "../../src/orders/Pace.ts"
import { advance, begin, type Capabilities, type OrderEvent, stepOf } from "../../src/orders/Transitions.ts"
import type { Order } from "../../src/ports/Orders.ts"
import { sampleOrder } from "../../src/testing/stores/records.ts"

const now = 1_000_000_000
const able: Capabilities = { canFind: true, placesOnce: false, canAskStatus: true, canMail: true }
const unable: Capabilities = { canFind: false, placesOnce: false, canAskStatus: false, canMail: false }

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
  { _tag: "RefundOwed" },
  { _tag: "RefundPending" },
  { _tag: "Refunded" },
  { _tag: "MailSent", kind: "confirmed" },
  { _tag: "MailFailed", kind: "confirmed", isFinal: false },
  { _tag: "Retried" },
  { _tag: "Resolved", reference: "up-1" },
  { _tag: "Cancelled", reason: "seller" },
  { _tag: "Hurried" }
]

/** Where each status may lead; what is not written here must be impossible. */
const edges: Readonly<Record<OrderStatus, ReadonlyArray<OrderStatus>>> = {
  awaiting_payment: ["processing", "abandoned"],
  abandoned: ["processing"],
  processing: ["placing", "cancelled"],
  placing: ["placed", "failed", "processing", "needs_operator"],
  placed: ["shipped", "delivered", "failed", "cancelled", "needs_operator"],
  shipped: ["delivered", "failed", "cancelled", "needs_operator"],
  delivered: [],
  failed: ["refund_due"],
  cancelled: ["refund_due"],
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
        for (const age of [0, 2 * Pace.placingPatience, 2 * Pace.trackingPatience]) {
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
          if (stepOf(next, capabilities) === undefined || event._tag === "Untracked") continue
          expect(next.dueAtMillis, `${status}, ${event._tag}`).toBeDefined()
        }
      }
    }
  })

  it("begins with a payment to be waited for", () => {
    const { attempts, mails, version, ...order } = begin(sampleOrder(), now)
    expect([attempts, mails, version]).toEqual([0, [], 1])
    expect(order).toMatchObject({ status: "awaiting_payment", dueAtMillis: now + Pace.paymentPatience })
  })
})

describe("placing", () => {
  it("keeps the order for its worker, whatever mail is due", () => {
    const paid = after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" })
    expect(paid).toMatchObject({ status: "processing", dueAtMillis: now })
    expect(paid.mails).toEqual([{ kind: "confirmed", attempts: 0, dueAtMillis: now }])
    const placing = after(paid, { _tag: "PlacingBegun" })
    expect(placing).toMatchObject({ status: "placing", dueAtMillis: now + Pace.lease })
    expect(placing.mails).toEqual(paid.mails)
  })

  it("looks up, places again or parks what was cut short, by what upstream can do", () => {
    const step = (capabilities: Partial<Capabilities>) =>
      stepOf({ status: "placing" }, { ...unable, ...capabilities })
    expect(step({})).toBe("Park")
    expect(step({ canFind: true })).toBe("LookUp")
    expect(step({ placesOnce: true })).toBe("PlaceAgain")
    expect(step({ canFind: true, placesOnce: true })).toBe("PlaceAgain")
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
    expect(at - now).toBeGreaterThan(Pace.placingPatience)
    expect(at - now).toBeLessThan(1.1 * Pace.placingPatience)
  })

  it("tries again what was certainly not placed, as told, and fails it after a day", () => {
    const again = after(orderIn("placing", { attempts: 2 }), {
      _tag: "NotPlaced",
      retryAfterMillis: undefined
    })
    expect(again).toMatchObject({ status: "processing", attempts: 3, stepAtMillis: now + 8_000 })
    const later = after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis: 90_000 })
    expect(later.stepAtMillis).toBe(now + 90_000)
    const old = now + Pace.placingPatience + 1
    expect(
      after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis: undefined }, able, old)
    ).toMatchObject({
      status: "failed",
      reason: "not_placed_in_time",
      dueAtMillis: old
    })
  })

  it("is never hurried, nor cancelled: who does that places it twice", () => {
    for (const _tag of ["Hurried", "Retried"] as const)
      expect(advance(orderIn("placing"), { _tag }, able, now)).toBeUndefined()
    expect(advance(orderIn("placing"), { _tag: "Cancelled", reason: "x" }, able, now)).toBeUndefined()
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
    expect(asked(Pace.trackingPatience).stepAtMillis! - now - Pace.trackingPatience).toBe(6 * 3_600_000)
    expect(asked(Pace.trackingPatience + 1)).toMatchObject({
      status: "needs_operator",
      reason: "not_delivered_in_time"
    })
    expect(after(placed, { _tag: "StatusUnknown" }, able, now + Pace.trackingPatience + 1)).toMatchObject({
      status: "needs_operator",
      reason: "status_unknown"
    })
  })

  it("owes the money back for what fails or is cancelled after acceptance", () => {
    for (const status of ["failed", "cancelled"] as const) {
      const progress = { status, reason: "insufficient_stock", shipments: [] }
      const failed = after(orderIn("placed"), { _tag: "Progressed", progress })
      expect(failed).toMatchObject({ status, reason: "insufficient_stock", dueAtMillis: now })
      const due = after(failed, { _tag: "RefundOwed" })
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

  it("do not hold up the life of an order", () => {
    const paid = after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" })
    const later = after(paid, { _tag: "MailFailed", kind: "confirmed", isFinal: false })
    expect(later.dueAtMillis).toBe(later.stepAtMillis)
  })
})
