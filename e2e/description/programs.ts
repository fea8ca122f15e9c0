/*
 * Programs that use a generated client, as TypeScript: each calls all seven routes. A line marked as an error must be one
 * for the compiler: the document's rules are in the types.
 */

const address = `{ name: "Ada", line1: "1 Way", city: "Austin", state: "TX", postalCode: "78701", country: "US" }`
const walletAddress = `"So11111111111111111111111111111111111111112"`

/** With openapi-fetch, over the types of openapi-typescript. */
export const openapiFetch = `
import createClient from "openapi-fetch"
import type { paths } from "./schema.ts"

const paid = <T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T => {
  if (data === undefined) throw new Error(response.url + " " + response.status + ": " + JSON.stringify(error))
  return data
}

export const useAll = async (baseUrl: string, fetch: typeof globalThis.fetch) => {
  const client = createClient<paths>({ baseUrl, fetch })
  const found = paid(await client.GET("/x402/search", { params: { query: { q: "tote", priceMax: 100 } } }))
  const advice = paid(await client.POST("/x402/shop", { body: { message: "a bag for books" } }))
  const body = { email: "ada@example.com", asin: "B0ABCDEFGH", shippingAddress: ${address} }
  const order = paid(await client.POST("/x402/buy", { body }))
  const parcel = paid(await client.GET("/x402/track", { params: { query: { number: "EE123456785US" } } }))
  const vault = paid(await client.GET("/x402/vault/search", { params: { query: { limit: 1 } } }))
  const slug = vault.items[0]!.slug
  const sale = { slug, email: "ada@example.com", walletAddress: ${walletAddress} }
  const { downloadToken, purchaseId } = paid(await client.POST("/x402/vault/buy", { body: sale }))
  const params = { path: { purchaseId }, query: { downloadToken } }
  const archive = await client.GET("/x402/vault/download/{purchaseId}", { params, parseAs: "arrayBuffer" })
  const refused = await client.GET("/x402/search", { params: { query: { q: " " } } })
  return {
    products: found.products.length,
    reply: advice.reply,
    status: order.status,
    carrier: parcel.carrier.name,
    slug,
    bytes: paid(archive).byteLength,
    fault: refused.error && "code" in refused.error ? refused.error.code : undefined
  }
}

export const faults = async (client: ReturnType<typeof createClient<paths>>) => {
  // @ts-expect-error q is required
  await client.GET("/x402/search", { params: { query: {} } })
  // @ts-expect-error no such category
  await client.GET("/x402/vault/search", { params: { query: { category: "music" } } })
  // @ts-expect-error a number
  await client.GET("/x402/vault/search", { params: { query: { limit: "10" } } })
  // @ts-expect-error the address is incomplete
  await client.POST("/x402/buy", { body: { email: "ada@example.com", asin: "", shippingAddress: { name: "Ada" } } })
  // @ts-expect-error no product is named
  await client.POST("/x402/buy", { body: { email: "ada@example.com", shippingAddress: ${address} } })
}
`

/** With the functions of @hey-api/openapi-ts. */
export const heyApi = `
import { createClient, createConfig } from "./client"
import { buy, search, shop, track, vaultBuy, vaultDownload, vaultSearch } from "./sdk.gen"

const paid = <T>({ data, error, response }: { data?: T; error?: unknown; response?: Response }): T => {
  if (data === undefined) throw new Error(response?.url + " " + response?.status + ": " + JSON.stringify(error))
  return data
}

export const useAll = async (baseUrl: string, fetch: typeof globalThis.fetch) => {
  const client = createClient(createConfig({ baseUrl, fetch }))
  const found = paid(await search({ client, query: { q: "tote", priceMax: 100 } }))
  const advice = paid(await shop({ client, body: { message: "a bag for books" } }))
  const body = { email: "ada@example.com", asin: "B0ABCDEFGH", shippingAddress: ${address} }
  const order = paid(await buy({ client, body }))
  const parcel = paid(await track({ client, query: { number: "EE123456785US" } }))
  const vault = paid(await vaultSearch({ client, query: { limit: 1 } }))
  const slug = vault.items[0]!.slug
  const sale = { slug, email: "ada@example.com", walletAddress: ${walletAddress} }
  const { downloadToken, purchaseId } = paid(await vaultBuy({ client, body: sale }))
  const archive = await vaultDownload({ client, path: { purchaseId }, query: { downloadToken }, parseAs: "blob" })
  const refused = await search({ client, query: { q: " " } })
  return {
    products: found.products.length,
    reply: advice.reply,
    status: order.status,
    carrier: parcel.carrier.name,
    slug,
    bytes: (paid(archive) as Blob).size,
    fault: refused.error && "code" in refused.error ? refused.error.code : undefined
  }
}

export const faults = async () => {
  // @ts-expect-error q is required
  await search({ query: {} })
  // @ts-expect-error no such category
  await vaultSearch({ query: { category: "music" } })
  // @ts-expect-error a number
  await vaultSearch({ query: { limit: "10" } })
  // @ts-expect-error the address is incomplete
  await buy({ body: { email: "ada@example.com", asin: "", shippingAddress: { name: "Ada" } } })
  // @ts-expect-error no product is named
  await buy({ body: { email: "ada@example.com", shippingAddress: ${address} } })
}
`
