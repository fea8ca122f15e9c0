import { describe, expect, it } from "vitest"
import { isIn, moveTo, park, retryIn, withDueTime } from "../../../src/shop/orders/OrderMove.ts"
import type { Order, OrderMail } from "../../../src/shop/ports/Orders.ts"
import { now, orderIn } from "./machineOrders.ts"

const mailOf = (kind: OrderMail["kind"], dueAtMillis: number): OrderMail => ({
  kind,
  dueAtMillis,
  attempts: 3
})
const tried = (overrides: Partial<Order> = {}): Order =>
  orderIn("placing", {
    attempts: 5,
    reason: "an old one",
    upstreamReference: "UP-1",
    updatedAtMillis: now - 9_000,
    timeline: [
      { status: "processing", atMillis: now - 10_000 },
      { status: "placing", atMillis: now - 9_000 }
    ],
    ...overrides
  })

describe("the due time of an order", () => {
  it.each([
    ["its step", 500, [mailOf("shipped", 700)], 500],
    ["its earliest mail", 500, [mailOf("shipped", 400), mailOf("confirmed", 300)], 300],
    ["a mail, where no step is left", undefined, [mailOf("shipped", 700)], 700],
    ["time zero, which is a time", 0, [mailOf("shipped", 700)], 0],
    ["none, where nothing is left", undefined, [], undefined]
  ])("is that of %s", (_, stepAtMillis, mails, expected) => {
    expect(withDueTime(orderIn("placed", { stepAtMillis, mails, dueAtMillis: 1 })).dueAtMillis).toBe(expected)
  })
})

describe("a move", () => {
  it("resets attempts and reason, keeps the reference, and schedules the step from now", () => {
    expect(moveTo(tried(), { to: "placed", stepIn: 15_000 }, now)).toEqual({
      ...tried(),
      status: "placed",
      attempts: 0,
      stepAtMillis: now + 15_000,
      reason: undefined,
      updatedAtMillis: now,
      timeline: [...tried().timeline, { status: "placed", atMillis: now }]
    })
  })

  it("back to a status has its latest time, and the timeline no more entries than there are statuses", () => {
    const again = moveTo(tried(), { to: "processing", stepIn: 0 }, now)
    expect(again.timeline).toEqual([
      { status: "placing", atMillis: now - 9_000 },
      { status: "processing", atMillis: now }
    ])
    expect(moveTo(again, { to: "placing", stepIn: 0 }, now + 1).timeline).toEqual([
      { status: "processing", atMillis: now },
      { status: "placing", atMillis: now + 1 }
    ])
  })

  it("leaves no step where none is due", () => {
    expect(moveTo(tried(), { to: "delivered", stepIn: undefined }, now).stepAtMillis).toBeUndefined()
  })

  it("takes over a new reference and reason", () => {
    const move = { to: "placed", stepIn: 0, reference: "UP-2", reason: "found" } as const
    expect(moveTo(tried(), move, now)).toMatchObject({ upstreamReference: "UP-2", reason: "found" })
  })

  it("to the same status doesn't count as a change for its buyer", () => {
    expect(moveTo(tried(), { to: "placing", stepIn: 0 }, now)).toMatchObject({
      attempts: 0,
      updatedAtMillis: now - 9_000,
      timeline: tried().timeline
    })
  })

  it("makes its mail due at once, in place of one of its kind and beside the others", () => {
    const mails = [mailOf("shipped", now + 60_000), mailOf("confirmed", now + 70_000)]
    expect(moveTo(tried({ mails }), { to: "shipped", stepIn: 0, mail: "shipped" }, now).mails).toEqual([
      mailOf("confirmed", now + 70_000),
      { kind: "shipped", attempts: 0, dueAtMillis: now }
    ])
    expect(moveTo(tried({ mails }), { to: "shipped", stepIn: 0 }, now).mails).toEqual(mails)
  })
})

describe("a failed attempt", () => {
  it("counts, and changes nothing but the time of the step", () => {
    expect(retryIn(tried(), 30_000, now)).toEqual({ ...tried(), attempts: 6, stepAtMillis: now + 30_000 })
  })
})

describe("a parked order", () => {
  it("waits for an operator with the reason, without a step, and with its mails", () => {
    const mails = [mailOf("confirmed", now)]
    expect(park(tried({ mails }), "placement_unknown", now)).toMatchObject({
      status: "needs_operator",
      reason: "placement_unknown",
      stepAtMillis: undefined,
      upstreamReference: "UP-1",
      mails
    })
  })
})

it("an order is in one of several statuses, or in none of them", () => {
  expect(isIn(orderIn("placed"), "shipped", "placed")).toBe(true)
  expect(isIn(orderIn("placed"), "shipped")).toBe(false)
  expect(isIn(orderIn("placed"))).toBe(false)
})
