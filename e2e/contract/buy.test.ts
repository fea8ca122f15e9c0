import { AddressNotServed, ProductNotFound, ProductUnavailable, TemporarilyUnavailable } from "@till402/core"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { address, buyBody, calls } from "./calls.ts"
import { buyResponse, expectRefusal } from "./expectations.ts"
import { pay, readChallenge, signPayment } from "./payer.ts"
import { decimal, expectShape, itHasFields, object, oneOf, string, text, url, uuid } from "./shape.ts"
import { quotedTotal } from "./samples.ts"
import { isInProcess, keepShop, openShop, requestOf, type Script, type Shop } from "./till.ts"

const buyCall = (body: unknown) => ({ method: "POST", path: "/x402/buy", body })
const { asin: _, ...unnamed } = buyBody
const withAddress = (changes: object) => ({ ...buyBody, shippingAddress: { ...address, ...changes } })

const pageOfA = "https://marketplace.example/Walnut-Lamp/dp/B0CONTRACT?ref=x"
const pageOfB = "https://lights.example/products/linen-shade"

describe("POST /x402/buy: bodies that are quoted", () => {
  const marketplaceA = { source: "marketplace_a", asin: "B0CONTRACT" }
  it.each<[string, unknown, object]>([
    ["asin", buyBody, { product: marketplaceA }],
    ["productUrl of the general marketplace", { ...unnamed, productUrl: pageOfA }, { product: marketplaceA }],
    ["asin and productUrl that agree", { ...buyBody, productUrl: pageOfA }, { product: marketplaceA }],
    [
      "storefront productUrl with variantId",
      { ...unnamed, productUrl: pageOfB, variantId: "41" },
      { product: { source: "marketplace_b", productUrl: pageOfB, variantId: "41" } }
    ],
    [
      "storefront productUrl with ?variant=",
      { ...unnamed, productUrl: `${pageOfB}?variant=42` },
      { product: { source: "marketplace_b", variantId: "42" } }
    ],
    [
      "line2 and phone",
      withAddress({ line2: "Flat 3", phone: "+1 503 555 0100" }),
      { shippingAddress: { ...address, line2: "Flat 3", phone: "+1 503 555 0100" } }
    ],
    [
      "line2 and phone of no characters",
      withAddress({ line2: "", phone: "" }),
      { shippingAddress: { ...address, line2: "", phone: "" } }
    ],
    [
      "US state by name and ZIP+4, as on a letter",
      withAddress({ state: "oregon", postalCode: "97201 1234", country: "us" }),
      { shippingAddress: { ...address, state: "OR", postalCode: "97201-1234" } }
    ],
    [
      "an address of another country, in its own script and form",
      withAddress({
        name: "山田 花子",
        city: "東京",
        state: "東京都",
        postalCode: "〒100-0001",
        country: "JP"
      }),
      {
        shippingAddress: {
          name: "山田 花子",
          city: "東京",
          state: "東京都",
          postalCode: "〒100-0001",
          country: "JP"
        }
      }
    ],
    [
      "an address in a country without states and postal codes",
      withAddress({ city: "香港", state: "-", postalCode: "-", country: "hk" }),
      { shippingAddress: { state: "-", postalCode: "-", country: "HK" } }
    ],
    [
      "productUrl with another spelling of its host",
      { ...unnamed, productUrl: "https://LIGHTS.example\\products\\linen-shade", variantId: "41" },
      { product: { source: "marketplace_b", productUrl: pageOfB, variantId: "41" } }
    ],
    [
      "storefront productUrl with another port",
      { ...unnamed, productUrl: "https://lights.example:8443/products/linen-shade", variantId: "41" },
      { product: { source: "marketplace_b", productUrl: "https://lights.example:8443/products/linen-shade" } }
    ],
    ["email", buyBody, { email: "ada@example.com" }],
    ["email with tag and subdomain", { ...buyBody, email: "ada+till@mail.example.co.uk" }, {}]
  ])("%s: 402 of the product total, then 200", async (_, body, expected) => {
    const shop = await openShop()
    const { challenge, response } = await pay(shop, buyCall(body))
    expect(challenge.body.accepts[0]?.maxAmountRequired).toBe("84370000")
    expect(response.status, await response.clone().text()).toBe(200)
    expect(shop.settlements).toMatchObject([{ amount: "84370000" }])
    expect(shop.calls.quote[0]).toMatchObject(expected)
  })

  it.each<[string, string]>([
    ["0.01", "10000"],
    ["1", "1000000"],
    ["19.9", "19900000"],
    ["1234.56", "1234560000"],
    ["0.000001", "1"],
    ["10.0000001", "10000001"]
  ])("a total of %s dollars is %s atomic units, rounded up", async (total, atomic) => {
    const shop = await openShop()
    const { quote } = shop.script
    shop.script.quote = async (request, context) => ({
      ...(await quote(request, context)),
      subtotal: total,
      tax: "0",
      shipping: "0.00",
      total
    })
    const challenge = await readChallenge(await shop.send(calls.buy))
    expect(challenge.body.accepts[0]?.maxAmountRequired).toBe(atomic)
    expect(challenge.header.accepts[0]?.amount).toBe(atomic)
  })

  it("a quote whose lines don't add up to its total is never offered", async () => {
    const shop = await openShop()
    const { quote } = shop.script
    shop.script.quote = async (request, context) => ({ ...(await quote(request, context)), tax: "6.40" })
    await expectRefusal(shop, await shop.send(calls.buy), 502, "FULFILMENT_ERROR")
  })

  it("the same address in another spelling has the same quote", async () => {
    const shop = await openShop()
    await shop.send(calls.buy)
    await shop.send(buyCall(withAddress({ state: "Oregon", country: "us", postalCode: " 97201" })))
    expect(shop.calls.quote).toHaveLength(1)
  })

  it.runIf(isInProcess)("the page of a product is never fetched", async () => {
    const shop = await openShop()
    const fetched = vi.spyOn(globalThis, "fetch")
    try {
      await buyResponse(shop, buyCall({ ...unnamed, productUrl: pageOfB, variantId: "41" }))
      const hosts = fetched.mock.calls.map(([input]) => new URL(new Request(input).url).hostname)
      expect(hosts).not.toContain("lights.example")
    } finally {
      fetched.mockRestore()
    }
  })

  it("another address has another quote", async () => {
    const shop = await openShop()
    await shop.send(calls.buy)
    await shop.send(buyCall(withAddress({ state: "WA" })))
    expect(shop.calls.quote.map(({ shippingAddress }) => shippingAddress.state)).toEqual(["OR", "WA"])
  })

  it("a payment of the old amount is refused at a new price", async () => {
    const shop = await openShop()
    const { quote } = shop.script
    shop.script.quote = async (request, context) => ({
      ...(await quote(request, context)),
      expiresAt: new Date(Date.now() + 4_200)
    })
    const challenge = await readChallenge(await shop.send(calls.buy))
    const payment = await signPayment(challenge, 2)
    await new Promise((resolve) => setTimeout(resolve, 4_250))
    shop.script.quote = async (request, context) => ({
      ...(await quote(request, context)),
      subtotal: "79.99",
      total: "94.37"
    })
    const response = await shop.send({ ...calls.buy, headers: { "PAYMENT-SIGNATURE": payment } })
    const { body } = await readChallenge(response)
    expect(body.accepts[0]?.maxAmountRequired).toBe("94370000")
    expect(shop.settlements).toEqual([])
    expect(shop.calls.place).toEqual([])
  })

  it("the same request sent twice has one quote", async () => {
    const shop = await openShop()
    await shop.send(calls.buy)
    await shop.send(calls.buy)
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("bought twice with two payments: 409, one order; on purpose: two", async () => {
    const shop = await openShop()
    const first = (await buyResponse(shop, calls.buy)) as { orderId: string }
    const { payment, response } = await pay(shop, calls.buy)
    expect([response.status, await response.json()]).toMatchObject([409, { code: "DUPLICATE_ORDER" }])
    expect(response.headers.get("payment-required")).toBeNull()
    expect(shop.settlements).toHaveLength(1)
    const headers = { "PAYMENT-SIGNATURE": payment, "Allow-Duplicate-Order": "true" }
    const second = (await (await shop.till.fetch(requestOf(calls.buy, headers))).json()) as typeof first
    expect(second.orderId).not.toBe(first.orderId)
    expect(shop.settlements).toHaveLength(2)
    // The header isn't part of what the payment bought.
    const again = await shop.till.fetch(requestOf(calls.buy, { "PAYMENT-SIGNATURE": payment }))
    expect(await again.json()).toEqual(second)
  })
})

describe("POST /x402/buy: the response", () => {
  const money = object({ amount: decimal, currency: string })
  const product = object({ title: text }, { imageUrl: url, price: money })
  const fields = { orderId: uuid, status: oneOf("processing"), product, totalPrice: money }
  let shop: Shop
  let body: { orderId: string; product: Record<string, unknown>; totalPrice: unknown }
  beforeAll(async () => {
    shop = await keepShop()
    body = (await buyResponse(shop, calls.buy)) as typeof body
  })
  afterAll(() => shop.till.dispose())

  describe("X402BuyResponse", () => itHasFields(fields, () => body))
  it("product.title", () => expect(body.product["title"]).toBe("Walnut desk lamp"))
  it("product.imageUrl", () => expect(body.product["imageUrl"]).toBe("https://images.example/lamp.jpg"))
  it("product.price", () => expect(body.product["price"]).toEqual({ amount: "69.99", currency: "USD" }))
  it("totalPrice is the paid amount", () =>
    expect(body.totalPrice).toEqual({ amount: quotedTotal, currency: "USD" }))
  it("the order is placed once, with its id", async () => {
    await vi.waitFor(() => expect(shop.calls.place).toHaveLength(1), { timeout: 60_000 })
    expect(shop.calls.place[0]).toMatchObject({
      orderId: body.orderId,
      reference: "upstream-quote-1",
      shippingAddress: address,
      email: "ada@example.com"
    })
    expect(Number(shop.calls.place[0]?.total)).toBe(Number(quotedTotal))
  })

  it("imageUrl and price are omitted if unknown, never null", async () => {
    const bare = await openShop()
    const { quote } = bare.script
    bare.script.quote = async (request, context) => ({
      ...(await quote(request, context)),
      product: { title: "Walnut desk lamp" }
    })
    const withoutImage = (await buyResponse(bare, calls.buy)) as typeof body
    expectShape(withoutImage, object(fields))
    expect(withoutImage.product).toEqual({ title: "Walnut desk lamp" })
  })
})

describe("POST /x402/buy: what can't be quoted", () => {
  const refusals: ReadonlyArray<readonly [string, () => Error, number, string]> = [
    ["unknown product", () => new ProductNotFound({ message: "no such product" }), 400, "PRODUCT_NOT_FOUND"],
    [
      "out of stock",
      () => new ProductUnavailable({ message: "out of stock", reason: "out_of_stock" }),
      400,
      "PRODUCT_UNAVAILABLE"
    ],
    [
      "address not served",
      () => new AddressNotServed({ message: "not shipped there" }),
      400,
      "ADDRESS_NOT_SERVED"
    ],
    ["fulfilment broken", () => new Error("boom"), 502, "FULFILMENT_ERROR"],
    ["fulfilment down", () => new TemporarilyUnavailable({ message: "down" }), 503, "FULFILMENT_UNAVAILABLE"]
  ]
  const failing =
    (error: () => Error): Script["quote"] =>
    async () => {
      throw error()
    }

  it.each(refusals)("%s", async (_, error, status, code) => {
    const shop = await openShop({ script: { quote: failing(error) } })
    await expectRefusal(shop, await shop.send(calls.buy), status, code)
  })

  it("the out-of-stock error has a machine-readable reason", async () => {
    const shop = await openShop({ script: { quote: failing(refusals[1]![1]) } })
    const { details } = await expectRefusal(shop, await shop.send(calls.buy), 400, "PRODUCT_UNAVAILABLE")
    expect(details).toMatchObject({ reason: "out_of_stock" })
  })

  it("a quote in another currency is never offered", async () => {
    const shop = await openShop()
    const { quote } = shop.script
    shop.script.quote = async (request, context) => ({ ...(await quote(request, context)), currency: "EUR" })
    const response = await shop.send(calls.buy)
    expect([400, 502]).toContain(response.status)
  })
})
