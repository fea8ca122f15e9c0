import type { FulfilmentOptions } from "@till402/core"
import { memoryPlacementJournal } from "@till402/providers/rye"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { request as amazonRequest, startShop as startRye } from "../rye/shop.ts"
import { request as shopRequest, startShop as startShopify } from "../shopify-admin/shop.ts"
import { request as wooRequest, startShop as startWooCommerce } from "../woocommerce/shop.ts"
import { startShop as startZinc } from "../zinc/shop.ts"
import { context } from "./orderRequest.ts"

/*
 * Anybody can request quotes for free: they must leave room for the orders that were paid.
 */

const server = interceptRequests()

type Request = Parameters<FulfilmentOptions["quote"]>[0]
type Open = (change: { readonly maxConcurrent: number; readonly fetch: typeof fetch }) => FulfilmentOptions

const shops: ReadonlyArray<readonly [string, Request, Open]> = [
  [
    "rye",
    amazonRequest,
    (change) => startRye(server, { placements: memoryPlacementJournal(), ...change }).shop
  ],
  [
    "zinc",
    amazonRequest,
    (change) => startZinc(server, { allowance: { taxBasisPoints: 0, shippingCents: 0 }, ...change }).shop
  ],
  ["woocommerce", wooRequest, (change) => startWooCommerce(server, change).shop],
  ["shopify-admin", shopRequest, (change) => startShopify(server, change).shop]
]

describe.each(shops)("quotes of %s", (_name, request, open) => {
  it("leave room for the placement of an order", async () => {
    let isHanging = false
    let hanging = 0
    const fulfilment = open({
      maxConcurrent: 2,
      fetch: (input, init) => {
        if (!isHanging) return fetch(input, init)
        hanging += 1
        return new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(new Error("aborted")))
        )
      }
    })
    const { reference, total } = await fulfilment.quote(request, context)
    isHanging = true
    const stop = new AbortController()
    const quotes = Array.from({ length: 4 }, () =>
      fulfilment.quote(request, { signal: stop.signal }).catch(() => undefined)
    )
    await new Promise((resolve) => setTimeout(resolve, 50))
    assert.strictEqual(hanging, 1)
    isHanging = false
    const order = { ...request, orderId: "0b6f1f0e-3c8a-4b6e-9a55-000000000001", reference, total }
    assert.isString((await fulfilment.place(order, context)).reference)
    stop.abort()
    await Promise.all(quotes)
  })
})
