import {
  AdditionalFieldRequired,
  CarrierNotDetected,
  InvalidCarrier,
  NoTrackingInfo,
  TemporarilyUnavailable
} from "@till402/core"
import { readFileSync } from "node:fs"
import { beforeAll, describe, expect, it } from "vitest"
import { anotherPurchase, calls } from "./calls.ts"
import { Documented } from "./documented.ts"
import { buyResponse } from "./expectations.ts"
import { pay } from "./payer.ts"
import { delivered, productA, unknownShipment, vaultItem, withoutExpedited } from "./samples.ts"
import { keepShop, openShop, type Shop } from "./till.ts"

/*
 * The contract's tables of responses in the document, and the server's responses and errors by the document's schemas.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

let shop: Shop
let documented: Documented
beforeAll(async () => {
  shop = await keepShop()
  documented = await Documented.of(shop)
  return () => shop.till.dispose()
})

interface Table {
  /** Name of the schema in the document. */
  readonly schema: string
  readonly sample: object
  readonly nullable?: string
  readonly optional?: string
}

const products = "price rating reviewCount imageUrl productUrl"

/** The contract's tables of section 2: a value with every field, and which fields may be null or left out. */
const tables: ReadonlyArray<Table> = [
  { schema: "Product", sample: withoutExpedited(productA), nullable: products },
  { schema: "SearchProduct", sample: productA, nullable: products },
  {
    schema: "SearchResponse",
    sample: { products: [productA], totalResults: 1, page: 1, hasMore: false }
  },
  { schema: "ShopResponse", sample: { reply: "A lamp.", products: [withoutExpedited(productA)] } },
  {
    schema: "X402BuyResponse",
    sample: {
      orderId: vaultItem.id,
      status: "processing",
      product: {
        title: "Lamp",
        imageUrl: "https://images.example/lamp.jpg",
        price: { amount: "69.99", currency: "USD" }
      },
      totalPrice: { amount: "84.37", currency: "USD" }
    }
  },
  {
    schema: "TrackResult",
    sample: delivered,
    nullable:
      "subStatus statusDescription lastMileCarrier origin destination latestEvent pickedUpAt deliveredAt daysInTransit daysSinceLastUpdate estimatedDelivery serviceType weightKg carrierNotice"
  },
  { schema: "TrackCarrier", sample: delivered.carrier, nullable: "code name homepage country" },
  {
    schema: "TrackingEvent",
    sample: delivered.events[0]!,
    nullable: "time description location stage"
  },
  { schema: "TrackMilestone", sample: delivered.milestones[0]!, nullable: "time" },
  { schema: "VaultItem", sample: vaultItem },
  {
    schema: "VaultSearchResponse",
    sample: { items: [vaultItem], nextCursor: vaultItem.id },
    nullable: "nextCursor"
  },
  {
    schema: "VaultPurchase",
    sample: {
      purchaseId: vaultItem.id,
      downloadToken: "secret",
      item: {
        slug: vaultItem.slug,
        title: vaultItem.title,
        productType: vaultItem.productType,
        price: vaultItem.price,
        coverImageUrl: vaultItem.coverImageUrl
      }
    }
  },
  { schema: "PaymentRequired", sample: { x402Version: 1, error: "pay", accepts: [] } },
  {
    schema: "PaymentOption",
    sample: {
      scheme: "exact",
      network: "base",
      maxAmountRequired: "10000",
      resource: "https://shop.example/x402/search",
      description: "Search",
      mimeType: "application/json",
      maxTimeoutSeconds: 60,
      asset: "0x0",
      payTo: "0x0",
      extra: {},
      outputSchema: {}
    },
    optional: "extra outputSchema"
  },
  { schema: "ApiError", sample: { code: "A", message: "b", details: {} }, optional: "details" }
]

describe.each(tables)("the fields of $schema", ({ nullable = "", optional = "", sample, schema }) => {
  it.each(Object.keys(sample))("%s: required or not, nullable or not, of its type", (field) => {
    const validate = documented.validator(documented.document.components.schemas[schema])
    const { [field]: present, ...others } = sample as Readonly<Record<string, unknown>>
    expect(validate(sample), JSON.stringify(validate.errors)).toBe(true)
    expect(validate(others)).toBe(optional.split(" ").includes(field))
    expect(validate({ ...sample, [field]: null })).toBe(nullable.split(" ").includes(field))
    expect(validate({ ...sample, [field]: typeof present === "string" ? 1 : "text" })).toBe(false)
  })
})

describe("optional parts of X402BuyResponse", () => {
  it("title is required, imageUrl and price aren't; amount and currency are, both", () => {
    const validate = documented.validator(documented.document.components.schemas.X402BuyResponse)
    const order = { orderId: vaultItem.id, status: "processing" }
    const totalPrice = { amount: "84.37", currency: "USD" }
    const withProduct = (product: object) => validate({ ...order, totalPrice, product })
    expect(withProduct({ title: "Lamp" })).toBe(true)
    expect(withProduct({})).toBe(false)
    expect(withProduct({ title: "Lamp", price: { amount: "1.00" } })).toBe(false)
    expect(withProduct({ title: "Lamp", price: { currency: "USD" } })).toBe(false)
  })
})

describe("enumerations and units of responses", () => {
  const valuesOf = (schema: string, field: string) =>
    documented.resolved(documented.document.components.schemas[schema].properties[field]).enum
  it.each([
    ["Product", "source", "marketplace_a marketplace_b"],
    [
      "TrackResult",
      "status",
      "NotFound InfoReceived InTransit Expired AvailableForPickup OutForDelivery DeliveryFailure Delivered Exception"
    ],
    [
      "TrackMilestone",
      "stage",
      "InfoReceived PickedUp Departure Arrival AvailableForPickup OutForDelivery Delivered Returning Returned"
    ],
    ["VaultItem", "productType", "skill knowledge persona"],
    ["VaultItem", "category", "marketing development automation career ios productivity"]
  ])("%s.%s", (schema, field, values) => expect(valuesOf(schema, field)).toEqual(values.split(" ")))

  it("a vault price is a whole number of dollars, and never negative", () => {
    const { price } = documented.document.components.schemas.VaultItem.properties
    expect(price).toMatchObject({ type: "integer", minimum: 1 })
    expect(price.description).toMatch(/stablecoin dollars/i)
  })
})

/** Headers of every response, which a document needn't name: the till's, and those of a framework's server. */
const ofAll =
  /^(?:content-type|content-length|cache-control|vary|access-control-.*|connection|date|keep-alive|transfer-encoding|x-powered-by)$/

/** The other headers of a response that the document doesn't have. */
const unnamedOf = (response: Response, described: Json): ReadonlyArray<string> => {
  const named = Object.keys(described.headers).map((name) => name.toLowerCase())
  return [...response.headers.keys()].filter((name) => !ofAll.test(name) && !named.includes(name))
}

describe("each response is as the document has it", () => {
  const bought = [
    ["get", "/x402/search", calls.search],
    ["post", "/x402/shop", calls.shop],
    ["post", "/x402/buy", calls.buy],
    ["get", "/x402/track", calls.track],
    ["get", "/x402/vault/search", calls.vaultSearch],
    ["post", "/x402/vault/buy", calls.vaultBuy]
  ] as const
  it.each(bought)("200 of %s %s, and its 402", async (method, path, call) => {
    const { responses: described } = documented.operation(method, path)
    const schemaOf = (status: number) =>
      documented.validator(described[status].content["application/json"].schema)
    const { response } = await pay(shop, "body" in call ? anotherPurchase<object>(call) : call)
    const body = await response.json()
    expect(response.status, JSON.stringify(body)).toBe(200)
    const validate = schemaOf(200)
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
    for (const name of Object.keys(described["200"].headers))
      if (!/missing|x-payment/i.test(name)) expect(response.headers.has(name), name).toBe(true)
    const unpaid = await shop.send(call)
    expect(unpaid.headers.has("payment-required")).toBe(true)
    expect(schemaOf(402)(await unpaid.json())).toBe(true)
    expect(unnamedOf(response, described["200"])).toEqual([])
    expect(unnamedOf(unpaid, described["402"])).toEqual([])
  })

  it("a refused payment's 402 has no other headers than the document, and the archive has none", async () => {
    const { responses: ofSearch } = documented.operation("get", "/x402/search")
    const refused = await pay(shop, calls.search, {
      version: 1,
      deviation: { authorization: { value: "1" } }
    })
    expect(refused.response.status).toBe(402)
    expect(refused.response.headers.has("x-payment-response")).toBe(true)
    expect(unnamedOf(refused.response, ofSearch["402"])).toEqual([])
    const { response: bought } = await pay(shop, anotherPurchase<object>(calls.vaultBuy))
    const { downloadToken, purchaseId }: Json = await bought.json()
    const path = `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}`
    const { response } = await pay(shop, { path }, { version: 1 })
    const { responses: ofDownload } = documented.operation("get", "/x402/vault/download/{purchaseId}")
    expect([response.status, unnamedOf(response, ofDownload["200"])]).toEqual([200, []])
  })

  it("a parcel that is unknown", async () => {
    const other = await openShop({ script: { track: async () => unknownShipment } })
    const body = await buyResponse(other, { path: "/x402/track?number=NEW-00001" })
    const { schema } = documented.operation("get", "/x402/track").responses["200"].content["application/json"]
    expect(documented.validator(schema)(body)).toBe(true)
  })

  it("the free status page of an order and of a purchase", async () => {
    for (const [kind, call] of [
      ["orders", calls.buy],
      ["purchases", calls.vaultBuy]
    ] as const) {
      const { response } = await pay(shop, anotherPurchase<object>(call))
      const [, url] = /<(.+)>/.exec(response.headers.get("link")!)!
      const headers = { "status-token": response.headers.get("status-token")! }
      const page = await shop.send({ path: new URL(url!).pathname, headers })
      expect(page.status).toBe(200)
      const { content } = documented.operation("get", `/x402-status/${kind}/{id}`).responses["200"]
      const validate = documented.validator(content["application/json"].schema)
      const body: Json = await page.json()
      expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
      const known = Object.keys(content["application/json"].schema.properties)
      expect(Object.keys(body).filter((name) => !known.includes(name))).toEqual([])
    }
  })
})

describe("errors", () => {
  const codeOf = (method: string, path: string, status: number) =>
    documented.operation(method, path).responses[status].content["application/json"].schema
  const refusals: ReadonlyArray<readonly [string, number, Error]> = [
    ["NO_TRACKING_INFO", 404, new NoTrackingInfo({ message: "Nothing yet." })],
    [
      "CARRIER_NOT_DETECTED",
      422,
      new CarrierNotDetected({ message: "Several.", candidates: [{ code: 1, name: "One" }] })
    ],
    [
      "ADDITIONAL_FIELD_REQUIRED",
      422,
      new AdditionalFieldRequired({ message: "Send it.", field: "destinationPostalCode" })
    ],
    ["INVALID_CARRIER", 422, new InvalidCarrier({ message: "Another one." })],
    ["TRACKING_PROVIDER_ERROR", 502, new Error("broken")],
    ["TRACKING_PROVIDER_UNAVAILABLE", 503, new TemporarilyUnavailable({ message: "down" })]
  ]
  it.each(refusals)("%s, %d: as the document has it", async (code, status, error) => {
    const failing = await openShop({ script: { track: () => Promise.reject(error) } })
    const { response } = await pay(failing, calls.track)
    const body: Json = await response.json()
    expect([response.status, body.code]).toEqual([status, code])
    const schema = codeOf("get", "/x402/track", status)
    const validate = documented.validator(schema)
    expect(validate(body), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ ...body, code: "ANOTHER_CODE" })).toBe(false)
    const known = Object.keys(schema.allOf[1].properties.details?.properties ?? {})
    expect(Object.keys(body.details ?? {}).filter((name) => !known.includes(name))).toEqual([])
  })

  it("a fault of the input lists issues", async () => {
    const response = await shop.send({ ...calls.buy, body: { email: "ada" } })
    const validate = documented.validator(codeOf("post", "/x402/buy", 400))
    expect(validate(await response.json()), JSON.stringify(validate.errors)).toBe(true)
    expect(validate({ code: "VALIDATION_ERROR", message: "", details: { issues: ["email"] } })).toBe(false)
  })

  it("every code of docs/errors.md that these routes have is in the document", () => {
    const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8")
    const table = page.slice(page.indexOf("## All statuses"), page.indexOf("A payment with a `409`"))
    const codes = [...new Set(table.match(/(?<=`)[A-Z]+_[A-Z_]+(?=`)/g))]
    const text = JSON.stringify(documented.document)
    // Of other paths and methods, and of the host's own routes.
    const others = ["NOT_FOUND", "METHOD_NOT_ALLOWED", "OPERATION_TIMEOUT", "HANDLER_FAILED"]
    expect(codes).toContain("SETTLEMENT_PENDING")
    expect(codes.filter((code) => !text.includes(`\`${code}\``))).toEqual(others)
  })

  it("each says what was charged, and what to do with the same payment", () => {
    for (const [path, methods] of Object.entries<Json>(documented.document.paths)) {
      if (!path.startsWith("/x402/")) continue
      for (const { responses: described } of Object.values<Json>(methods))
        for (const [status, { content, description, headers = {} }] of Object.entries<Json>(described)) {
          if (Number(status) < 400 || status === "402") continue
          expect(description, `${path} ${status}`).toMatch(/charged|same payment|again/i)
          expect(content["application/json"].schema.allOf[1].properties.code.enum.length).toBeGreaterThan(0)
          if (["409", "429", "503"].includes(status)) expect(headers).toHaveProperty("Retry-After")
        }
    }
  })
})
