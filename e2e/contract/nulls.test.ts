import { describe, expect, it } from "vitest"
import { address, buyBody, calls } from "./calls.ts"
import { expectFault } from "./expectations.ts"
import { pay, readChallenge } from "./payer.ts"
import { openShop } from "./till.ts"

/*
 * JSON `null` for an optional field counts as absent: many clients write every field.
 */

const buyCall = (body: object) => ({ method: "POST", path: "/x402/buy", body })

describe("null for an optional field counts as absent", () => {
  it("of buy, also within the address, and upstream doesn't get it", async () => {
    const shop = await openShop()
    const body = {
      ...buyBody,
      productUrl: null,
      variantId: null,
      shippingAddress: { ...address, line2: null, phone: null }
    }
    const { response } = await pay(shop, buyCall(body))
    expect(response.status, await response.clone().text()).toBe(200)
    expect(JSON.stringify(shop.calls.quote)).not.toContain("null")
  })

  it("so both requests are one: a payment for the one is replayed for the other", async () => {
    const shop = await openShop()
    const { payment, response } = await pay(shop, buyCall(buyBody))
    expect(response.status).toBe(200)
    const replay = await shop.send({
      ...buyCall({ ...buyBody, variantId: null }),
      headers: { "payment-signature": payment }
    })
    expect([replay.status, await replay.text()]).toEqual([200, await response.text()])
    expect(shop.settlements).toHaveLength(1)
  })

  it.each([
    { message: "a lamp", context: null },
    { message: "a lamp", context: { priceRange: null, preferences: null } },
    { message: "a lamp", context: { priceRange: { min: null, max: 50 } } }
  ])("of shop: %j", async (body) => {
    const shop = await openShop()
    const { response } = await pay(shop, { ...calls.shop, body })
    expect(response.status, await response.clone().text()).toBe(200)
    expect(JSON.stringify(shop.calls.reply)).not.toContain("null")
  })
})

describe("null is a fault", () => {
  it.each([
    ["of a required field", { ...buyBody, email: null }, "email"],
    ["of a required field, beside an optional one", { ...buyBody, email: null, variantId: null }, "email"],
    [
      "within the address",
      { ...buyBody, shippingAddress: { ...address, city: null } },
      "shippingAddress.city"
    ],
    ["of all that names the product", { ...buyBody, asin: null, productUrl: null }, "asin"]
  ])("%s", async (_, body, path) => {
    const shop = await openShop()
    await expectFault(shop, await shop.send(buyCall(body)), path)
  })

  it("in a list", async () => {
    const shop = await openShop()
    const body = { message: "a lamp", context: { preferences: ["quiet", null] } }
    const priced = calls.shop
    const { response } = await pay(shop, { ...calls.shop, body }, { priced })
    expect(response.status).toBe(400)
  })

  it("as a whole body", async () => {
    const shop = await openShop()
    expect((await shop.send({ ...buyCall({}), body: "null" })).status).toBe(400)
    expect((await readChallenge(await shop.send(buyCall({})))).body.error).toMatch(/indicative/)
  })
})
