import { describe, expect, it } from "vitest"
import type { OrderStatus } from "../../../src/shop/goods/Order.ts"
import * as OrderTimings from "../../../src/shop/orders/OrderTimings.ts"
import { advance } from "../../../src/shop/orders/OrderMachine.ts"
import type { OrderEvent } from "../../../src/shop/orders/OrderEvent.ts"
import { now, able, unable, orderIn, after, edges, veteran, enters } from "./machineOrders.ts"

describe("placing", () => {
  it("keeps the order for its worker, whatever mail is due", () => {
    const paid = after(orderIn("awaiting_payment"), { _tag: "PaymentSettled" })
    expect(paid).toMatchObject({ status: "processing", dueAtMillis: now })
    expect(paid.mails).toEqual([{ kind: "confirmed", attempts: 0, dueAtMillis: now }])
    const placing = after(paid, { _tag: "PlacingBegun" })
    expect(placing).toMatchObject({ status: "placing", dueAtMillis: now + OrderTimings.workLeaseMillis })
    expect(placing.mails).toEqual(paid.mails)
  })

  it("parks an unclear placement at once where upstream can't report it", () => {
    const parked = after(orderIn("placing"), { _tag: "PlacementUnclear" }, unable)
    expect(parked).toMatchObject({
      status: "needs_operator",
      reason: "placement_unknown",
      dueAtMillis: undefined
    })
  })

  it("looks an unclear placement up with backoff, and parks it after a day", () => {
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

  it("waits for upstream's retry time, but not beyond the deadline of the placement", () => {
    const delayed = (retryAfterMillis: number) =>
      after(orderIn("placing"), { _tag: "NotPlaced", retryAfterMillis }).stepAtMillis! - now
    expect([delayed(0), delayed(90_000), delayed(10 * OrderTimings.placingTimeoutMillis)]).toEqual([
      2_000,
      90_000,
      OrderTimings.placingTimeoutMillis
    ])
  })

  it("retries what was certainly not placed after the given time, and fails it after a day", () => {
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

  it("starts again where an operator decides that nothing is known upstream", () => {
    const parked = veteran("needs_operator", { upstreamReference: undefined })
    const timeline = [...parked.timeline, { status: "processing" as const, atMillis: now }]
    const effect = enters("processing", 0, { timeline })
    expect(advance(parked, { _tag: "Retried" }, able, now)).toEqual({ ...parked, ...effect })
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
  it("is not said to be delivered unless it was placed", () => {
    const unplaced = orderIn("needs_operator", { upstreamReference: undefined })
    expect(advance(unplaced, { _tag: "Delivered" }, able, now)).toBeUndefined()
  })
})
