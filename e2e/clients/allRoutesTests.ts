import { payingFetch, startSandbox, type AdapterName, type Sandbox } from "@till402/sandbox"
import { decodeXPaymentResponse, payingFetchV1 } from "@till402/v1-client"
import { unzipSync } from "fflate"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/*
 * The official clients of both protocol versions, unmodified, pay all seven routes through an adapter on a real chain;
 * what moved there must be the prices, to the atomic unit.
 */

const address = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

export const clients = {
  "version 2 (@x402/fetch)": {
    pay: (sandbox: Sandbox) => payingFetch(sandbox.wallets[0]!.privateKey),
    wallet: 0,
    receipt: (response: Response) =>
      JSON.parse(Buffer.from(response.headers.get("payment-response")!, "base64").toString("utf8")) as {
        success: boolean
        transaction: string
      },
    hasLegacyReceipt: false
  },
  "version 1 (x402-fetch)": {
    pay: (sandbox: Sandbox) => payingFetchV1(sandbox.wallets[1]!.privateKey, 1_000_000_000n),
    wallet: 1,
    receipt: (response: Response) => decodeXPaymentResponse(response.headers.get("x-payment-response")!),
    hasLegacyReceipt: true
  }
}

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

/** A `fetch` that adds the requested URL to the payment, with `localhost` as its host. */
const echoingFetch: typeof fetch = (input, init) => {
  const request = new Request(input, init)
  const payment = request.headers.get("payment-signature")
  if (payment === null) return fetch(request)
  const url = new URL(request.url)
  url.hostname = "localhost"
  const document = JSON.parse(Buffer.from(payment, "base64").toString("utf8")) as object
  const echoed = JSON.stringify({ ...document, resource: { url: url.href } })
  request.headers.set("payment-signature", Buffer.from(echoed).toString("base64"))
  return fetch(request)
}

/** The price in an unpaid call's 402, in atomic units. */
const priceOf = async (url: string, init?: RequestInit): Promise<bigint> => {
  const response = await fetch(url, init)
  expect(response.status).toBe(402)
  const { accepts } = (await response.json()) as { accepts: ReadonlyArray<{ maxAmountRequired: string }> }
  return BigInt(accepts[0]!.maxAmountRequired)
}

type ClientName = keyof typeof clients

/** What is tried on an adapter: payments for all routes, and payments that name another resource or lack money. */
export interface AdapterTests {
  readonly clients: ReadonlyArray<ClientName>
  readonly others: boolean
}

export const allRoutesTests = (adapter: AdapterName, { clients: chosen, others }: AdapterTests): void => {
  describe(`mounted in ${adapter}`, () => {
    let sandbox: Sandbox
    beforeAll(async () => {
      sandbox = await startSandbox({ adapter })
    })
    afterAll(() => sandbox.stop())

    payTests(() => sandbox, chosen)
    if (others) otherTests(() => sandbox)
  })
}

const payTests = (open: () => Sandbox, chosen: ReadonlyArray<ClientName>): void => {
  it.each(chosen)("%s pays all seven routes", async (name) => {
    const { hasLegacyReceipt, pay, receipt, wallet } = clients[name]
    const sandbox = open()
    const { baseUrl, chain, payTo } = sandbox
    const fetchPaid = pay(sandbox)
    const payer = sandbox.wallets[wallet]!.address
    const before = { payer: await chain.balanceOf(payer), payee: await chain.balanceOf(payTo) }
    let spent = 0n

    const call = async (path: string, init?: RequestInit): Promise<Response> => {
      const price = await priceOf(baseUrl + path, init)
      const response = await fetchPaid(baseUrl + path, init)
      expect(
        response.status,
        `${path}: ${response.status === 200 ? "" : await response.clone().text()}`
      ).toBe(200)
      spent += price
      expect(await chain.balanceOf(payer)).toBe(before.payer - spent)
      expect(receipt(response).transaction).toMatch(/^0x[0-9a-f]{64}$/)
      expect(response.headers.has("x-payment-response")).toBe(hasLegacyReceipt)
      return response
    }

    const found = (await (await call("/x402/search?q=noise+cancelling+headphones")).json()) as {
      products: ReadonlyArray<{ asin: string; productUrl: string }>
    }
    expect(found.products.length).toBeGreaterThan(0)
    const product = found.products[0]!
    const shopped = (await (await call("/x402/shop", post({ message: "a quiet keyboard" }))).json()) as {
      reply: string
    }
    expect(shopped.reply.length).toBeGreaterThan(0)
    const order = (await (
      await call(
        "/x402/buy",
        post({
          asin: product.asin,
          productUrl: product.productUrl,
          email: "ada@example.com",
          shippingAddress: address
        })
      )
    ).json()) as { orderId: string; status: string; totalPrice: { amount: string } }
    expect(order.status).toBe("processing")
    const tracked = (await (await call("/x402/track?number=TILL-DELIVERED")).json()) as {
      delivered: boolean
    }
    expect(tracked.delivered).toBe(true)
    const shelf = (await (await call("/x402/vault/search?limit=5")).json()) as {
      items: ReadonlyArray<{ slug: string; price: number }>
      nextCursor: string | null
    }
    expect(shelf.items).toHaveLength(5)
    const purchase = (await (
      await call(
        "/x402/vault/buy",
        post({
          slug: shelf.items[0]!.slug,
          walletAddress: "So11111111111111111111111111111111111111112",
          email: "ada@example.com"
        })
      )
    ).json()) as { purchaseId: string; downloadToken: string; item: { price: number } }
    expect(purchase.item.price).toBe(shelf.items[0]!.price)
    const archive = await call(
      `/x402/vault/download/${purchase.purchaseId}?downloadToken=${encodeURIComponent(purchase.downloadToken)}`
    )
    expect(archive.headers.get("content-type")).toBe("application/zip")
    expect(Object.keys(unzipSync(new Uint8Array(await archive.arrayBuffer()))).length).toBeGreaterThan(0)

    expect((await chain.balanceOf(payTo)) - before.payee).toBe(spent)
    const total = BigInt(order.totalPrice.amount.replace(".", "")) * 10_000n
    expect(spent).toBe(
      10_000n + 100_000n + total + 520_000n + 10_000n + BigInt(shelf.items[0]!.price) * 1_000_000n + 10_000n
    )
    await expect.poll(async () => (await sandbox.till.orders.find(order.orderId))?.status).toBe("placed")
  })

  it("records every charge as settled; their sum equals the transfers on the chain", async () => {
    const charges = await open().till.charges.list({ limit: 100 })
    expect(charges).toHaveLength(7 * chosen.length)
    expect(charges.every(({ state, transaction }) => state === "settled" && transaction !== undefined)).toBe(
      true
    )
    const sum = charges.reduce((total, { amountAtomic }) => total + amountAtomic, 0n)
    expect(await open().chain.balanceOf(open().payTo)).toBe(sum)
    const hour = 3_600_000
    const totals = await open().till.ledger.totals({
      from: new Date(Date.now() - hour),
      to: new Date(Date.now() + hour)
    })
    expect(totals.map(({ kind }) => kind)).not.toContain("refund_due")
    expect(totals.reduce((total, { amountAtomic }) => total + amountAtomic, 0n)).toBe(sum)
    expect(await open().till.ledger.check()).toMatchObject({ isBalanced: true, faults: [] })
  })
}

const otherTests = (open: () => Sandbox): void => {
  it.each([
    ["/x402/search?q=lamp", {}],
    ["/x402/track?number=TILL-DELIVERED", {}],
    ["/x402/shop?from=here", post({ message: "a quiet keyboard" })]
  ] satisfies ReadonlyArray<readonly [string, RequestInit]>)(
    "accepts a payment for %s that names the requested URL as the client knows it",
    async (path, init) => {
      const pay = payingFetch(open().wallets[0]!.privateKey, 1, echoingFetch)
      const response = await pay(open().baseUrl + path, init)
      expect(response.status, await response.clone().text()).toBe(200)
    }
  )

  it("refuses a payment that names another path, without a charge", async () => {
    const before = await open().chain.balanceOf(open().payTo)
    const elsewhere: typeof fetch = (input, init) => {
      const request = new Request(input, init)
      const { headers, url } = request
      const isPaid = headers.has("payment-signature")
      return fetch(isPaid ? url.replace("/search", "/vault/search") : url, { headers })
    }
    const pay = payingFetch(open().wallets[0]!.privateKey, 1, elsewhere)
    const response = await pay(`${open().baseUrl}/x402/search?q=lamp`)
    expect(response.status).toBe(402)
    expect(((await response.json()) as { error: string }).error).toMatch(/^resource_mismatch: /)
    expect(await open().chain.balanceOf(open().payTo)).toBe(before)
  })

  it("refuses a payment by a wallet without funds, without a charge", async () => {
    const { generatePrivateKey } = await import("viem/accounts")
    const before = await open().chain.balanceOf(open().payTo)
    const response = await payingFetch(generatePrivateKey())(`${open().baseUrl}/x402/search?q=lamp`)
    expect(response.status).toBe(402)
    expect(((await response.json()) as { error: string }).error).toMatch(/balance|funds/)
    expect(await open().chain.balanceOf(open().payTo)).toBe(before)
  })
}
