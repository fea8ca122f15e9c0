import { createHmac } from "node:crypto"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { folderStorage, publish } from "@till402/vault"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it, onTestFinished, vi } from "vitest"
import {
  answerWith,
  scriptedModel,
  searchFor,
  toolResults
} from "../../../packages/providers/test/assistant/scriptedModel.ts"
import { shipmentsFixture } from "../../../packages/providers/test/rye/fakeRye.ts"
import { openService } from "../src/service.ts"
import { fakeUpstreams, keys } from "./fakeUpstreams.ts"

/*
 * The service on a local chain, over fakes of all its upstreams: from search to delivered orders and a refund.
 */

const model = scriptedModel()
let chain: Chain
let facilitator: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  facilitator = await startFacilitator({ chain })
})
afterAll(async () => {
  await facilitator?.stop()
  await chain?.stop()
})

const thousand = 1_000_000_000n
const baseUrl = "https://shop.example"

const start = async () => {
  const [buyerKey, refundKey] = [generatePrivateKey(), generatePrivateKey()]
  const buyer = privateKeyToAccount(buyerKey).address
  await chain.mint(buyer, thousand)
  await chain.mint(privateKeyToAccount(refundKey).address, thousand)
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  const folder = await mkdtemp(join(tmpdir(), "till402-service-"))
  const upstreams = fakeUpstreams()
  const service = openService(
    {
      ...keys,
      BASE_URL: baseUrl,
      PAY_TO: payTo,
      RPC_URL: chain.rpcUrl,
      FACILITATOR_URL: facilitator.url,
      TILL_SECRET: "a secret of the example's own, for this test",
      TILL_DATABASE: join(folder, "till.sqlite"),
      TILL_FILES: join(folder, "files"),
      MODEL_BASE_URL: model.baseUrl(),
      REFUND_KEY: refundKey
    },
    {
      fetch: upstreams.fetch,
      till: {
        networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, finalitySeconds: 1 }],
        onEvent: () => undefined
      }
    }
  )
  onTestFinished(async () => {
    await service.close()
    await rm(folder, { recursive: true, force: true })
  })
  await service.till.ready
  const request: typeof fetch = async (input, init) => service.app.fetch(new Request(input, init))
  const pay = payingFetch(buyerKey, 1_000, request)
  /** Pays for a call and returns its response. */
  const call = async (path: string, body?: object): Promise<Response> => {
    const response = await pay(
      `${baseUrl}/x402${path}`,
      body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      }
    )
    assert.strictEqual(response.status, 200, response.ok ? path : await response.text())
    return response
  }
  const json = async <A>(path: string, body?: object) => (await (await call(path, body)).json()) as A
  return { ...service, ...upstreams, buyer, call, folder, json, payTo, request }
}

type Started = Awaited<ReturnType<typeof start>>

interface Product {
  readonly asin: string
  readonly source: string
  readonly productUrl: string
}

const inDurham = { city: "Durham", state: "NC", postalCode: "27701", country: "US" }
const inBerlin = { city: "Berlin", state: "BE", postalCode: "10115", country: "DE" }

const buy = async (
  { json }: Started,
  product: object,
  { place = inDurham, email = "ada@example.com" } = {}
): Promise<string> => {
  const shippingAddress = { name: "Ada King Byron", line1: "1 Test St", ...place }
  return (await json<{ orderId: string }>("/buy", { ...product, email, shippingAddress })).orderId
}

/** Lets the till work on an order until it has that status. */
const until = ({ till }: Started, orderId: string, status: string) =>
  vi.waitFor(
    async () => {
      await till.orders.processNow(orderId)
      assert.strictEqual((await till.orders.find(orderId))?.status, status)
    },
    { timeout: 60_000, interval: 300 }
  )

const parcelsOf = (checkoutIntentId: string, status: string) => ({
  data: [{ ...shipmentsFixture().data[0], checkoutIntentId, status }],
  pageInfo: { hasNextPage: false }
})

/** Sends the parcels of an order of Rye's. */
const deliver = async (started: Started, orderId: string): Promise<void> => {
  await until(started, orderId, "placed")
  const { upstreamReference = "" } = (await started.till.orders.find(orderId))!
  const id = upstreamReference.replace("rye:", "")
  started.rye.intents.get(id)!.state = "completed"
  started.rye.shipments = () => parcelsOf(id, "shipped")
  await until(started, orderId, "shipped")
  started.rye.shipments = () => parcelsOf(id, "delivered")
  await until(started, orderId, "delivered")
  started.rye.shipments = () => ({ data: [], pageInfo: {} })
}

const sellArchive = async ({ folder, till }: Started): Promise<void> => {
  const source = join(folder, "review")
  await mkdir(source)
  await writeFile(join(source, "review.md"), "# Review like a careful colleague")
  await publish(till.vault, folderStorage(join(folder, "files")), {
    source,
    listing: {
      slug: "pull-request-review",
      title: "Pull Request Review",
      productType: "skill",
      cardDescription: "Reviews a change the way a careful colleague would.",
      price: 9,
      category: "development",
      creator: { name: "Example Press", type: "company" },
      coverImageUrl: "https://shop.example/covers/review.png"
    }
  })
}

/** The products in the results of a model's tools. */
const productIds = (results: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  Array.from(JSON.stringify(results).matchAll(/"id":"([^"]+)"/g), ([, id]) => id!)

describe("the whole service", () => {
  it("sells all seven routes: two orders arrive, one is refunded, and each has its mails", async () => {
    const started = await start()
    const { buyer, call, json, mails, payTo, rye, till, zinc } = started
    assert.deepStrictEqual(
      started.report.filter((line) => line.includes("missing")),
      []
    )

    const { products } = await json<{ products: ReadonlyArray<Product> }>("/search?q=trail+shoes")
    const amazon = products.find(({ source }) => source === "marketplace_a")!
    const shopify = products.find(({ source }) => source === "marketplace_b")!

    model.use((request, round) =>
      round === 0
        ? searchFor("trail shoes")
        : answerWith("They are light.", ...productIds(toolResults(request)))
    )
    const advice = await json<{ products: ReadonlyArray<Product> }>("/shop", { message: "trail shoes" })
    assert.deepInclude(advice.products[0], { asin: amazon.asin, source: "marketplace_a" })
    // The searches of the assistant are the caller's, so Canopy was asked once.
    assert.deepStrictEqual(started.searches, ["trail shoes"])

    const fromAmazon = await buy(started, { asin: amazon.asin })
    const fromShopify = await buy(started, { productUrl: shopify.productUrl })
    await deliver(started, fromAmazon)
    await deliver(started, fromShopify)
    assert.deepStrictEqual(
      [...rye.intents.values()].map(({ productUrl }) => productUrl),
      [amazon.productUrl, shopify.productUrl]
    )

    const [parcel] = (await till.orders.find(fromAmazon))!.shipments
    const shipment = await json<object>(`/track?number=${parcel?.trackingNumber}`)
    assert.deepInclude(shipment, { number: parcel?.trackingNumber, status: "InTransit", found: true })

    const before = await chain.balanceOf(buyer)
    const toBerlin = await buy(started, { asin: amazon.asin }, { place: inBerlin })
    await until(started, toBerlin, "placed")
    const [failed] = zinc.orders.values()
    failed!.status = "order_failed"
    failed!.job_result = { error_type: "product_out_of_stock" }
    assert.isTrue((await chain.balanceOf(buyer)) < before)
    await until(started, toBerlin, "refunded")
    assert.strictEqual(await chain.balanceOf(buyer), before)

    await sellArchive(started)
    const { items } = await json<{ items: ReadonlyArray<{ slug: string }> }>("/vault/search?q=review")
    const bought = await json<{ purchaseId: string; downloadToken: string }>("/vault/buy", {
      slug: items[0]!.slug,
      walletAddress: "So11111111111111111111111111111111111111112",
      email: "ada@example.com"
    })
    const archive = await call(
      `/vault/download/${bought.purchaseId}?downloadToken=${encodeURIComponent(bought.downloadToken)}`
    )
    assert.include(Buffer.from(await archive.arrayBuffer()).toString("latin1"), "review.md")

    await vi.waitFor(
      () => {
        const sent = (kind: string) => mails.filter(({ key }) => key.startsWith(`${kind}:`)).length
        assert.deepStrictEqual(
          ["order-confirmed", "order-shipped", "order-failed", "order-refunded", "purchase-confirmed"].map(
            sent
          ),
          [3, 2, 1, 1, 1]
        )
      },
      { timeout: 60_000 }
    )

    const lines = await till.ledger.list()
    const operations = lines.flatMap(({ kind, operation }) => (kind === "settled" ? [operation] : []))
    assert.deepStrictEqual([...new Set(operations)].toSorted(), [
      "buy",
      "search",
      "shop",
      "track",
      "vaultBuy",
      "vaultDownload",
      "vaultSearch"
    ])
    const received = lines.reduce(
      (sum, { amountAtomic, kind }) => (kind === "settled" ? sum + amountAtomic : sum),
      0n
    )
    assert.strictEqual(await chain.balanceOf(payTo), received)
    const { faults, isBalanced } = await till.ledger.check({ chain: true })
    assert.deepStrictEqual(faults, [])
    assert.isTrue(isBalanced)
  })

  it("queries an order at once when Rye's webhook reports news of it", async () => {
    const started = await start()
    const { request, rye, till } = started
    const orderId = await buy(started, { asin: "B0TEST0001" })
    await until(started, orderId, "placed")
    const [id] = rye.goods
    rye.intents.get(id!)!.state = "completed"
    rye.shipments = () => parcelsOf(id!, "shipped")
    const process = vi.spyOn(till.orders, "processNowByReference")
    const body = JSON.stringify({
      id: "evt_1",
      object: "event",
      createdAt: "2026-11-20T10:00:00.000Z",
      source: { id, type: "checkout_intent" },
      type: "checkout_intent.completed"
    })
    const post = (secret: string) =>
      request(`${baseUrl}/webhooks/rye`, {
        method: "POST",
        body,
        headers: { "x-rye-signature": `v0=${createHmac("sha256", secret).update(body).digest("hex")}` }
      })
    assert.strictEqual((await post("another secret")).status, 401)
    assert.strictEqual(process.mock.calls.length, 0)
    assert.strictEqual((await post(keys.RYE_WEBHOOK_SECRET)).status, 200)
    assert.strictEqual((await process.mock.results[0]!.value).outcome, "done")
    await vi.waitFor(async () => assert.strictEqual((await till.orders.find(orderId))?.status, "shipped"), {
      timeout: 60_000
    })
  })
})
