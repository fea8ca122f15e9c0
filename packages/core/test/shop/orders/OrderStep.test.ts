import { describe, expect, it } from "vitest"
import type { OrderStatus } from "../../../src/shop/goods/Order.ts"
import { type Capabilities, nextStep, type OrderStep } from "../../../src/shop/orders/OrderStep.ts"

const unable: Capabilities = { canFind: false, placesOnce: false, canReadStatus: false, canMail: false }
const able: Capabilities = { ...unable, canFind: true, canReadStatus: true, canMail: true }

describe("nextStep", () => {
  const steps: Readonly<Record<OrderStatus, OrderStep | undefined>> = {
    awaiting_payment: "CheckPayment",
    abandoned: undefined,
    processing: "Place",
    placing: "LookUp",
    placed: "ReadStatus",
    shipped: "ReadStatus",
    delivered: undefined,
    failed: "MarkRefundDue",
    cancelled: "MarkRefundDue",
    needs_operator: undefined,
    refund_due: "Refund",
    refunded: undefined
  }
  it.each(Object.entries(steps))("of an order in %s is %s", (status, step) => {
    expect(nextStep({ status: status as OrderStatus }, able)).toBe(step)
  })

  it.each(["placed", "shipped"] as const)("is none in %s if upstream can't report a status", (status) => {
    expect(nextStep({ status }, unable)).toBeUndefined()
  })

  it.each([
    [{}, "Park"],
    [{ canFind: true }, "LookUp"],
    [{ placesOnce: true }, "PlaceAgain"],
    [{ canFind: true, placesOnce: true }, "PlaceAgain"]
  ])("after an interrupted placement, with %j, is %s", (capabilities, step) => {
    expect(nextStep({ status: "placing" }, { ...unable, ...capabilities })).toBe(step)
  })
})
