/*
 * A catalogue as Shopify's documents describe it: JSON-RPC in, pages of products out, cursors in between.
 */

export interface ToolCall {
  readonly jsonrpc: string
  readonly id: number
  readonly method: string
  readonly params: {
    readonly name: string
    readonly arguments: {
      readonly meta: { readonly "ucp-agent": { readonly profile: string } }
      readonly catalog: {
        readonly query: string
        readonly context: Record<string, string>
        readonly filters?: Record<string, unknown>
        readonly pagination: { readonly limit: number; readonly cursor?: string }
      }
    }
  }
}

export interface VariantSample {
  readonly id?: string
  readonly url?: string
  readonly price?: unknown
  readonly availability?: unknown
  readonly media?: unknown
  readonly seller?: unknown
}

/** A product document with one variant, and whatever a case needs otherwise. */
export const productDocument = (
  number: number,
  overrides: Record<string, unknown> = {},
  variant: VariantSample = {}
): Record<string, unknown> => ({
  id: `gid://shopify/p/test${number}`,
  title: `Product ${number}`,
  description: { plain: "Made for tests." },
  price_range: { min: { amount: 1000, currency: "USD" }, max: { amount: 1000, currency: "USD" } },
  media: [{ type: "image", url: `https://cdn.shopify.com/${number}.jpg`, alt_text: "" }],
  variants: [variantDocument(number, variant)],
  ...overrides
})

export const variantDocument = (number: number, overrides: VariantSample = {}): Record<string, unknown> => ({
  id: `gid://shopify/ProductVariant/${number}?shop=1`,
  title: "Default",
  description: { plain: "" },
  url: `https://northwind.example/products/product-${number}?variant=${number}`,
  price: { amount: 1000, currency: "USD" },
  availability: { available: true, status: "in_stock" },
  ...overrides
})

/** The response to a tool call. */
export const toolResponse = (structuredContent: unknown, result: Record<string, unknown> = {}) => ({
  jsonrpc: "2.0",
  id: 1,
  result: { content: [], isError: false, structuredContent, ...result }
})

export const rpcError = (code: number, message: string, data?: unknown) => ({
  jsonrpc: "2.0",
  id: 1,
  error: { code, message, ...(data === undefined ? {} : { data }) }
})

export interface FakeCatalogue {
  /** Returns the response to one JSON-RPC call. */
  readonly respond: (call: ToolCall) => unknown
  readonly calls: Array<ToolCall>
  /** From now on no cursor given out before is taken. */
  readonly expireCursors: () => void
  products: ReadonlyArray<unknown>
}

/** Pages by offset; a page holds `limit` products, or `maxLimit` if that is fewer. */
export const fakeCatalogue = (
  products: ReadonlyArray<unknown>,
  { maxLimit = 50, tellsTotal = true }: { readonly maxLimit?: number; readonly tellsTotal?: boolean } = {}
): FakeCatalogue => {
  let era = 0
  const calls: Array<ToolCall> = []
  const fake: FakeCatalogue = {
    calls,
    products,
    expireCursors: () => {
      era += 1
    },
    respond: (call) => {
      calls.push(call)
      const { cursor, limit } = call.params.arguments.catalog.pagination
      const [cursorEra, offset] = cursor === undefined ? [era, 0] : cursor.split("-").map(Number)
      if (cursorEra !== era) return rpcError(-32602, "Invalid cursor")
      const end = offset! + Math.min(limit, maxLimit)
      const hasNext = end < fake.products.length
      return toolResponse({
        ucp: { version: "2026-08-25", status: "success" },
        products: fake.products.slice(offset, end),
        pagination: {
          has_next_page: hasNext,
          ...(hasNext ? { cursor: `${era}-${end}` } : {}),
          ...(tellsTotal ? { total_count: fake.products.length } : {})
        },
        messages: []
      })
    }
  }
  return fake
}
