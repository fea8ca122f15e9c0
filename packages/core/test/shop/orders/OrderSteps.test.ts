import { describe, expect, it } from "vitest"
import { paymentStateOf } from "../../../src/shop/orders/OrderSteps.ts"
import { paymentLifetimeMillis } from "../../../src/toll/request/PaymentLifetime.ts"

const order = { id: "order-1", createdAtMillis: 1_000 }
const ours = { subject: { kind: "order", id: "order-1" }, refund: undefined } as const
const others = { subject: { kind: "order", id: "order-2" }, refund: undefined } as const
const early = order.createdAtMillis + paymentLifetimeMillis - 1
const late = order.createdAtMillis + paymentLifetimeMillis
const due = { _tag: "Due", startedAtMillis: undefined } as const

describe("paymentStateOf", () => {
  it.each([
    ["settled", { ...ours, state: "settled" }, { _tag: "Settled" }],
    ["ready, however late", { ...ours, state: "ready" }, { _tag: "Pending" }],
    ["voided", { ...ours, state: "voided" }, { _tag: "Failed", freesQuote: true }],
    ["to be refunded", { ...ours, state: "settled", refund: due }, { _tag: "Failed", freesQuote: true }]
  ] as const)("of an order whose charge is %s", (_, charge, state) => {
    expect(paymentStateOf(order, charge, late)).toEqual(state)
  })

  it.each([
    ["no charge", undefined, true],
    ["a charge without a subject", { ...ours, subject: undefined, state: "claimed" }, true],
    ["a voided charge of another order", { ...others, state: "voided" }, true],
    ["a charge that bought another order", { ...others, state: "settled" }, false]
  ] as const)("with %s is pending while the payment can settle, then failed", (_, charge, freesQuote) => {
    expect(paymentStateOf(order, charge, early)).toEqual({ _tag: "Pending" })
    expect(paymentStateOf(order, charge, late)).toEqual({ _tag: "Failed", freesQuote })
  })
})
