import { describe, expect, it } from "vitest"
import * as OrderTimings from "../../../src/shop/orders/OrderTimings.ts"
import { advance } from "../../../src/shop/orders/OrderMachine.ts"
import type { FulfilmentStatus } from "../../../src/shop/goods/Order.ts"
import type { Order } from "../../../src/shop/ports/Orders.ts"
import { now, able, unable, orderIn, after, veteran } from "./machineOrders.ts"

describe("following a placed order", () => {
  const parcel = { carrier: "UPS", trackingNumber: "1Z9" }
  const progressed = (order: Order, status: "placed" | "shipped" | "delivered", parcels = [parcel]) =>
    after(order, { _tag: "Progressed", progress: { status, shipments: parcels } })
  const kinds = ({ mails }: Order) => mails.map(({ kind }) => kind)

  it("mails the buyer about each parcel, and about shipping without one", () => {
    const placed = orderIn("placed")
    expect(kinds(progressed(placed, "placed", []))).toEqual([])
    const shipped = progressed(placed, "shipped")
    expect(kinds(shipped)).toEqual(["shipped"])
    const mailed = after(shipped, { _tag: "MailSent", kind: "shipped" })
    expect(kinds(progressed(mailed, "shipped"))).toEqual([])
    expect(kinds(progressed(mailed, "shipped", [parcel, { carrier: "UPS", trackingNumber: "1Z8" }]))).toEqual(
      ["shipped"]
    )
    expect(kinds(progressed(placed, "shipped", []))).toEqual(["shipped"])
  })

  it("mails about a parcel among others, and about no shipping that has not begun or is over", () => {
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

  it("mails about a second parcel together with the first, where that has not gone out", () => {
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
    const polled = after(
      veteran("placed"),
      { _tag: "Progressed", progress: { status: "placed", shipments: [] } },
      able,
      now + 1
    )
    expect(polled.updatedAtMillis).toBe(now - 1_000)
    expect(polled.attempts).toBe(0)
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

  it("polls often at first, then seldom, and leaves it to an operator after 60 days", () => {
    const placed = orderIn("placed")
    const polled = (sinceMillis: number) =>
      after(
        placed,
        { _tag: "Progressed", progress: { status: "placed", shipments: [] } },
        able,
        now + sinceMillis
      )
    expect(polled(0).stepAtMillis! - now).toBe(15_000)
    expect(polled(3_600_000).stepAtMillis! - now - 3_600_000).toBe(900_000)
    expect(
      polled(OrderTimings.trackingTimeoutMillis).stepAtMillis! - now - OrderTimings.trackingTimeoutMillis
    ).toBe(6 * 3_600_000)
    expect(polled(OrderTimings.trackingTimeoutMillis + 1)).toMatchObject({
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

  it("leaves a parcel to an operator that has not arrived after 60 days, but not one without a tracking number", () => {
    const parcel = { carrier: "UPS", trackingNumber: "1Z999AA10123456784" }
    const seen = (progress: FulfilmentStatus, sinceMillis: number) =>
      after(orderIn("shipped"), { _tag: "Progressed", progress }, able, now + sinceMillis)
    const late = OrderTimings.trackingTimeoutMillis + 1
    expect(seen({ status: "shipped", shipments: [parcel] }, late)).toMatchObject({
      status: "needs_operator",
      reason: "not_delivered_in_time",
      shipments: [parcel]
    })
    const untracked = { status: "shipped", shipments: [] } as const
    expect(seen(untracked, late - 1).stepAtMillis).toBe(now + late - 1 + 6 * 3_600_000)
    const ended = seen(untracked, late)
    expect(ended).toMatchObject({ status: "shipped", shipments: [] })
    expect([ended.stepAtMillis, ended.reason, ended.mails]).toEqual([undefined, undefined, []])
    expect(seen({ status: "delivered", shipments: [] }, late).status).toBe("delivered")
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

  it("about a failure are left out once the refund is told", () => {
    const waiting = { kind: "failed", attempts: 2, dueAtMillis: now + 60_000 } as const
    const refunded = after(orderIn("refund_due", { mails: [waiting] }), { _tag: "Refunded" })
    expect(refunded.mails.map(({ kind }) => kind)).toEqual(["refunded"])
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

  it("are reserved or put off apart from the step, and keep their attempts", () => {
    const one = { kind: "confirmed", attempts: 2, dueAtMillis: now } as const
    const two = { kind: "shipped", attempts: 0, dueAtMillis: now } as const
    const order = orderIn("placed", { stepAtMillis: now + 50, mails: [one, two] })
    const event = {
      _tag: "MailDeferred",
      kind: "confirmed",
      dueAtMillis: now,
      untilMillis: now + 99
    } as const
    const deferred = after({ ...order, mails: [one] }, event)
    expect([deferred.mails, deferred.dueAtMillis]).toEqual([[{ ...one, dueAtMillis: now + 99 }], now + 50])
    expect(after(order, event)).toEqual({
      ...order,
      mails: [{ ...one, dueAtMillis: now + 99 }, two],
      dueAtMillis: now
    })
    expect(advance(order, { ...event, dueAtMillis: now - 1 }, able, now)).toBeUndefined()
  })
})
