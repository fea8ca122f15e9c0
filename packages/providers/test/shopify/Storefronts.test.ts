import { delay, http, HttpResponse } from "msw"
import { afterEach, assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { catalogue, ids, searchOf, thrownBy } from "./catalogue.ts"
import {
  fakeCatalogue,
  type FakeCatalogue,
  productDocument,
  rpcError,
  type ToolCall
} from "./fakeCatalogue.ts"

/*
 * Named shops, each with a catalogue of its own, instead of the global one.
 */

const server = interceptRequests()

const mcp = (shop: string) => `https://${shop}/api/ucp/mcp`

const open = (shop: string, fake: Pick<FakeCatalogue, "respond">) =>
  server.use(
    http.post(mcp(shop), async ({ request }) => {
      assert.isNull(request.headers.get("authorization"))
      return HttpResponse.json(fake.respond((await request.json()) as ToolCall) as null)
    })
  )

const stock = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => productDocument(from + index))

/** What was reported of shops that were left out. */
let missing: Array<readonly [shop: string, reason: string]> = []
afterEach(() => {
  missing = []
})
const shopCatalogue = (options: Parameters<typeof catalogue>[0]) =>
  catalogue({ onShopMissing: (shop, reason) => missing.push([shop, reason]), ...options })

const shops = ["north.example", "south.example"]

describe("the catalogues of named shops", () => {
  it("are one: the same page of each, in turns", async () => {
    const north = fakeCatalogue(stock(10, 3))
    open("north.example", north)
    open("south.example", fakeCatalogue(stock(20, 5)))
    const search = searchOf(shopCatalogue({ shops, pageSize: 2 }))
    const pages = []
    for (const page of [1, 2, 3]) pages.push(await search({ page }))
    assert.deepStrictEqual(pages.map(ids), [
      ["test10", "test20", "test11", "test21"],
      ["test12", "test22", "test23"],
      ["test24"]
    ])
    assert.deepStrictEqual(
      pages.map(({ hasMore, totalResults }) => [hasMore, totalResults]),
      [
        [true, 8],
        [true, 8],
        [false, 8]
      ]
    )
    assert.strictEqual(north.calls.length, 2)
  })

  it("are searched with the standard's filters only", async () => {
    const north = fakeCatalogue(stock(1, 1))
    open("north.example", north)
    const search = searchOf(shopCatalogue({ shops: ["north.example"] }))
    await search()
    await search({ priceMin: 5, priceMax: 10 })
    const [plain, priced] = north.calls.map(({ params }) => params.arguments.catalog)
    assert.notProperty(plain, "filters")
    assert.deepStrictEqual(priced!.filters, { price: { min: 500, max: 1000 } })
  })

  it("drop sold-out products, and build pages from handles if there are no addresses", async () => {
    const bare = { url: undefined as never, id: "gid://shopify/ProductVariant/50239738609884" }
    open(
      "north.example",
      fakeCatalogue([
        productDocument(1, { handle: "inventory-snowboard" }, bare),
        productDocument(2, { handle: "../admin" }, bare),
        productDocument(3, {}, bare),
        productDocument(4, {}, { availability: { available: false } })
      ])
    )
    const page = await searchOf(shopCatalogue({ shops: ["north.example"] }))()
    assert.deepStrictEqual(ids(page), ["test1", "test2", "test3"])
    assert.deepStrictEqual(
      page.products.map(({ productUrl }) => productUrl),
      ["https://north.example/products/inventory-snowboard?variant=50239738609884", null, null]
    )
  })

  it("lose only the shop that fails: one behind a password, one that refuses", async () => {
    open("south.example", fakeCatalogue(stock(20, 1)))
    for (const failing of [
      () => HttpResponse.redirect("https://north.example/password", 302),
      () => HttpResponse.json(rpcError(-32602, "no")),
      () => HttpResponse.error(),
      () => new HttpResponse("", { status: 500 })
    ]) {
      server.use(http.post(mcp("north.example"), failing))
      assert.deepStrictEqual(ids(await searchOf(shopCatalogue({ shops }))()), ["test20"])
    }
    assert.deepStrictEqual(
      missing,
      ["Redirected", "RPC_32602", "Unreachable", "HTTP_500"].map(
        (reason) => ["shopify:north.example", reason] as const
      )
    )
  })

  it("don't wait for a shop that is too slow", async () => {
    open("south.example", fakeCatalogue(stock(20, 1)))
    server.use(http.post(mcp("north.example"), () => delay("infinite")))
    const shopify = shopCatalogue({ shops, deadlineMillis: 100 })
    assert.deepStrictEqual(ids(await searchOf(shopify)()), ["test20"])
    assert.strictEqual(shopify.usage()["shopify:north.example"]?.failures, 1)
    assert.strictEqual(shopify.usage()["shopify:south.example"]?.failures, 0)
  })

  it("fail if no shop responds, preferably with a permanent fault", async () => {
    server.use(
      http.post(mcp("north.example"), () => new HttpResponse("", { status: 503 })),
      http.post(mcp("south.example"), () =>
        HttpResponse.json(rpcError(-32001, "", { code: "profile_malformed" }))
      )
    )
    assert.strictEqual((await thrownBy(searchOf(shopCatalogue({ shops }))())).code, "profile_malformed")
    server.use(http.post(mcp("south.example"), () => new HttpResponse("", { status: 503 })))
    assert.strictEqual((await thrownBy(searchOf(shopCatalogue({ shops }))()))._tag, "TemporarilyUnavailable")
  })
})
