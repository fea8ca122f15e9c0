/*
 * Requests of the contract, and how they are sent.
 */

/** A request without payment; with a body it is a POST of JSON. */
export interface Call {
  readonly path: string
  readonly body?: unknown
}

export const baseUrl = "https://shop.example"
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const network = "eip155:84532"
export const usdc = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"

export const address = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const email = "ada@mail.example"
const walletAddress = "So11111111111111111111111111111111111111112"

export const searchFor = (q: string): Call => ({ path: `/x402/search?q=${encodeURIComponent(q)}` })
export const shopFor = (message: string): Call => ({ path: "/x402/shop", body: { message } })
export const buyOf = (asin: string, shippingAddress: Readonly<Record<string, string>> = address): Call => ({
  path: "/x402/buy",
  body: { shippingAddress, email, asin }
})
/** A shipment of its own for each number: calls of one payer for the same one share a look-up. */
export const trackOf = (number: number): Call => ({ path: `/x402/track?number=1Z999AA${1e9 + number}` })
export const vaultBuyOf = (slug: string): Call => ({
  path: "/x402/vault/buy",
  body: { slug, walletAddress, email }
})
export const downloadOf = (purchaseId: string, downloadToken: string): Call => ({
  path: `/x402/vault/download/${purchaseId}?downloadToken=${encodeURIComponent(downloadToken)}`
})

export const calls = {
  search: searchFor("tote"),
  shop: shopFor("a bag for books"),
  buy: buyOf("B000000001"),
  track: { path: "/x402/track?number=1Z999AA10123456784" },
  vaultSearch: { path: "/x402/vault/search" },
  vaultBuy: vaultBuyOf("launch-plan"),
  vaultDownload: downloadOf("7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11", "1.secret")
} satisfies Record<string, Call>

/** Two of the same price, and a more expensive one. */
export const vaultItems = ["launch-plan", "press-kit", "brand-voice"].map(
  (slug, index) =>
    ({
      id: `6f1c2f6e-3a51-4c52-9d53-0c1d2f7a9b1${index}`,
      slug,
      title: `Vault item ${index + 1}`,
      productType: "skill",
      cardDescription: "Something to launch by.",
      price: index < 2 ? 5 : 7,
      category: "marketing",
      creator: { name: "Grace", type: "human" },
      downloads: 0,
      coverImageUrl: `https://images.example/${slug}.png`
    }) as const
)

export const requestOf = (call: Call, headers: HeadersInit = {}): Request => {
  const given = new Headers(headers)
  if (call.body === undefined) return new Request(baseUrl + call.path, { headers: given })
  given.set("content-type", "application/json")
  return new Request(baseUrl + call.path, { method: "POST", headers: given, body: JSON.stringify(call.body) })
}

/** A response with its body read. */
export interface ReceivedResponse {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

export const readResponse = async (response: Response): Promise<ReceivedResponse> => ({
  status: response.status,
  text: await response.text(),
  headers: response.headers
})

export const jsonOf = ({ text }: ReceivedResponse): Record<string, unknown> =>
  JSON.parse(text) as Record<string, unknown>
