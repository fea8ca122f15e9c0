import { beforeAll, describe, expect, it } from "vitest"
import { calls, type Operation } from "./calls.ts"
import { expectRefusal } from "./expectations.ts"
import { keepShop, openShop, type PortName } from "./till.ts"

/*
 * The OpenAPI document, the discovery listing, and the effects of omitting a port.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

const operations: ReadonlyArray<readonly [Operation, "get" | "post", string]> = [
  ["search", "get", "/x402/search"],
  ["shop", "post", "/x402/shop"],
  ["buy", "post", "/x402/buy"],
  ["track", "get", "/x402/track"],
  ["vaultSearch", "get", "/x402/vault/search"],
  ["vaultBuy", "post", "/x402/vault/buy"],
  ["vaultDownload", "get", "/x402/vault/download/{purchaseId}"]
]

const fixed: ReadonlyArray<readonly [string, string, number]> = [
  ["get", "/x402/search", 0.01],
  ["post", "/x402/shop", 0.1],
  ["get", "/x402/track", 0.52],
  ["get", "/x402/vault/search", 0.01],
  ["get", "/x402/vault/download/{purchaseId}", 0.01]
]

/** The parameter tables: name, location, type, required. */
const parameters: ReadonlyArray<
  readonly [string, ReadonlyArray<readonly [string, string, string, boolean]>]
> = [
  [
    "/x402/search",
    [
      ["q", "query", "string", true],
      ["priceMin", "query", "number", false],
      ["priceMax", "query", "number", false],
      ["brand", "query", "string", false],
      ["page", "query", "integer", false]
    ]
  ],
  [
    "/x402/track",
    [
      ["number", "query", "string", true],
      ["carrier", "query", "integer", false],
      ["destinationPostalCode", "query", "string", false],
      ["destinationCountry", "query", "string", false],
      ["shipDate", "query", "string", false],
      ["phone", "query", "string", false],
      ["cpfOrCnpj", "query", "string", false]
    ]
  ],
  [
    "/x402/vault/search",
    [
      ["q", "query", "string", false],
      ["category", "query", "string", false],
      ["productType", "query", "string", false],
      ["minPrice", "query", "integer", false],
      ["maxPrice", "query", "integer", false],
      ["cursor", "query", "string", false],
      ["limit", "query", "integer", false]
    ]
  ],
  [
    "/x402/vault/download/{purchaseId}",
    [
      ["purchaseId", "path", "string", true],
      ["downloadToken", "query", "string", true]
    ]
  ]
]

const bodies: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["/x402/shop", ["message"], ["context"]],
  ["/x402/buy", ["shippingAddress", "email"], ["asin", "productUrl", "variantId"]],
  ["/x402/vault/buy", ["slug", "walletAddress", "email"], []]
]

const statuses: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
  ["get", "/x402/search", ["200", "400", "402"]],
  ["post", "/x402/shop", ["200", "400", "402"]],
  ["post", "/x402/buy", ["200", "400", "402"]],
  ["get", "/x402/track", ["200", "400", "402", "404", "422", "502", "503"]],
  ["get", "/x402/vault/search", ["200", "402"]],
  ["post", "/x402/vault/buy", ["200", "402"]],
  ["get", "/x402/vault/download/{purchaseId}", ["200", "402"]]
]

describe("/openapi.json", () => {
  let document: Json
  beforeAll(async () => {
    const shop = await keepShop()
    const response = await shop.send({ path: "/openapi.json" })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    document = await response.json()
    await shop.till.dispose()
  })

  const operation = (method: string, path: string): Json => document.paths[path]?.[method]
  const resolve = (schema: Json): Json =>
    typeof schema?.$ref === "string"
      ? resolve(
          schema.$ref
            .slice(2)
            .split("/")
            .reduce((node: Json, key: string) => node?.[key], document)
        )
      : schema
  const jsonSchema = (content: Json): Json => resolve(content["application/json"]?.schema)
  const typesOf = (schema: Json): ReadonlyArray<string> => {
    const resolved = resolve(schema)
    return [resolved.type, ...[...(resolved.anyOf ?? []), ...(resolved.allOf ?? [])].flatMap(typesOf)].filter(
      Boolean
    )
  }

  it("is OpenAPI 3.1", () => expect(document.openapi).toMatch(/^3\.1\./))
  it("carries version 1.0.0", () => expect(document.info.version).toBe("1.0.0"))
  it("names the public address", () => expect(document.servers).toEqual([{ url: "https://shop.example" }]))
  it("contains exactly the seven operations, and pages that are free", () => {
    const paths = Object.keys(document.paths).sort()
    expect(paths.filter((path) => path.startsWith("/x402/"))).toEqual(
      operations.map(([, , path]) => path).sort()
    )
    const free = paths.filter((path) => !path.startsWith("/x402/"))
    for (const path of free) expect(path).toMatch(/^\/x402-status\//)
    for (const path of free)
      for (const operation of Object.values(document.paths[path]))
        expect(operation).toMatchObject({ security: [] })
  })

  it("has one security scheme: an API key in the header PAYMENT-SIGNATURE", () => {
    const schemes = Object.values(document.components.securitySchemes)
    expect(schemes).toMatchObject([{ type: "apiKey", in: "header", name: "PAYMENT-SIGNATURE" }])
  })

  describe.each(operations)("%s: %s %s", (_, method, path) => {
    it("uses it", () => {
      const [scheme] = Object.keys(document.components.securitySchemes)
      expect(operation(method, path).security ?? document.security).toEqual([{ [scheme!]: [] }])
    })
    it("has a 402 of PaymentRequired", () => {
      const schema = jsonSchema(operation(method, path).responses["402"].content)
      expect([...schema.required].sort()).toEqual(["accepts", "error", "x402Version"])
      const option = resolve(resolve(schema.properties.accepts).items)
      expect([...option.required].sort()).toEqual([
        "asset",
        "description",
        "maxAmountRequired",
        "maxTimeoutSeconds",
        "mimeType",
        "network",
        "payTo",
        "resource",
        "scheme"
      ])
    })
    it("is marked as paid by x402", () =>
      expect(operation(method, path)["x-payment-info"].protocols).toEqual([{ x402: {} }]))
  })

  it.each(fixed)("%s %s has the fixed price %d", (method, path, dollars) => {
    const { price } = operation(method, path)["x-payment-info"]
    expect(price).toMatchObject({ mode: "fixed", currency: "USD" })
    expect(Number(price.amount)).toBe(dollars)
  })
  it.each(["/x402/buy", "/x402/vault/buy"])("post %s has a dynamic price with bounds", (path) => {
    const { price } = operation("post", path)["x-payment-info"]
    expect(price).toMatchObject({ mode: "dynamic", currency: "USD" })
    expect(Number(price.min)).toBeGreaterThan(0)
    expect(Number(price.max)).toBeGreaterThan(Number(price.min))
  })

  it.each(parameters)("get %s has the parameters of its table", (path, table) => {
    const documented = operation("get", path).parameters.map((parameter: Json) => [
      parameter.name,
      parameter.in,
      typesOf(parameter.schema)[0],
      parameter.required === true
    ])
    const byName = (left: Json, right: Json) => (left[0] < right[0] ? -1 : 1)
    expect(documented.sort(byName)).toEqual([...table].sort(byName))
  })
  it.each(bodies)("post %s has the body of its table", (path, required, optional) => {
    const schema = jsonSchema(operation("post", path).requestBody.content)
    expect([...schema.required].sort()).toEqual([...required].sort())
    expect(Object.keys(schema.properties).sort()).toEqual([...required, ...optional].sort())
  })
  it.each(statuses)("%s %s documents the statuses of the contract", (method, path, expected) =>
    expect(Object.keys(operation(method, path).responses)).toEqual(expect.arrayContaining([...expected]))
  )
  it("the download is application/zip", () =>
    expect(
      Object.keys(operation("get", "/x402/vault/download/{purchaseId}").responses["200"].content)
    ).toEqual(["application/zip"]))
})

describe("/.well-known/x402", () => {
  it("lists the six resources, version 1; track is not among them", async () => {
    const shop = await openShop()
    const response = await shop.send({ path: "/.well-known/x402" })
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toMatch(/^application\/json/)
    expect(await response.json()).toMatchObject({
      version: 1,
      resources: [
        "GET /x402/search",
        "POST /x402/shop",
        "POST /x402/buy",
        "GET /x402/vault/search",
        "POST /x402/vault/buy",
        "GET /x402/vault/download/{purchaseId}"
      ]
    })
  })
})

describe("omitting a port omits its routes, listing and OpenAPI entry", () => {
  it.each<[PortName, ReadonlyArray<Operation>]>([
    ["marketplaces", ["search"]],
    ["assistant", ["shop"]],
    ["fulfilment", ["buy"]],
    ["tracker", ["track"]],
    ["vault", ["vaultSearch", "vaultBuy", "vaultDownload"]],
    ["mailer", []]
  ])("%s", async (port, gone) => {
    const shop = await openShop({ without: [port] })
    const paths = Object.keys(((await (await shop.send({ path: "/openapi.json" })).json()) as Json).paths)
    const { resources } = (await (await shop.send({ path: "/.well-known/x402" })).json()) as {
      resources: ReadonlyArray<string>
    }
    for (const [operation, method, path] of operations) {
      const there = !gone.includes(operation)
      const response = await shop.send(calls[operation])
      if (there) expect(response.status).toBe(402)
      else await expectRefusal(shop, response, 404, "NOT_FOUND")
      expect(paths.includes(path)).toBe(there)
      expect(resources.includes(`${method.toUpperCase()} ${path}`)).toBe(there && operation !== "track")
    }
  })

  it("the description names the remaining routes", async () => {
    const shop = await openShop({ without: ["assistant", "fulfilment", "vault"] })
    const { info } = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
    expect(info.description).toMatch(/^Search products\. Track a shipment\. Every call is paid /)
  })

  it("sales say whether a mail comes, in their 402 too, and the document who answers questions", async () => {
    const documentOf = async (settings: Parameters<typeof openShop>[0]) => {
      const shop = await openShop(settings)
      const document = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
      for (const [operation, path] of [
        ["buy", "/x402/buy"],
        ["vaultBuy", "/x402/vault/buy"]
      ] as const) {
        const { error } = (await (await shop.send(calls[operation])).json()) as Json
        const words = / (?:No mail is sent|Mails|A mail)\b.*\.$/.exec(error)?.[0]
        expect(words, error).toBeDefined()
        expect(document.paths[path].post.description).toContain(words)
      }
      return document
    }
    const wordsOf = ({ paths }: Json) =>
      ["/x402/buy", "/x402/vault/buy"].map((path) => paths[path].post.description as string)
    const mailing = await documentOf({ options: { support: "help@shop.example" } })
    expect(wordsOf(mailing)).toEqual([
      expect.stringMatching(/ Mails to the email in the body confirm the order, and say when it is shipped/),
      expect.stringMatching(/ A mail to the email in the body has the purchase id and the token, too\.$/)
    ])
    expect(mailing.info.contact).toEqual({ email: "help@shop.example" })
    const silent = await documentOf({
      without: ["mailer"],
      options: { support: "https://shop.example/help" }
    })
    expect(wordsOf(silent)).toEqual(
      Array(2).fill(expect.stringMatching(/ No mail is sent: keep the response\.$/))
    )
    expect(silent.info.contact).toEqual({ url: "https://shop.example/help" })
    expect((await documentOf({})).info).not.toHaveProperty("contact")
  })

  it("counts the tracker's carriers and names the served countries, where the host says them", async () => {
    const { script } = await openShop()
    const wordsOf = async (options: NonNullable<Parameters<typeof openShop>[0]>["options"]) => {
      const shop = await openShop(options === undefined ? {} : { options })
      const { paths } = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
      return [paths["/x402/track"].get.description, paths["/x402/buy"].post.description]
    }
    const { place, quote, track } = script
    const said = await wordsOf({
      tracker: { track, carriers: 3_400 },
      fulfilment: {
        quote,
        place,
        countries: ["US", "CA"],
        generalMarketplace: { hosts: ["amazon.com"], country: "US" }
      }
    })
    expect(said).toEqual([
      expect.stringContaining("more than 3,400 carriers"),
      expect.stringContaining("The general marketplace is amazon.com (US). Delivers to US, CA.")
    ])
    for (const words of await wordsOf(undefined)) expect(words).not.toMatch(/\d carriers|Delivers to/)
  })

  it("says that a payment has settled where that comes before the work", async () => {
    const shop = await openShop({ options: { settlement: { track: "before-work" } } })
    const { paths } = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
    const responseOf = (path: string, status: number) => paths[path].get.responses[status]
    for (const status of [400, 404, 422, 502]) {
      const { content, description } = responseOf("/x402/track", status)
      expect(description).toMatch(/details\.owedUntil|details has owedUntil/)
      const { details } = content["application/json"].schema.allOf[1].properties
      expect(Object.keys(details.properties)).toEqual(expect.arrayContaining(["owedUntil", "transaction"]))
    }
    expect(responseOf("/x402/track", 404).description).not.toMatch(/Nothing is charged/)
    expect(responseOf("/x402/search", 502).description).toMatch(/Nothing is charged/)
  })

  it("names the sign-in that opens a purchase for free, where the host allows it", async () => {
    const headersOf = async (options: NonNullable<Parameters<typeof openShop>[0]>["options"]) => {
      const shop = await openShop(options === undefined ? {} : { options })
      const { paths } = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
      return paths["/x402/vault/download/{purchaseId}"].get.parameters
        .filter((parameter: Json) => parameter.in === "header")
        .map(({ name }: Json) => name)
    }
    const { script } = await openShop()
    expect(await headersOf({ vault: { open: script.open, freeReaccess: true } })).toEqual(["SIGN-IN-WITH-X"])
    expect(await headersOf(undefined)).toEqual([])
  })

  it.each([
    [{ carriers: 0.5 }, /tracker.carriers must be a whole number above 0/],
    [{ carriers: "many" }, /tracker.carriers must be a whole number above 0/]
  ])("refuses a tracker with %j at start", async (wrong, message) => {
    const { script } = await openShop()
    const tracker = { track: script.track, ...wrong } as never
    await expect(openShop({ options: { tracker } })).rejects.toThrow(message)
  })

  it("refuses countries that don't exist, at start", async () => {
    const { script } = await openShop()
    const { place, quote } = script
    const opened = openShop({ options: { fulfilment: { quote, place, countries: ["UK"] } } })
    await expect(opened).rejects.toThrow(/fulfilment.countries must be a list of ISO 3166-1 alpha-2 codes/)
  })

  it("a single marketplace is searched alone", async () => {
    const products = async () => ({ products: [], totalResults: 0, hasMore: false })
    const shop = await openShop({ options: { marketplaces: { marketplace_b: { search: products } } } })
    expect((await shop.send(calls.search)).status).toBe(402)
  })
})

describe("GET /openapi.json: headers", () => {
  it("names the one that tells an empty page from an outage", async () => {
    const shop = await openShop()
    const { paths } = (await (await shop.send({ path: "/openapi.json" })).json()) as Json
    const { headers } = paths["/x402/search"].get.responses["200"]
    expect(headers["X-Missing-Marketplaces"].description).toMatch(/failed or were too slow/)
    expect(paths["/x402/track"].get.responses["200"].headers).not.toHaveProperty("X-Missing-Marketplaces")
  })
})

describe("the documents can be moved or disabled", () => {
  it("moved", async () => {
    const shop = await openShop({ options: { openapiPath: "/docs/api.json", discoveryPath: "/listing" } })
    expect((await shop.send({ path: "/docs/api.json" })).status).toBe(200)
    expect((await shop.send({ path: "/listing" })).status).toBe(200)
    expect(shop.till.handles("/docs/api.json")).toBe(true)
    expect(shop.till.handles("/openapi.json")).toBe(false)
  })

  it("when disabled, requests fall through to the host", async () => {
    const shop = await openShop({ options: { openapiPath: false, discoveryPath: false, llmsPath: false } })
    for (const path of ["/openapi.json", "/.well-known/x402", "/.well-known/x402.json", "/llms.txt"]) {
      expect(shop.till.handles(path)).toBe(false)
      expect((await shop.send({ path })).status).toBe(404)
    }
    expect(shop.till.handles("/x402/search")).toBe(true)
  })
})
