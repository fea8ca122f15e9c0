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

/** One paid call of the tour. */
export interface Visit {
  readonly method: string
  /** Without its query where that holds a secret. */
  readonly path: string
  readonly priceAtomic: bigint
  readonly transaction: string
  /** What came back, in a few words. */
  readonly gist: string
}

/** Told of each call before it is made and after it is answered. */
export interface TourGuide {
  readonly onCall: (method: string, path: string) => void
  readonly onVisit: (visit: Visit) => void
}

/** What a tour leaves behind. */
export interface Tour {
  readonly orderId: string
  readonly download: Download
}

/** The archive that was bought, as it lies on disk. */
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

/** Makes a call, has its answer read, and reports it; resolves with what was read. */
export type Go = <A>(
  request: Request,
  read: (response: Response) => Promise<{ readonly value: A; readonly gist: string }>
) => Promise<A>

/** Makes calls, and tells the guide of each. */
export const guided =
  (call: Call, guide: TourGuide): Go =>
  async ({ method, path, secretQuery = "", body }, read) => {
    guide.onCall(method, path)
    const { priceAtomic, response, transaction } = await call(method, path + secretQuery, body)
    const { gist, value } = await read(response)
    guide.onVisit({ method, path, priceAtomic, transaction, gist })
    return value
  }

/**
 * All seven routes in the order of a shopper, each call fed by the ones before: the product that was
 * found is bought, the item that was found is bought, the purchase is downloaded.
 */
export const tour = async (go: Go): Promise<Tour> => {
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

const search = (go: Go) =>
  go<SearchProduct>(
    { method: "GET", path: "/x402/search?q=noise+cancelling+headphones" },
    async (response) => {
      const { products, totalResults } = await json<SearchResponse>(response)
      // Any product of the general marketplace that has a price: those are bought by their code alone.
      const value = products.find(({ price, source }) => source === "marketplace_a" && price !== null)
      if (value === undefined) throw new Error("The search found nothing that can be bought.")
      return { value, gist: `${totalResults} products, first ${JSON.stringify(value.title)}` }
    }
  )

const shop = (go: Go) =>
  go<void>(
    {
      method: "POST",
      path: "/x402/shop",
      body: { message: "a quiet keyboard for the office", context: { priceRange: { max: 150 } } }
    },
    async (response) => {
      const { products, reply } = await json<ShopResponse>(response)
      return { value: undefined, gist: `${products.length} recommended: ${reply.replace(/\s+/g, " ")}` }
    }
  )

/** Buys a product; resolves with the order's id. */
export const buy = (go: Go, asin: string): Promise<string> =>
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
        gist: `order ${orderId} ${status}, ${totalPrice.amount} ${totalPrice.currency} with tax and shipping`
      }
    }
  )

export const track = (go: Go, number: string): Promise<void> =>
  go<void>({ method: "GET", path: `/x402/track?number=${number}` }, async (response) => {
    const { carrier, events, status } = await json<TrackResult>(response)
    return { value: undefined, gist: `${status} with ${carrier.name}, ${events.length} events` }
  })

const searchVault = (go: Go) =>
  go<VaultItem>({ method: "GET", path: "/x402/vault/search?category=development" }, async (response) => {
    const { items } = await json<VaultPage>(response)
    const [value] = items
    if (value === undefined) throw new Error("The vault has nothing of that category.")
    return { value, gist: `${items.length} items, first ${JSON.stringify(value.title)}` }
  })

const buyFromVault = (go: Go, item: VaultItem) =>
  go<VaultPurchaseResponse>(
    {
      method: "POST",
      path: "/x402/vault/buy",
      body: { slug: item.slug, walletAddress: customer.walletAddress, email: customer.email }
    },
    async (response) => {
      const value = await json<VaultPurchaseResponse>(response)
      return { value, gist: `purchase ${value.purchaseId} of ${JSON.stringify(value.item.title)}` }
    }
  )

const download = (go: Go, item: VaultItem, purchase: VaultPurchaseResponse) =>
  go<Download>(
    {
      method: "GET",
      path: `/x402/vault/download/${purchase.purchaseId}`,
      secretQuery: `?downloadToken=${encodeURIComponent(purchase.downloadToken)}`
    },
    async (response) => {
      const archive = new Uint8Array(await response.arrayBuffer())
      const entries = Object.entries(unzipSync(archive)).map(([name, { length }]) => ({
        name,
        bytes: length
      }))
      if (entries.length === 0) throw new Error("The downloaded ZIP archive is empty.")
      const file = join(await mkdtemp(join(tmpdir(), "till402-demo-")), `${item.slug}.zip`)
      await writeFile(file, archive)
      return { value: { file, entries }, gist: `ZIP of ${archive.length} bytes, ${entries.length} files` }
    }
  )
