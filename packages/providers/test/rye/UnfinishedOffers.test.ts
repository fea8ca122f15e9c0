import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { productDocument } from "./fakeRye.ts"
import { context, request, startShop } from "./shop.ts"

const server = interceptRequests()
const start = (change: Parameters<typeof startShop>[1] = {}) => startShop(server, change)

describe("an offer that takes its time", () => {
  it("is waited for", async () => {
    const { quote, upstream } = start({ quoteTimeoutMillis: 5_000 })
    upstream.looksToOffer = 2
    assert.strictEqual((await quote()).total, "97.35")
    assert.strictEqual(upstream.count(/^GET \/checkout-intents\/ci_1$/), 2)
  })

  it("is waited for in a state that is new", async () => {
    const { quote, upstream } = start({ quoteTimeoutMillis: 5_000 })
    upstream.looksToOffer = 1
    upstream.next(/^POST/, (act) => {
      act()
      return HttpResponse.json({ ...upstream.intents.get("ci_1"), state: "thinking", thoughts: [1] })
    })
    assert.strictEqual((await quote()).total, "97.35")
  })

  it("is a 503 past the deadline, and the next quote waits for the same one", async () => {
    const { quote, upstream } = start()
    upstream.looksToOffer = 100
    assert.deepInclude(await rejectionOf(quote()), { _tag: "TemporarilyUnavailable", code: "OfferNotReady" })
    upstream.looksToOffer = 0
    const offer = await quote()
    assert.strictEqual(offer.reference, "ci_1")
    assert.strictEqual(upstream.count(/^POST/), 1)
    // One that was given out is not given out again.
    assert.strictEqual((await quote()).reference, "ci_2")
  })

  it("belongs to its request alone", async () => {
    const { quote, upstream } = start()
    upstream.looksToOffer = 100
    await rejectionOf(quote())
    upstream.looksToOffer = 0
    assert.strictEqual((await quote({ email: "eve@example.com" })).reference, "ci_2")
  })

  it("is kept for a repeated request, after a canceled or broken call", async () => {
    const { quote, shop, upstream } = start({ quoteTimeoutMillis: 5_000 })
    upstream.looksToOffer = 100
    const leaving = new AbortController()
    const given = rejectionOf(shop.quote(request, { signal: leaving.signal }))
    setTimeout(() => leaving.abort(), 300)
    await given
    upstream.next(/^GET \/checkout-intents/, () => HttpResponse.error())
    assert.strictEqual((await rejectionOf(quote()))._tag, "TemporarilyUnavailable")
    upstream.looksToOffer = 0
    assert.strictEqual((await quote()).reference, "ci_1")
    assert.strictEqual(upstream.count(/^POST/), 1)
  })

  it("is replaced if Rye no longer knows it", async () => {
    const { quote, upstream } = start()
    upstream.looksToOffer = 100
    await rejectionOf(quote())
    upstream.looksToOffer = 0
    upstream.next(/^GET \/checkout-intents/, () => HttpResponse.json({}, { status: 404 }))
    assert.strictEqual((await rejectionOf(quote()))._tag, "Rejected")
    assert.strictEqual((await quote()).reference, "ci_2")
  })
})

describe("the listing", () => {
  it.each<[string, () => Response]>([
    ["is not found", () => HttpResponse.json({}, { status: 404 })],
    ["breaks off", () => HttpResponse.error()],
    ["is of another kind", () => HttpResponse.json(["shoes"])],
    ["is null throughout", () => HttpResponse.json({ name: null, images: null, price: null })]
  ])("keeps the quote if it %s", async (_what, product) => {
    const { quote, upstream } = start()
    upstream.product = product
    const offer = await quote()
    assert.deepStrictEqual(offer.product, { title: "Amazon product B0TEST0001" })
    assert.strictEqual(offer.total, "97.35")
  })

  it("is looked up by its page, and names the shop if there is no title", async () => {
    const { quote, upstream } = start()
    upstream.product = () => HttpResponse.json({ ...productDocument, name: "", images: [{ url: "ftp://x" }] })
    const productUrl = "https://shop.example/products/a shoe"
    const offer = await quote({ product: { source: "marketplace_b", productUrl, variantId: "4 1" } })
    assert.deepStrictEqual(offer.product, { title: "Product of shop.example", price: "84.99" })
    const lookup = upstream.received.find(({ path }) => path.startsWith("/products"))
    assert.strictEqual(
      new URL(`https://x${lookup!.path}`).searchParams.get("url"),
      "https://shop.example/products/a%20shoe?variant=4+1"
    )
  })

  it("is not waited for without end", async () => {
    const { upstream, open } = start()
    upstream.next(/^GET \/products/, () => new Promise<Response>(() => {}))
    const offer = await open({ timeoutMillis: 300 }).quote(request, context)
    assert.strictEqual(offer.product.title, "Amazon product B0TEST0001")
  })
})
