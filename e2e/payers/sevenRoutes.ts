import { unzipSync } from "fflate"
import type { Both, Pay } from "./payers.ts"

/*
 * The seven routes as an agent calls them, one after the other: what is found is bought, and what is bought is
 * downloaded.
 */

export const routes = [
  "search",
  "shop",
  "buy",
  "track",
  "vault/search",
  "vault/buy",
  "vault/download"
] as const
export type Route = (typeof routes)[number]

/** What became of each route: `paid`, or what the client or the till said. */
export type Outcomes = Readonly<Record<Route, string>>

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const shippingAddress = {
  name: "Ada Lovelace",
  line1: "12 Analytical Way",
  city: "San Francisco",
  state: "CA",
  postalCode: "94105",
  country: "US"
}

interface Found {
  readonly products: ReadonlyArray<{ readonly asin: string; readonly productUrl: string }>
}

interface Shelf {
  readonly items: ReadonlyArray<{ readonly slug: string }>
}

interface Purchase {
  readonly purchaseId: string
  readonly downloadToken: string
}

/** What a client said when it couldn't pay. */
const said = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Calls all routes of a sandbox. */
export const callAll = async (pay: Pay, { baseUrl, solana }: Both): Promise<Outcomes> => {
  const email = "ada@example.com"
  const outcomes = new Map<Route, string>()
  const call = async (route: Route, path: string, init?: RequestInit): Promise<Buffer> => {
    // Without a memo, two payments of one amount within one blockhash are the same one.
    solana.chain.advance(1)
    try {
      const response = await pay(`${baseUrl}/x402/${path}`, init)
      const body = Buffer.from(await response.arrayBuffer())
      outcomes.set(
        route,
        response.status === 200 ? "paid" : `${response.status}: ${body.toString().slice(0, 300)}`
      )
      return body
    } catch (error) {
      outcomes.set(route, said(error))
      return Buffer.from("{}")
    }
  }
  const read = async <A>(...request: Parameters<typeof call>): Promise<Partial<A>> =>
    JSON.parse((await call(...request)).toString())
  const found = await read<Found>("search", "search?q=headphones")
  await call("shop", "shop", post({ message: "a quiet keyboard" }))
  const [product] = found.products ?? []
  const { asin, productUrl } = product ?? {}
  await call("buy", "buy", post({ asin, productUrl, email, shippingAddress }))
  await call("track", "track?number=TILL-DELIVERED")
  const shelf = await read<Shelf>("vault/search", "vault/search?limit=5")
  const walletAddress = "So11111111111111111111111111111111111111112"
  const order = post({ slug: shelf.items?.[0]?.slug, walletAddress, email })
  const { downloadToken, purchaseId } = await read<Purchase>("vault/buy", "vault/buy", order)
  const archive = await call("vault/download", `vault/download/${purchaseId}?downloadToken=${downloadToken}`)
  if (outcomes.get("vault/download") === "paid" && Object.keys(unzipSync(archive)).length === 0)
    outcomes.set("vault/download", "the archive is empty")
  return Object.fromEntries(outcomes) as Outcomes
}
