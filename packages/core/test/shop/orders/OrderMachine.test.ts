import { describe, expect, it } from "vitest"
import type { OrderStatus } from "../../../src/shop/goods/Order.ts"
import * as OrderTimings from "../../../src/shop/orders/OrderTimings.ts"
import { advance, newOrder } from "../../../src/shop/orders/OrderMachine.ts"
import type { OrderEvent } from "../../../src/shop/orders/OrderEvent.ts"
import { nextStep } from "../../../src/shop/orders/OrderStep.ts"
import type { Order } from "../../../src/shop/ports/Orders.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"
import { now, able, unable, orderIn, after, edges, veteran, enters } from "./machineOrders.ts"

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
  { _tag: "MailDeferred", kind: "confirmed", untilMillis: now + 1 },
  { _tag: "MailSent", kind: "confirmed" },
  { _tag: "MailFailed", kind: "confirmed", isFinal: false },
  { _tag: "Retried" },
  { _tag: "Resolved", reference: "up-1" },
  { _tag: "Delivered" },
  { _tag: "Cancelled", reason: "seller" },
  { _tag: "StepRequested" }
]

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
    const given = { chargeKey, email, id, offer, product, shippingAddress }
    expect(newOrder(given, now)).toEqual({
      ...given,
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
      updatedAtMillis: now,
      timeline: [{ status: "awaiting_payment", atMillis: now }]
    })
  })
})

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
      processing: enters("placing", OrderTimings.workLeaseMillis, { attempts: 3 }),
      placing: enters("placing", OrderTimings.workLeaseMillis, { attempts: 3, updatedAtMillis: now - 1_000 })
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
    { placing: enters("failed", 0, { reason: "out_of_stock", ...mailed("failed") }) }
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
      placed: enters("failed", 0, { reason: "failed", ...mailed("failed") }),
      shipped: enters("failed", 0, { reason: "failed", ...mailed("failed") })
    }
  ],
  [
    { _tag: "Progressed", progress: { status: "cancelled", reason: "seller", shipments: [] } },
    {
      placed: enters("cancelled", 0, { reason: "seller", ...mailed("failed") }),
      shipped: enters("cancelled", 0, { reason: "seller", ...mailed("failed") })
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
  [{ _tag: "MailDeferred", kind: "confirmed", untilMillis: now + 1 }, {}],
  [{ _tag: "MailSent", kind: "confirmed" }, {}],
  [{ _tag: "MailFailed", kind: "confirmed", isFinal: false }, {}],
  [{ _tag: "Retried" }, {}],
  [
    { _tag: "Resolved", reference: "up-1" },
    { needs_operator: enters("placed", 15_000, { upstreamReference: "up-1" }) }
  ],
  [{ _tag: "Delivered" }, { needs_operator: enters("delivered", undefined) }],
  [
    { _tag: "Cancelled", reason: "seller" },
    {
      processing: enters("cancelled", 0, { reason: "seller", ...mailed("failed") }),
      needs_operator: enters("cancelled", 0, { reason: "seller", ...mailed("failed") }),
      placed: enters("cancelled", 0, { reason: "seller", ...mailed("failed") }),
      shipped: enters("cancelled", 0, { reason: "seller", ...mailed("failed") })
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
      const { status: entered = status } = changes ?? {}
      const timeline =
        entered === status ? order.timeline : [...order.timeline, { status: entered, atMillis: now }]
      expect(advance(order, event, able, now)).toEqual(
        changes === undefined ? undefined : { ...order, timeline, ...changes }
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
