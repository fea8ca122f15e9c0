import { sqlite } from "@till402/core/sqlite"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { isHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, assert, beforeAll, describe, it, onTestFinished, vi } from "vitest"
import { FakeShopifyAdmin } from "../../../packages/providers/test/shopify-admin/fakeShopifyAdmin.ts"
import { runExample } from "../../express/test/exampleProcess.ts"
import { openShop } from "../src/shop.ts"

/*
 * The example on a local chain, over a fake shop behind the published schema of Shopify's Admin API, and its program.
 */

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

const operatorToken = "an-operators-token"
const thousand = 1_000_000_000n

const start = async () => {
  const [buyerKey, refundKey] = [generatePrivateKey(), generatePrivateKey()]
  const buyer = privateKeyToAccount(buyerKey).address
  const refundWallet = privateKeyToAccount(refundKey)
  await chain.mint(buyer, thousand)
  await chain.mint(refundWallet.address, thousand)
  const shop = new FakeShopifyAdmin()
  const host = openShop({
    till: {
      baseUrl: "https://shop.example",
      payTo: privateKeyToAccount(generatePrivateKey()).address,
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, finalitySeconds: 1 }],
      facilitator: { url: facilitator.url },
      secret: "a secret of the example's own, for this test",
      storage: sqlite({ filename: ":memory:" }),
      refundWallet,
      onEvent: () => undefined
    },
    shopify: {
      shop: shop.shop,
      clientId: "app",
      clientSecret: "shpss_secret",
      fetch: (input, init) => shop.respond(new Request(input, init))
    },
    operatorToken
  })
  onTestFinished(() => host.till.dispose())
  await host.till.ready
  const request: typeof fetch = async (input, init) => host.app.fetch(new Request(input, init))
  return { ...host, shop, buyer, refundWallet, request, pay: payingFetch(buyerKey, 1_000, request) }
}

type Started = Awaited<ReturnType<typeof start>>

const shippingAddress = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

interface Product {
  readonly title: string
  readonly price: number
  readonly source: string
  readonly productUrl: string
}

const search = async ({ pay }: Started) => {
  const response = await pay("https://shop.example/x402/search?q=tote")
  assert.strictEqual(response.status, 200)
  const { products } = (await response.json()) as { products: ReadonlyArray<Product> }
  return products
}

const buy = async ({ pay }: Started, productUrl: string): Promise<string> => {
  const response = await pay("https://shop.example/x402/buy", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ productUrl, email: "ada@example.com", shippingAddress })
  })
  assert.strictEqual(response.status, 200)
  return ((await response.json()) as { readonly orderId: string }).orderId
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

const cancel = ({ request }: Started, orderId: string, token: string) =>
  request(`https://shop.example/orders/${orderId}/cancel`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` }
  })

describe("a Shopify shop of one's own", () => {
  it("sells its goods, from search to refund", async () => {
    const started = await start()
    const { buyer, refundWallet, shop } = started
    const [product] = await search(started)
    assert.deepInclude(product, { title: "Tote bag 71", price: 20, source: "marketplace_b" })
    const orderId = await buy(started, product!.productUrl)
    await until(started, orderId, "placed")
    const [sold] = shop.orders.values()
    const { chargeKey } = (await started.till.orders.find(orderId))!
    const paid = (await started.till.ledger.list()).find((line) => line.chargeKey === chargeKey)
    assert.deepInclude(sold, {
      total: "27.99",
      displayFinancialStatus: "PAID",
      customAttributes: [
        { key: "x402 order", value: orderId },
        { key: "x402 transaction", value: paid?.transaction ?? "none" },
        { key: "x402 network", value: "eip155:84532" }
      ]
    })
    const spent = thousand - (await chain.balanceOf(buyer))
    assert.isTrue(spent >= 27_990_000n)

    assert.strictEqual((await cancel(started, orderId, "another-token")).status, 401)
    assert.isNull(sold!.cancelledAt)
    assert.strictEqual((await cancel(started, orderId, operatorToken)).status, 200)
    assert.isString(sold!.cancelledAt)
    await until(started, orderId, "refunded")
    assert.strictEqual(await chain.balanceOf(buyer), thousand - spent + 27_990_000n)
    assert.strictEqual(await chain.balanceOf(refundWallet.address), thousand - 27_990_000n)

    await vi.waitFor(() => assert.isString(sold!.note))
    const [, amount, transaction = ""] =
      /^Refunded ([\d.]+) USD in USDC \(x402\), transaction (0x[0-9a-f]{64})$/.exec(sold!.note!) ?? []
    assert.strictEqual(amount, "27.99")
    assert(isHex(transaction))
    assert.strictEqual((await chain.client.getTransactionReceipt({ hash: transaction })).status, "success")
  })

  it("reports the tracking number of an order that was sent", async () => {
    const started = await start()
    const [product] = await search(started)
    const orderId = await buy(started, product!.productUrl)
    await until(started, orderId, "placed")
    started.shop.ship("gid://shopify/Order/900")
    await until(started, orderId, "shipped")
    assert.deepStrictEqual((await started.till.orders.find(orderId))?.shipments, [
      { carrier: "UPS", trackingNumber: "1Z999AA10123456784" }
    ])
    started.shop.ship("gid://shopify/Order/900", {}, "DELIVERED")
    await until(started, orderId, "delivered")
  })

  it("notes a refund later if the shop can't be reached", async () => {
    const started = await start()
    const { noteRecentRefunds, shop } = started
    const [product] = await search(started)
    const orderId = await buy(started, product!.productUrl)
    await until(started, orderId, "placed")
    shop.next(/SetOrderNote/, () => new Response(null, { status: 503 }))
    assert.strictEqual((await cancel(started, orderId, operatorToken)).status, 200)
    await until(started, orderId, "refunded")
    await vi.waitFor(() => assert.isTrue(shop.received.some(({ operation }) => operation === "SetOrderNote")))
    const note = () => shop.orders.get("gid://shopify/Order/900")?.note ?? ""
    assert.strictEqual(note(), "")
    await noteRecentRefunds()
    await noteRecentRefunds()
    assert.strictEqual(note().split("Refunded").length, 2)
  })
})

describe("the example's program", () => {
  it("names the missing variables", async () => {
    const main = new URL("../src/main.ts", import.meta.url)
    const { code, output } = await runExample(main, { BASE_URL: "https://shop.example" })
    assert.strictEqual(code, 1)
    assert.match(
      output,
      /^Set these in the environment first: REFUND_KEY, OPERATOR_TOKEN, SHOPIFY_ADMIN_SHOP/
    )
  })
})
