import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { TemporarilyUnavailable } from "../../src/shop/ports/PortErrors.ts"
import { fakeFulfilment } from "../../../testing/src/index.ts"
import { signInMessage, type SignInInfo } from "../../src/toll/signin/SignInChallenge.ts"
import {
  baseUrl,
  buy,
  type Call,
  email,
  jsonOf,
  openTill,
  type OpenOptions,
  receiptOf,
  type ReceivedResponse,
  shippingAddress,
  vaultBuy
} from "../toll/openTill.ts"
import { otherPayer, payer } from "../toll/wallet.ts"

/*
 * What became of a payment: who may learn how much of it, free of charge.
 */

const network = "eip155:84532"

const openShop = async (call: Call = buy, options: OpenOptions = {}) => {
  const shop = await openTill(options)
  const payment = await shop.payFor(call)
  const bought = await shop.present(call, payment)
  expect(bought.status, bought.text).toBe(200)
  const url = /^<(.*)>; rel="status"$/.exec(bought.headers.get("link") ?? "")![1]!
  const page: Call = { path: url.slice(baseUrl.length) }
  return { shop, page, payment, bought, token: bought.headers.get("status-token")! }
}

type Shop = Awaited<ReturnType<typeof openTill>>

interface Challenging {
  readonly "sign-in-with-x": { readonly info: SignInInfo }
}

/** The challenge of a 401, or beside a state. */
const challengeIn = (response: ReceivedResponse): SignInInfo => {
  const body = jsonOf(response)
  const challenging = (response.status === 401 ? body["details"] : body) as Challenging
  return challenging["sign-in-with-x"].info
}

const proofFor = async (shop: Shop, page: Call, account = payer): Promise<string> => {
  const info = challengeIn(await shop.send(page))
  const signature = await account.signMessage({ message: signInMessage(info, network, account.address) })
  const proof = { ...info, address: account.address, chainId: network, type: "eip191", signature }
  return Buffer.from(JSON.stringify(proof)).toString("base64")
}

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document
type Json = any

/** Fields of a value that its JSON Schema doesn't have, and those that it lacks. */
const undocumented = (value: Json, schema: Json, at = ""): ReadonlyArray<string> => {
  if (typeof value !== "object" || value === null) return []
  const { items, properties, required = [] }: Json = schema.anyOf?.[0] ?? schema
  if (Array.isArray(value))
    return value.flatMap((each, index) => undocumented(each, items ?? {}, `${at}[${index}]`))
  // Any object.
  if (properties === undefined) return []
  return [
    ...required.filter((name: string) => !(name in value)).map((name: string) => `${at}.${name} is missing`),
    ...Object.entries(value).flatMap(([name, part]) =>
      name in properties ? undocumented(part, properties[name], `${at}.${name}`) : [`${at}.${name}`]
    )
  ]
}

/** Expects that the document has each field of a page. */
const expectDocumented = async (shop: Shop, page: Call, response: ReceivedResponse) => {
  const { paths }: Json = jsonOf(await shop.send({ path: "/openapi.json" }))
  const { responses } = paths[page.path.replace(/[^/]*$/, "{id}")].get
  const { schema } = responses[response.status].content["application/json"]
  expect(undocumented(jsonOf(response), schema)).toEqual([])
}

const signedIn = async (shop: Shop, page: Call, account = payer) => {
  const response = await shop.send(page, { "sign-in-with-x": await proofFor(shop, page, account) })
  if (response.status === 200) await expectDocumented(shop, page, response)
  return response
}

/** A response without what differs from each to each: the challenge. */
const comparable = ({ headers, status, text }: ReceivedResponse) => ({
  status,
  headers: Object.fromEntries(headers),
  text: text.replaceAll(/"(nonce|issuedAt|expirationTime|uri)":"[^"]*"/g, "")
})

/** Nothing that identifies the buyer, nor what they bought. */
const expectNothingPersonal = ({ text }: ReceivedResponse) => {
  for (const secret of [email, shippingAddress.line1, shippingAddress.name, payer.address, "launch-plan"])
    expect(text.toLowerCase()).not.toContain(secret.toLowerCase())
}

const unknownId = "9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d"
const pagesOf = (path: string, id: string): Call => ({ path: path.replace(/[^/]*$/, id) })

describe("the status of an order", () => {
  it("is all for the wallet that paid, with the first response", async () => {
    const { bought, page, payment, shop } = await openShop()
    const { orderId } = jsonOf(bought)
    expect(page.path).toBe(`/x402-status/orders/${orderId}`)
    await vi.waitFor(async () =>
      expect((await shop.till.orders.find(String(orderId)))?.status).toBe("placed")
    )
    const response = await signedIn(shop, page)
    expect(response.status, response.text).toBe(200)
    expect(response.headers.get("cache-control")).toBe("private, no-store")
    // This upstream reports nothing more.
    expect(response.headers.get("retry-after")).toBeNull()
    expect(jsonOf(response)).toMatchObject({
      status: "placed",
      orderId,
      reason: null,
      parcels: [],
      refund: null,
      payment: { network, transaction: receiptOf(bought).transaction },
      response: { status: 200, body: jsonOf(bought) }
    })
    // Shown or not, the response of the payment stays as it was.
    const again = await shop.present(buy, payment)
    expect([again.text, again.headers.get("link"), again.headers.get("status-token")]).toEqual([
      bought.text,
      bought.headers.get("link"),
      bought.headers.get("status-token")
    ])
  })

  it("has the token in a header for the wallet, also for pages of other origins", async () => {
    const { bought, page, shop, token } = await openShop()
    const { headers } = await signedIn(shop, page)
    expect([headers.get("status-token"), headers.get("link")]).toEqual([token, bought.headers.get("link")])
    expect(headers.get("access-control-expose-headers")).toContain("status-token")
    const foreign = await signedIn(shop, page, otherPayer)
    const unsigned = await shop.send(page)
    const byTransaction = await shop.send(pagesOf(page.path, receiptOf(bought).transaction))
    const byToken = await shop.send(page, { "status-token": token })
    for (const other of [foreign, unsigned, byTransaction, byToken])
      expect(other.headers.get("status-token")).toBeNull()
  })

  it("is states and refunds for the holder of the token, and nothing personal", async () => {
    const { bought, page, shop, token } = await openShop()
    const response = await shop.send(page, { "status-token": token })
    expect(response.status, response.text).toBe(200)
    expect(jsonOf(response)).toMatchObject({ orderId: jsonOf(bought)["orderId"], refund: null })
    expect(Object.keys(jsonOf(response)).toSorted()).toEqual([
      "createdAt",
      "expectedDelivery",
      "orderId",
      "refund",
      "status",
      "updatedAt"
    ])
    expectNothingPersonal(response)
  })

  it("is the state alone for who knows the transaction, and all for its wallet", async () => {
    const { bought, page, shop } = await openShop()
    const paid = pagesOf(page.path, receiptOf(bought).transaction)
    const response = await shop.send(paid)
    expect(response.status, response.text).toBe(200)
    expect(Object.keys(jsonOf(response))).toEqual(["status", "sign-in-with-x"])
    expectNothingPersonal(response)
    expect(jsonOf(await signedIn(shop, paid))).toMatchObject({ orderId: jsonOf(bought)["orderId"] })
  })

  it("says when to come back while something is awaited", async () => {
    const { bought, page, shop, token } = await openShop(buy, {
      fulfilment: {
        ...fakeFulfilment(),
        place: () => Promise.reject(new TemporarilyUnavailable({ message: "busy" }))
      }
    })
    const id = String(jsonOf(bought)["orderId"])
    await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.attempts).toBe(1))
    const response = await shop.send(page, { "status-token": token })
    expect(jsonOf(response)["status"]).toMatch(/^(processing|placing)$/)
    expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("has parcels with numbers and carriers for the wallet, and the expected delivery for the token, too", async () => {
    const fulfilment = {
      ...fakeFulfilment(),
      status: async () => ({
        status: "shipped" as const,
        shipments: [
          {
            carrier: "UPS",
            trackingNumber: "1Z999AA10123456784",
            expectedDelivery: { from: "2026-03-04", to: "2026-03-06" }
          },
          { trackingNumber: "LX1", expectedDelivery: { from: "soon", to: null } }
        ]
      })
    }
    const { bought, page, shop, token } = await openShop(buy, { fulfilment })
    const id = String(jsonOf(bought)["orderId"])
    await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe("placed"))
    await shop.till.orders.processNow(id)
    await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe("shipped"))
    const expectedDelivery = { from: "2026-03-04", to: "2026-03-06" }
    expect(jsonOf(await signedIn(shop, page))).toMatchObject({
      status: "shipped",
      expectedDelivery,
      parcels: [
        { carrier: "UPS", trackingNumber: "1Z999AA10123456784", trackingUrl: null, expectedDelivery },
        { carrier: null, trackingNumber: "LX1", expectedDelivery: null }
      ]
    })
    const outline = await shop.send(page, { "status-token": token })
    expect(jsonOf(outline)).toMatchObject({ status: "shipped", expectedDelivery })
    expect(outline.text).not.toContain("1Z999AA10123456784")
  })

  it("names a refund with its transaction", async () => {
    const { bought, page, shop, token } = await openShop()
    const id = String(jsonOf(bought)["orderId"])
    await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe("placed"))
    await shop.till.orders.cancel(id, "Sold out")
    await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe("refund_due"))
    expect(jsonOf(await shop.send(page, { "status-token": token }))).toMatchObject({
      refund: { status: "due", transaction: null }
    })
    await shop.till.orders.markRefunded(id, "0xrefund")
    expect(jsonOf(await signedIn(shop, page))).toMatchObject({
      status: "refunded",
      reason: "sold_out",
      refund: { status: "sent", transaction: "0xrefund" },
      response: null
    })
  })
})

describe("the status of a purchase", () => {
  it("is all for the wallet that paid, with the item's files", async () => {
    const { bought, page, shop } = await openShop(vaultBuy)
    expect(page.path).toBe(`/x402-status/purchases/${jsonOf(bought)["purchaseId"]}`)
    expect(jsonOf(await signedIn(shop, page))).toMatchObject({
      status: "granted",
      item: { slug: "launch-plan", title: "Launch plan" },
      files: [],
      response: { body: jsonOf(bought) }
    })
  })

  it("is nothing of the item for the holder of the status token", async () => {
    const { page, shop, token } = await openShop(vaultBuy)
    const response = await shop.send(page, { "status-token": token })
    expect(jsonOf(response)).toMatchObject({ status: "granted" })
    expectNothingPersonal(response)
    expect(response.text).not.toContain("downloadToken")
  })
})

describe.each([
  ["orders", buy],
  ["purchases", vaultBuy]
])("a stranger, of %s", (_, call) => {
  it("gets the same for a guessed id as for one that exists", async () => {
    const { page, shop } = await openShop(call)
    const guessed = pagesOf(page.path, unknownId)
    const answers = [page, guessed].map(async (path) => comparable(await shop.send(path)))
    const [existing, unknown] = await Promise.all(answers)
    expect(existing).toEqual(unknown)
    expectNothingPersonal(await shop.send(page))
  })

  it("gets the same with another wallet as for an id that doesn't exist", async () => {
    const { page, shop } = await openShop(call)
    const guessed = pagesOf(page.path, unknownId)
    const foreign = await signedIn(shop, page, otherPayer)
    expect(foreign.status).toBe(404)
    expect(comparable(foreign)).toEqual(comparable(await signedIn(shop, guessed, payer)))
  })

  it("gets the same with another token as for an id that doesn't exist", async () => {
    const { page, shop, token } = await openShop(call)
    const guessed = pagesOf(page.path, unknownId)
    const wrong = await shop.send(page, {
      "status-token": `${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}`
    })
    expect(wrong.status).toBe(404)
    expect(comparable(wrong)).toEqual(comparable(await shop.send(guessed, { "status-token": token })))
  })

  it("can't sign in as the payer, for another page, or with a proof that was used", async () => {
    const { page, shop } = await openShop(call)
    const proof = await proofFor(shop, page)
    const forged = JSON.parse(Buffer.from(await proofFor(shop, page, otherPayer), "base64").toString())
    forged.address = payer.address
    const asPayer = { "sign-in-with-x": Buffer.from(JSON.stringify(forged)).toString("base64") }
    expect((await shop.send(page, asPayer)).status).toBe(404)
    const elsewhere = await shop.send(pagesOf(page.path, unknownId), { "sign-in-with-x": proof })
    expect([elsewhere.status, jsonOf(elsewhere)["code"]]).toEqual([401, "SIGN_IN_REFUSED"])
    expect((await shop.send(page, { "sign-in-with-x": proof })).status).toBe(200)
    const replayed = await shop.send(page, { "sign-in-with-x": proof })
    expect([replayed.status, jsonOf(replayed)["code"]]).toEqual([401, "SIGN_IN_REFUSED"])
    expectNothingPersonal(replayed)
  })
})

describe("requests for a status", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("are limited for one client, and not for others", async () => {
    const { page, shop } = await openShop()
    const statuses = new Set<number>()
    for (let time = 0; time < 60; time++) statuses.add((await shop.send(page, {}, "66.0.0.1")).status)
    expect([...statuses]).toEqual([401])
    const limited = await shop.send(page, {}, "66.0.0.1")
    expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "60"])
    expect((await shop.send(page, {}, "66.0.0.2")).status).toBe(401)
  })

  it("that would have the chain asked are limited, and the wallet's own aren't", async () => {
    const { page, shop } = await openShop()
    const statuses: Array<number> = []
    for (let time = 0; time < 12; time++) {
      const proof = JSON.parse(atob(await proofFor(shop, page))) as object
      const made = btoa(JSON.stringify({ ...proof, signature: `0x${"ab".repeat(80)}` }))
      statuses.push((await shop.send(page, { "sign-in-with-x": made })).status)
    }
    expect(statuses).toEqual([...Array(10).fill(404), 429, 429])
    expect((await signedIn(shop, page)).status).toBe(200)
  })

  it("name no action that there isn't", async () => {
    const { page, shop } = await openShop()
    for (const name of ["constructor", "__proto__", "toString"])
      expect((await shop.send({ ...page, path: `${page.path}/${name}`, body: {} })).status).toBe(404)
  })

  it("whose proof is older than 5 minutes get a new challenge", async () => {
    const { page, shop } = await openShop()
    const proof = await proofFor(shop, page)
    vi.setSystemTime(Date.now() + 5 * 60_000)
    const late = await shop.send(page, { "sign-in-with-x": proof })
    expect([late.status, challengeIn(late).nonce]).toEqual([401, expect.stringMatching(/^[0-9a-f]{32}$/)])
  })

  it("may come from browsers, by GET or HEAD", async () => {
    const { page, shop } = await openShop()
    const send = (method: string) => shop.till.fetch(new Request(baseUrl + page.path, { method }))
    const preflight = await send("OPTIONS")
    expect(preflight.headers.get("access-control-allow-methods")).toBe("GET, HEAD, OPTIONS")
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Status-Token")
    expect((await send("POST")).status).toBe(405)
    expect([(await send("HEAD")).status, shop.till.handles(page.path)]).toEqual([401, true])
  })

  it("find nothing where the host wants no pages", async () => {
    const shop = await openTill({ statusPath: false })
    const bought = await shop.present(buy, await shop.payFor(buy))
    expect([bought.status, bought.headers.get("link")]).toEqual([200, null])
    const path = `/x402-status/orders/${jsonOf(bought)["orderId"]}`
    expect([(await shop.send({ path })).status, shop.till.handles(path)]).toEqual([404, false])
  })

  it("have a path of the host's choice", async () => {
    const { page, shop } = await openShop(buy, { statusPath: "/my/orders" })
    expect(page.path).toMatch(/^\/my\/orders\/orders\//)
    expect((await signedIn(shop, page)).status).toBe(200)
  })
})

it("a second payment for the same order is told where the first one is", async () => {
  const { page, shop } = await openShop()
  const refused = jsonOf(await shop.present(buy, await shop.payFor(buy)))
  expect(refused).toMatchObject({ code: "DUPLICATE_ORDER", details: { status: baseUrl + page.path } })
  expect(refused["message"]).toContain(baseUrl + page.path)
})

it("the document describes the pages", async () => {
  const shop = await openTill()
  const document = jsonOf(await shop.send({ path: "/openapi.json" })) as { paths: Record<string, object> }
  expect(Object.keys(document.paths)).toEqual(
    expect.arrayContaining(["/x402-status/orders/{id}", "/x402-status/purchases/{id}"])
  )
})
