import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { unzipSync } from "fflate"
import type { Sandbox } from "../Sandbox.ts"

/** One paid call of the tour. */
export interface Visit {
  readonly method: string
  readonly path: string
  /** Atomic units, as the receipt's challenge named them. */
  readonly priceAtomic: bigint
  readonly transaction: string
  /** What came back, in a few words. */
  readonly gist: string
}

/** Pays for a call; remembers the price that the 402 asked. */
type Call = (
  method: string,
  path: string,
  body?: unknown
) => Promise<{ readonly response: Response; readonly priceAtomic: bigint }>

const receiptOf = (response: Response): { readonly transaction: string } => {
  const header = response.headers.get("payment-response")
  if (header === null) throw new Error(`no receipt: ${response.status}`)
  return JSON.parse(Buffer.from(header, "base64").toString("utf8")) as { transaction: string }
}

/** What the client paid: the price in the challenge that it answered. */
export const recordingFetch = (pay: (base: typeof fetch) => typeof fetch, baseUrl: string): Call => {
  return async (method, path, body) => {
    let priceAtomic = 0n
    const base: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      const header = response.status === 402 ? response.headers.get("payment-required") : null
      if (header !== null) {
        const { accepts } = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as {
          accepts: ReadonlyArray<{ amount: string }>
        }
        priceAtomic = BigInt(accepts[0]!.amount)
      }
      return response
    }
    const init: RequestInit =
      body === undefined
        ? { method }
        : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
    const response = await pay(base)(baseUrl + path, init)
    if (response.status !== 200)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    return { response, priceAtomic }
  }
}

const address = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

interface Found {
  readonly asin: string
  readonly title: string
  readonly price: number | null
}

/** All seven routes in the order of a shopper, each step fed by the one before. */
export const tour = async (
  call: Call,
  sandbox: Sandbox,
  onVisit: (visit: Visit) => void
): Promise<ReadonlyArray<Visit>> => {
  const visits: Array<Visit> = []
  const visit = async <A>(
    method: string,
    path: string,
    body: unknown,
    read: (response: Response) => Promise<{ readonly value: A; readonly gist: string }>,
    shownPath = path
  ): Promise<A> => {
    const { priceAtomic, response } = await call(method, path, body)
    const { gist, value } = await read(response)
    const made = { method, path: shownPath, priceAtomic, transaction: receiptOf(response).transaction, gist }
    visits.push(made)
    onVisit(made)
    return value
  }
  const json = async <A>(response: Response): Promise<A> => (await response.json()) as A

  const product = await visit(
    "GET",
    "/x402/search?q=noise+cancelling+headphones",
    undefined,
    async (response) => {
      const { products, totalResults } = await json<{ products: ReadonlyArray<Found>; totalResults: number }>(
        response
      )
      const value = products.find(({ asin, price }) => price !== null && /^[A-Z0-9]{10}$/.test(asin))
      if (value === undefined) throw new Error("the search found nothing to buy")
      return { value, gist: `${totalResults} products, first "${value.title}"` }
    }
  )
  await visit(
    "POST",
    "/x402/shop",
    { message: "a quiet keyboard for the office", context: { priceRange: { max: 150 } } },
    async (response) => {
      const { products, reply } = await json<{ reply: string; products: ReadonlyArray<unknown> }>(response)
      return {
        value: undefined,
        gist: `${products.length} recommended: "${reply.replace(/\s+/g, " ").slice(0, 60)}…"`
      }
    }
  )
  await visit(
    "POST",
    "/x402/buy",
    { asin: product.asin, email: "ada@example.com", shippingAddress: address },
    async (response) => {
      const order = await json<{ orderId: string; status: string; totalPrice: { amount: string } }>(response)
      return {
        value: undefined,
        gist: `order ${order.orderId} ${order.status}, total ${order.totalPrice.amount}`
      }
    }
  )
  await visit("GET", "/x402/track?number=TILL-IN-TRANSIT", undefined, async (response) => {
    const result = await json<{
      status: string
      events: ReadonlyArray<unknown>
      carrier: { name: string | null }
    }>(response)
    return {
      value: undefined,
      gist: `${result.status} with ${result.carrier.name}, ${result.events.length} events`
    }
  })
  const item = await visit("GET", "/x402/vault/search?category=development", undefined, async (response) => {
    const { items } = await json<{ items: ReadonlyArray<{ slug: string; title: string }> }>(response)
    return { value: items[0]!, gist: `${items.length} items, first "${items[0]!.title}"` }
  })
  const purchase = await visit(
    "POST",
    "/x402/vault/buy",
    {
      slug: item.slug,
      walletAddress: "So11111111111111111111111111111111111111112",
      email: "ada@example.com"
    },
    async (response) => {
      const value = await json<{ purchaseId: string; downloadToken: string }>(response)
      return { value, gist: `purchase ${value.purchaseId} of "${item.title}"` }
    }
  )
  const download = `/x402/vault/download/${purchase.purchaseId}`
  await visit(
    "GET",
    `${download}?downloadToken=${encodeURIComponent(purchase.downloadToken)}`,
    undefined,
    async (response) => {
      const bytes = new Uint8Array(await response.arrayBuffer())
      const file = join(await mkdtemp(join(tmpdir(), "till402-demo-")), `${item.slug}.zip`)
      await writeFile(file, bytes)
      return { value: undefined, gist: `${file}: ${Object.keys(unzipSync(bytes)).join(", ")}` }
    },
    download
  )
  if (sandbox.shop.orders.length !== 1)
    throw new Error(`one order was paid, ${sandbox.shop.orders.length} were placed`)
  return visits
}
