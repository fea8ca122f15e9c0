import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type {
  BuyResponse,
  SearchProduct,
  SearchResponse,
  ShopResponse,
  TrackResult,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse
} from "@till402/core"
import { unzipSync } from "fflate"
import type { Call } from "./Calls.ts"

/** One paid call of the tour, with its result. */
export interface PaidCallRow {
  readonly method: string
  /** Without the query if that holds a secret. */
  readonly path: string
  readonly priceAtomic: bigint
  readonly transaction: string
  /** A short summary of the response. */
  readonly summary: string
}

/** Receives each call before it is made and after its response. */
export interface TourObserver {
  readonly onCall: (method: string, path: string) => void
  readonly onPaid: (visit: PaidCallRow) => void
}

/** The results of a tour. */
export interface TourResult {
  readonly orderId: string
  readonly download: Download
}

/** The downloaded archive. */
export interface Download {
  readonly file: string
  readonly entries: ReadonlyArray<{ readonly name: string; readonly bytes: number }>
}

interface Request {
  readonly method: "GET" | "POST"
  readonly path: string
  readonly secretQuery?: string
  readonly body?: unknown
}

/** Makes a call, reads its response and reports it; resolves to the value read. */
export type MakeCall = <A>(
  request: Request,
  /** `payment`: the header that paid. */
  read: (response: Response, payment: string) => Promise<{ readonly value: A; readonly summary: string }>
) => Promise<A>

/** Makes calls and reports each. */
export const observedCalls =
  (call: Call, guide: TourObserver): MakeCall =>
  async ({ method, path, secretQuery = "", body }, read) => {
    guide.onCall(method, path)
    const { payment, priceAtomic, response, transaction } = await call(method, path + secretQuery, body)
    const { summary, value } = await read(response, payment)
    guide.onPaid({ method, path, priceAtomic, transaction, summary })
    return value
  }

/**
 * Calls all seven routes like a shopper: buys the product and the vault item found before, and downloads the
 * purchase.
 */
export const runTour = async (go: MakeCall): Promise<TourResult> => {
  const product = await search(go)
  await shop(go)
  const orderId = await buy(go, product.asin)
  await track(go, "TILL-IN-TRANSIT")
  const item = await searchVault(go)
  const purchase = await buyFromVault(go, item)
  return { orderId, download: await download(go, item, purchase) }
}

const customer = {
  email: "ada@example.com",
  shippingAddress: {
    name: "Ada Lovelace",
    line1: "12 Analytical Way",
    city: "San Francisco",
    state: "CA",
    postalCode: "94105",
    country: "US"
  },
  walletAddress: "So11111111111111111111111111111111111111112"
}

const json = async <A>(response: Response): Promise<A> => (await response.json()) as A

const search = (go: MakeCall) =>
  go<SearchProduct>(
    { method: "GET", path: "/x402/search?q=noise+cancelling+headphones" },
    async (response) => {
      const { products, totalResults } = await json<SearchResponse>(response)
      // Any product of the general marketplace with a price: its ASIN is enough to buy it.
      const value = products.find(({ price, source }) => source === "marketplace_a" && price !== null)
      if (value === undefined) throw new Error("The search found no product to buy.")
      return { value, summary: `${totalResults} products, first ${JSON.stringify(value.title)}` }
    }
  )

const shop = (go: MakeCall) =>
  go<void>(
    {
      method: "POST",
      path: "/x402/shop",
      body: { message: "a quiet keyboard for the office", context: { priceRange: { max: 150 } } }
    },
    async (response) => {
      const { products, reply } = await json<ShopResponse>(response)
      return { value: undefined, summary: `${products.length} recommended: ${reply.replace(/\s+/g, " ")}` }
    }
  )

/** Buys a product; resolves to the order's id. */
export const buy = (go: MakeCall, asin: string): Promise<string> =>
  go<string>(
    {
      method: "POST",
      path: "/x402/buy",
      body: { asin, email: customer.email, shippingAddress: customer.shippingAddress }
    },
    async (response) => {
      const { orderId, status, totalPrice } = await json<BuyResponse>(response)
      return {
        value: orderId,
        summary: `order ${orderId} ${status}, ${totalPrice.amount} ${totalPrice.currency} with tax and shipping`
      }
    }
  )

export const track = (go: MakeCall, number: string): Promise<void> =>
  go<void>({ method: "GET", path: `/x402/track?number=${number}` }, async (response) => {
    const { carrier, events, status } = await json<TrackResult>(response)
    return { value: undefined, summary: `${status} with ${carrier.name}, ${events.length} events` }
  })

const searchVault = (go: MakeCall) =>
  go<VaultItem>({ method: "GET", path: "/x402/vault/search?category=development" }, async (response) => {
    const { items } = await json<VaultPage>(response)
    const [value] = items
    if (value === undefined) throw new Error("The vault has no item in that category.")
    return { value, summary: `${items.length} items, first ${JSON.stringify(value.title)}` }
  })

/** Buys a vault item. */
export const buyFromVault = (go: MakeCall, item: Pick<VaultItem, "slug">) =>
  go<VaultPurchaseResponse>(
    {
      method: "POST",
      path: "/x402/vault/buy",
      body: { slug: item.slug, walletAddress: customer.walletAddress, email: customer.email }
    },
    async (response) => {
      const value = await json<VaultPurchaseResponse>(response)
      return { value, summary: `purchase ${value.purchaseId} of ${JSON.stringify(value.item.title)}` }
    }
  )

/** Where a purchase is downloaded. */
export const downloadPath = ({ downloadToken, purchaseId }: VaultPurchaseResponse) => ({
  path: `/x402/vault/download/${purchaseId}`,
  secretQuery: `?downloadToken=${encodeURIComponent(downloadToken)}`
})

const download = (go: MakeCall, item: VaultItem, purchase: VaultPurchaseResponse) =>
  go<Download>({ method: "GET", ...downloadPath(purchase) }, async (response) => {
    const archive = new Uint8Array(await response.arrayBuffer())
    const entries = Object.entries(unzipSync(archive)).map(([name, { length }]) => ({
      name,
      bytes: length
    }))
    if (entries.length === 0) throw new Error("The downloaded ZIP archive is empty.")
    const file = join(await mkdtemp(join(tmpdir(), "till402-demo-")), `${item.slug}.zip`)
    await writeFile(file, archive)
    return { value: { file, entries }, summary: `ZIP of ${archive.length} bytes, ${entries.length} files` }
  })
