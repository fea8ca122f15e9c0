import { describe, expect, it } from "vitest"
import {
  fakeFulfilment,
  FulfilmentContractViolation,
  fulfilmentTests,
  type FulfilmentUnderTest
} from "../../../testing/src/index.ts"
import { Fulfilment } from "../../src/shop/ports/Fulfilment.ts"
import type { FulfilmentOptions } from "../../src/shop/ports/FulfilmentOptions.ts"

const request = {
  product: { source: "marketplace_a", asin: "B000000001", productUrl: undefined },
  shippingAddress: {
    name: "Ada",
    line1: "1 St",
    city: "Durham",
    state: "NC",
    postalCode: "27701",
    country: "US"
  },
  email: "ada@example.com"
} as const

const kinds = ["function", "layer"] as const

/** The fake of this package, and what a change makes of it: as plain functions, or as a layer. */
const start =
  (change: (fulfilment: FulfilmentOptions) => Partial<FulfilmentOptions>, kind: (typeof kinds)[number]) =>
  (): FulfilmentUnderTest => {
    const fake = fakeFulfilment()
    const fulfilment: FulfilmentOptions = {
      ...fake,
      find: async (orderId) => fake.orders.get(orderId)?.upstreamReference ?? null,
      status: async () => ({ status: "placed", shipments: [] })
    }
    const plain = { ...fulfilment, ...change(fulfilment) }
    const changed = kind === "function" ? plain : Fulfilment.layerPromise(plain)
    return {
      fulfilment: changed,
      request,
      restart: () => changed,
      charges: () => [...fake.orders.values()].map(() => "26.64"),
      disturb: (what) =>
        void (what === "lost"
          ? fake.losesNextResponse()
          : fake.place.returnsOnce(() => {
              throw new Error("connection refused")
            }))
    }
  }

const failures = async (subject: () => FulfilmentUnderTest): Promise<ReadonlyArray<string>> => {
  const failed: Array<string> = []
  for (const { name, run } of fulfilmentTests(subject)) {
    try {
      await run()
    } catch (error) {
      expect(error).toBeInstanceOf(FulfilmentContractViolation)
      failed.push(name.replace("Fulfilment: ", ""))
    }
  }
  return failed
}

describe("the fulfilment contract", () => {
  it.each(kinds)("is kept by this package's fake, a %s", async (kind) => {
    expect(await failures(start(() => ({}), kind))).toEqual([])
  })

  it.each<[string, (fulfilment: FulfilmentOptions) => Partial<FulfilmentOptions>, RegExp]>([
    [
      "total that is not the sum",
      ({ quote }) => ({
        quote: async (asked, context) => ({ ...(await quote(asked, context)), total: "30" })
      }),
      /adds up/
    ],
    [
      "price below the charge",
      ({ quote }) => ({
        quote: async (asked, context) => ({
          ...(await quote(asked, context)),
          subtotal: "0.10",
          total: "6.74"
        })
      }),
      /charges no more/
    ],
    [
      "second order for a repeated call",
      ({ place }) => {
        let calls = 0
        return {
          place: (order, context) => place({ ...order, orderId: `${order.orderId}-${++calls}` }, context)
        }
      },
      /repeated calls/
    ],
    ["lookup that finds nothing", () => ({ find: async () => null, placesOnce: false }), /response was lost/],
    [
      "lookup that returns undefined",
      ({ find }) => ({
        find: async (orderId, context) => (await find!(orderId, context)) ?? (undefined as never)
      }),
      /is found once/
    ],
    ["lookup that finds anything", () => ({ find: async () => "any" }), /is found once/],
    [
      "one reference for all",
      ({ place }) => ({
        place: async (order, context) => ({ ...(await place(order, context)), reference: "same" })
      }),
      /two orders/
    ],
    ["status of its own", () => ({ status: async () => ({ status: "failed", shipments: [] }) }), /status/]
  ])("is broken by a %s", async (_what, change, broken) => {
    for (const kind of kinds) expect((await failures(start(change, kind))).join(", ")).toMatch(broken)
  })
})
