import { ProductNotFound } from "@till402/core"
import { describe, expect, it } from "vitest"
import { buyBody, calls, vaultBuyBody } from "./calls.ts"
import { pay, readChallenge, headerOf } from "./payer.ts"
import { productA, vaultItem } from "./samples.ts"
import { type Call, openShop, type Shop } from "./till.ts"

/*
 * The published examples: indexers send them, and list a route that answers with a 402.
 */

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document of any shape
type Json = any

/** The example that a 402 publishes, as a call. */
const exampleOf = async (shop: Shop, path: string): Promise<Call> => {
  const response = await shop.send({ method: "POST", path })
  const { extensions } = headerOf(response, "payment-required") as Json
  return { method: "POST", path, body: extensions.bazaar.info.input.body }
}

/** A fault of the host's catalogue. */
const unknownProduct = () => Promise.reject(new ProductNotFound({ message: "no such product" }))

const isIndicative = (challenge: Awaited<ReturnType<typeof readChallenge>>): boolean =>
  /indicative/.test(challenge.body.error) && challenge.header.error?.startsWith("indicative_price: ") === true

describe("a request that equals the published example", () => {
  it("of buy is quoted like any other", async () => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(await exampleOf(shop, "/x402/buy")))
    expect(challenge.body.accepts[0]!.maxAmountRequired).toBe("84370000")
    expect(isIndicative(challenge)).toBe(false)
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("of buy gets the indicative price if it can't be quoted, and upstream isn't asked again at once", async () => {
    const shop = await openShop({ script: { quote: unknownProduct } })
    const call = await exampleOf(shop, "/x402/buy")
    for (let probes = 0; probes < 5; probes++) {
      const challenge = await readChallenge(await shop.send(call))
      expect(isIndicative(challenge)).toBe(true)
      expect(challenge.body.accepts[0]!.extra).toMatchObject({ indicative: "true" })
    }
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("of buy costs upstream one quote, however many probe at once", async () => {
    const shop = await openShop({ script: { quote: unknownProduct } })
    const call = await exampleOf(shop, "/x402/buy")
    const responses = await Promise.all(Array.from({ length: 20 }, () => shop.send(call)))
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(402))
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("with its fields in another order is the example, and with another value isn't", async () => {
    const shop = await openShop({ script: { quote: unknownProduct } })
    const { body, ...call } = await exampleOf(shop, "/x402/buy")
    const { shippingAddress, ...others } = body as Json
    expect((await shop.send({ ...call, body: { shippingAddress, ...others } })).status).toBe(402)
    const other = await shop.send({ ...call, body: { ...others, shippingAddress, email: "eve@example.com" } })
    expect([other.status, ((await other.json()) as Json).code]).toEqual([400, "PRODUCT_NOT_FOUND"])
  })

  it("of buy can't be bought at the indicative price", async () => {
    const shop = await openShop({ script: { quote: unknownProduct } })
    const { response } = await pay(shop, await exampleOf(shop, "/x402/buy"))
    expect([response.status, shop.settlements]).toEqual([400, []])
  })

  it("of buy is told of an outage like any other", async () => {
    const shop = await openShop({ script: { quote: () => Promise.reject(new Error("down")) } })
    expect((await shop.send(await exampleOf(shop, "/x402/buy"))).status).toBe(502)
  })

  it("of vault/buy gets the indicative price if there is no such item, and its price if there is", async () => {
    const without = await openShop()
    const call = await exampleOf(without, "/x402/vault/buy")
    expect(isIndicative(await readChallenge(await without.send(call)))).toBe(true)
    const { slug } = call.body as Json
    const shop = await openShop({ items: [{ ...vaultItem, slug, price: 7 }] })
    const challenge = await readChallenge(await shop.send(call))
    expect(challenge.body.accepts[0]!.maxAmountRequired).toBe("7000000")
    expect(isIndicative(challenge)).toBe(false)
  })

  it.each(["buy", "vaultBuy"] as const)("of %s isn't what any other unknown product gets", async (id) => {
    const shop = await openShop({ script: { quote: unknownProduct }, items: [] })
    expect((await shop.send(calls[id])).status).toBe(id === "buy" ? 400 : 404)
  })
})

describe("the host's own examples", () => {
  const examples = {
    buy: { ...buyBody, asin: productA.asin },
    vaultBuy: vaultBuyBody,
    track: { number: "EE123456785US", carrier: 100002 }
  }

  it("are published in place of the defaults, and quoted", async () => {
    const shop = await openShop({ options: { examples } })
    for (const [id, path] of [
      ["buy", "/x402/buy"],
      ["vaultBuy", "/x402/vault/buy"]
    ] as const) {
      const call = await exampleOf(shop, path)
      expect(call.body).toEqual(examples[id])
      expect(isIndicative(await readChallenge(await shop.send(call)))).toBe(false)
    }
    const track = headerOf(await shop.send({ path: "/x402/track" }), "payment-required") as Json
    expect(track.extensions.bazaar.info.input.queryParams).toEqual(examples.track)
  })

  it("of buy cost upstream one quote, however often they are probed", async () => {
    const shop = await openShop({ options: { examples } })
    const call = await exampleOf(shop, "/x402/buy")
    for (let probes = 0; probes < 5; probes++)
      expect(isIndicative(await readChallenge(await shop.send(call)))).toBe(false)
    expect(shop.calls.quote).toHaveLength(1)
  })

  it("of one till aren't those of another", async () => {
    await openShop({ options: { examples } })
    const call = await exampleOf(await openShop(), "/x402/vault/buy")
    expect(call.body).not.toEqual(examples.vaultBuy)
  })

  it.each([
    [{ buy: { ...buyBody, email: "nobody" } }, /examples\.buy isn't a request of its route: email/],
    [{ buy: { ...buyBody, quantity: 2 } }, /examples\.buy isn't a request of its route: quantity/],
    [{ track: { number: "?" } }, /examples\.track isn't a request of its route: number/],
    [{ vaultDownload: { purchaseId: "1" } }, /examples\.vaultDownload isn't a request of its route/]
  ])("that aren't requests of their route fail at start: %#", async (wrong, message) => {
    await expect(openShop({ options: { examples: wrong } })).rejects.toThrow(message)
  })
})

describe("the track example", () => {
  it("is answered with a 402 that names its URL, and paid with a result", async () => {
    const shop = await openShop()
    const empty = headerOf(await shop.send({ path: "/x402/track" }), "payment-required") as Json
    const query = new URLSearchParams(
      empty.extensions.bazaar.info.input.queryParams as Record<string, string>
    )
    const path = `/x402/track?${query}`
    const { response, challenge } = await pay(shop, { path })
    expect(challenge.header.resource.url.endsWith(path)).toBe(true)
    expect(response.status).toBe(200)
  })
})
