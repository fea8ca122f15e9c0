import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { OrderStatus } from "../../../src/shop/goods/Order.ts"
import type { OrderEvent } from "../../../src/shop/orders/OrderEvent.ts"
import { advance } from "../../../src/shop/orders/OrderMachine.ts"
import * as OrderTimings from "../../../src/shop/orders/OrderTimings.ts"
import { sampleOrder } from "../../../../testing/src/stores/records.ts"
import { documentedDiagram, transition, transitionsIn } from "../../model/stateDiagram.ts"

type Events = {
  readonly [Tag in OrderEvent["_tag"]]: ReadonlyArray<
    Omit<Extract<OrderEvent, { readonly _tag: Tag }>, "_tag">
  >
}

const progressed = (["placed", "shipped", "delivered", "failed", "cancelled"] as const).map((status) => ({
  progress: { status, shipments: [] }
}))

/** Each event, in every form that the machine tells apart. */
const events: Events = {
  PaymentSettled: [{}],
  PaymentFailed: [{}],
  PaymentPending: [{}],
  PlacingBegun: [{}],
  Placed: [{ reference: "up-1" }],
  PlacementRefused: [{ reason: "out_of_stock" }],
  NotPlaced: [{ retryAfterMillis: undefined }],
  PlacementUnclear: [{}],
  Progressed: progressed,
  Untracked: [{}],
  StatusUnknown: [{}],
  RefundDue: [{}],
  NoRefundDue: [{}],
  RefundPending: [{}],
  Refunded: [{}],
  MailDeferred: [{ kind: "confirmed", untilMillis: 1 }],
  MailSent: [{ kind: "confirmed" }],
  MailFailed: [{ kind: "confirmed", isFinal: true }],
  Retried: [{}],
  Resolved: [{ reference: "up-1" }],
  Delivered: [{}],
  Cancelled: [{ reason: "seller" }],
  StepRequested: [{}]
}

const capabilities = { canFind: false, placesOnce: false, canReadStatus: true, canMail: true }
const ages = [0, OrderTimings.placingTimeoutMillis + 1, OrderTimings.trackingTimeoutMillis + 1]

/** What each event makes of an order in each status, new or old, known upstream or not. */
const transitions = (): ReadonlyArray<string> => {
  const found = new Set<string>()
  for (const status of OrderStatus.literals)
    for (const upstreamReference of [undefined, "up-1"])
      for (const age of ages)
        for (const [_tag, forms] of Object.entries(events))
          for (const form of forms) {
            const order = sampleOrder({ status, upstreamReference, stepAtMillis: 0 })
            const event = { _tag, ...form } as OrderEvent
            const after = advance(order, event, capabilities, order.updatedAtMillis + age)
            if (after !== undefined && after.status !== status) found.add(transition(status, after.status))
          }
  return Array.from(found).toSorted()
}

describe("the diagram of an order's states", () => {
  const source = readFileSync(new URL("../../../src/shop/orders/OrderMachine.ts", import.meta.url), "utf8")

  it("is that of the machine, in the code", () => {
    expect(transitionsIn(source)).toEqual(transitions())
  })

  it("is that of the machine, in the documents", () => {
    expect(transitionsIn(documentedDiagram("order"))).toEqual(transitions())
  })

  it("has every status", () => {
    expect(OrderStatus.literals.filter((status) => !transitions().join(" ").includes(status))).toEqual([])
  })
})
