import { http, HttpResponse } from "msw"
import { execute } from "./schema.ts"

/*
 * A Shopify shop behind the published schema of its Admin API: goods, draft orders and orders. Tax is ten percent of
 * the goods; it delivers within the United States.
 */

type Input = Readonly<Record<string, unknown>>
type Reply = (act: () => Promise<Response>) => Response | Promise<Response>

export interface OrderState {
  readonly id: string
  readonly total: string
  note: string | null
  customAttributes: ReadonlyArray<{ readonly key: string; readonly value: string }>
  tags: ReadonlyArray<string>
  cancelledAt: string | null
  cancelReason: string | null
  displayFinancialStatus: string
  displayFulfillmentStatus: string
  fulfillments: Array<object>
}

export interface DraftState {
  readonly id: string
  readonly createdAt: string
  tags: ReadonlyArray<string>
  readonly input: Input
  customAttributes: ReadonlyArray<{ readonly key: string; readonly value: string }>
  totalCents: number
  readonly taxCents: number
  readonly shippingCents: number
  order: OrderState | undefined
}

interface GoodsState {
  readonly id: number
  title: string
  vendor: string
  price: string
  status: string
  publishedAt: string | null
  availableForSale: boolean
  requiresShipping: boolean
  /** Titles of variants; their ids follow that of the product. Empty: only the default variant. */
  variants: ReadonlyArray<string>
}

const text = (cents: number): string => (cents / 100).toFixed(2)
const centsOf = (amount: unknown): number => Math.round(Number(amount) * 100)
const idOf = (gid: unknown): number => Number(String(gid).split("/").at(-1))
const objectOf = (value: unknown): Input => value as Input

const listOf = (value: unknown): ReadonlyArray<Input> => (Array.isArray(value) ? value.map(objectOf) : [])

export class FakeShopifyAdmin {
  readonly shop = "northwind.myshopify.com"
  currency = "USD"
  /** Whether a search finds only what it asks for. */
  filters = true
  readonly goods = new Map<number, GoodsState>()
  readonly drafts = new Map<string, DraftState>()
  readonly orders = new Map<string, OrderState>()
  /** Reads and writes of a draft that find it unfinished. */
  pendingReads = 0
  /** Tokens that are accepted. */
  readonly tokens = new Set(["shpat_secret"])
  readonly received: Array<{ operation: string; token: string | null; variables: Input; path: string }> = []
  private nextDraft = 500
  private readonly replies: Array<{ readonly to: RegExp; readonly reply: Reply }> = []

  constructor() {
    for (const id of [71, 72]) this.put(id)
  }

  put(id: number, change: Partial<GoodsState> = {}): void {
    this.goods.set(id, {
      id,
      title: `Tote bag ${id}`,
      vendor: "Northwind",
      price: "20.00",
      status: "ACTIVE",
      publishedAt: "2026-01-01T00:00:00Z",
      availableForSale: true,
      requiresShipping: true,
      variants: [],
      ...change
    })
  }

  /** Replies to the next operation of that name. */
  next(to: RegExp, reply: Reply): void {
    this.replies.push({ to, reply })
  }

  private readonly money = (cents: number) => ({
    shopMoney: { amount: text(cents), currencyCode: this.currency },
    presentmentMoney: { amount: text(cents), currencyCode: this.currency }
  })

  private readonly draft = (state: DraftState) => {
    const ready = this.pendingReads === 0
    if (!ready) this.pendingReads -= 1
    const { customAttributes, id, order, shippingCents, taxCents, totalCents } = state
    return {
      id,
      status: order === undefined ? "OPEN" : "COMPLETED",
      ready,
      customAttributes,
      totalPriceSet: this.money(totalCents),
      totalTaxSet: this.money(taxCents),
      totalShippingPriceSet: this.money(shippingCents),
      order: order === undefined ? null : this.order(order)
    }
  }

  private readonly order = ({ total: _total, ...state }: OrderState) => state

  private readonly media = (id: number) => ({
    __typename: "MediaImage",
    preview: { image: { url: `https://cdn.example/tote-${id}.jpg` } }
  })

  /** The goods with this variant. */
  private readonly goodsOf = (variant: unknown): GoodsState | undefined => {
    const id = idOf(variant)
    return [...this.goods.values()].find(
      (each) => id >= each.id && id < each.id + Math.max(1, each.variants.length)
    )
  }

  private readonly product = (goods: GoodsState) => {
    const { availableForSale, id, price, publishedAt, status, title, variants, vendor } = goods
    const titles = variants.length === 0 ? ["Default Title"] : variants
    return {
      title,
      vendor,
      status,
      publishedAt,
      handle: `tote-${id}`,
      onlineStoreUrl: publishedAt === null ? null : `https://northwind.example/products/tote-${id}`,
      hasOnlyDefaultVariant: variants.length === 0,
      featuredMedia: this.media(id),
      variants: {
        nodes: titles.map((each, index) => ({
          id: `gid://shopify/ProductVariant/${id + index}`,
          title: each,
          price,
          availableForSale
        }))
      }
    }
  }

  private readonly found = (query: unknown): ReadonlyArray<GoodsState> => {
    const words = String(query)
      .split(" ")
      .filter((word) => !word.includes(":"))
    return [...this.goods.values()].filter(
      ({ publishedAt, status, title, vendor }) =>
        (!this.filters || (status === "ACTIVE" && publishedAt !== null)) &&
        words.every((word) => `${title} ${vendor}`.toLowerCase().includes(word))
    )
  }

  private readonly rates = (input: unknown) => {
    const { countryCode } = objectOf(objectOf(input)["shippingAddress"])
    const rate = (handle: string, title: string, amount: string) => ({
      handle,
      title,
      price: { amount, currencyCode: this.currency },
      code: title,
      source: "shopify"
    })
    return countryCode === "US"
      ? [rate("shopify-express-15.00", "Express", "15.00"), rate("shopify-standard-5.99", "Standard", "5.99")]
      : []
  }

  private readonly changed = (state: DraftState | undefined, field?: ReadonlyArray<string>) => ({
    draftOrder: state === undefined ? null : this.draft(state),
    userErrors: field === undefined ? [] : [{ field, message: "is not valid" }]
  })

  private readonly create = (input: Input) => {
    const [line] = listOf(input["lineItems"])
    const goods = this.goodsOf(line?.["variantId"])
    if (goods === undefined) return this.changed(undefined, ["lineItems", "0", "variantId"])
    if (objectOf(input["shippingAddress"])["zip"] === "00000") {
      return this.changed(undefined, ["shippingAddress", "zip"])
    }
    const price = centsOf(goods.price)
    const shipping = objectOf(input["shippingLine"] ?? {})["priceWithCurrency"]
    const shippingCents = shipping === undefined ? 0 : centsOf(objectOf(shipping)["amount"])
    const taxCents = Math.round(price / 10)
    const state: DraftState = {
      id: `gid://shopify/DraftOrder/${this.nextDraft++}`,
      createdAt: new Date().toISOString(),
      tags: (input["tags"] as ReadonlyArray<string> | undefined) ?? [],
      input,
      customAttributes: [],
      taxCents,
      shippingCents,
      totalCents: price + taxCents + shippingCents,
      order: undefined
    }
    this.drafts.set(state.id, state)
    return this.changed(state)
  }

  private readonly complete = (id: string) => {
    const state = this.drafts.get(id)
    // As Shopify: a completed draft is not completed again.
    if (state === undefined || state.order !== undefined) return this.changed(undefined, ["id"])
    const order: OrderState = {
      id: `gid://shopify/Order/${900 + this.orders.size}`,
      total: text(state.totalCents),
      note: null,
      customAttributes: state.customAttributes,
      tags: state.tags,
      cancelledAt: null,
      cancelReason: null,
      displayFinancialStatus: "PAID",
      displayFulfillmentStatus: "UNFULFILLED",
      fulfillments: []
    }
    this.orders.set(order.id, order)
    state.order = order
    return this.changed(state)
  }

  private readonly queries = {
    shop: () => ({ currencyCode: this.currency }),
    productsCount: ({ query }: Input) => ({ count: this.found(query).length, precision: "EXACT" }),
    products: ({ after, first, query }: Input) => {
      const from = typeof after === "string" ? Number(atob(after)) : 0
      const until = from + Number(first)
      const all = this.found(query)
      return {
        nodes: all.slice(from, until).map(this.product),
        pageInfo: { hasNextPage: until < all.length, endCursor: btoa(`${until}`) }
      }
    },
    productVariant: ({ id }: Input) => {
      const goods = this.goodsOf(id)
      if (goods === undefined) return null
      const product = this.product(goods)
      const variant = product.variants.nodes.find((each) => each.id === id)
      return { ...variant, product, inventoryItem: { requiresShipping: goods.requiresShipping } }
    },
    draftOrderAvailableDeliveryOptions: ({ input }: Input) => ({ availableShippingRates: this.rates(input) }),
    draftOrders: ({ after, first, query }: Input) => {
      const [, tag = "", before = ""] =
        /^tag:(\w+) status:open created_at:<'(\S+)'$/.exec(String(query)) ?? []
      const all = [...this.drafts.values()].filter(
        ({ createdAt, id, order, tags }) =>
          id > String(after ?? "") &&
          (!this.filters || (tags.includes(tag) && order === undefined && createdAt < before))
      )
      const nodes = all.slice(0, Number(first)).map(({ createdAt, id, order, tags }) => ({
        id,
        createdAt,
        tags,
        status: order === undefined ? "OPEN" : "COMPLETED"
      }))
      const hasNextPage = nodes.length < all.length
      return { nodes, pageInfo: { hasNextPage, endCursor: nodes.at(-1)?.id ?? null } }
    },
    draftOrder: ({ id }: Input) => {
      const state = this.drafts.get(String(id))
      return state === undefined ? null : this.draft(state)
    },
    order: ({ id }: Input) => {
      const state = this.orders.get(String(id))
      return state === undefined ? null : this.order(state)
    }
  }

  private readonly mutations = {
    draftOrderCreate: ({ input }: Input) => this.create(objectOf(input)),
    draftOrderUpdate: ({ id, input }: Input) => {
      const state = this.drafts.get(String(id))
      if (state === undefined || state.order !== undefined) return this.changed(undefined, ["id"])
      state.customAttributes = objectOf(input)["customAttributes"] as DraftState["customAttributes"]
      return this.changed(state)
    },
    draftOrderComplete: ({ id }: Input) => this.complete(String(id)),
    draftOrderDelete: ({ input }: Input) => {
      this.drafts.delete(String(objectOf(input)["id"]))
      return { userErrors: [] }
    },
    orderCancel: ({ orderId, reason }: Input) => {
      const order = this.orders.get(String(orderId))
      if (order === undefined || order.fulfillments.length > 0) {
        return { orderCancelUserErrors: [{ code: "INVALID", field: ["orderId"], message: "is not valid" }] }
      }
      Object.assign(order, { cancelledAt: "2026-11-20T10:00:00Z", cancelReason: reason })
      return { orderCancelUserErrors: [] }
    },
    orderUpdate: ({ input }: Input) => {
      const { id, note } = objectOf(input)
      const order = this.orders.get(String(id))
      if (order === undefined) return { userErrors: [{ field: ["id"], message: "is not valid" }] }
      order.note = String(note)
      return { userErrors: [] }
    }
  }

  /** Marks an order as sent, as the merchant does. */
  ship(id: string, tracking: object = {}, displayStatus = "IN_TRANSIT"): void {
    const order = this.orders.get(id)!
    order.displayFulfillmentStatus = "FULFILLED"
    order.fulfillments = [
      {
        status: "SUCCESS",
        createdAt: new Date().toISOString(),
        displayStatus,
        trackingInfo: [{ company: "UPS", number: "1Z999AA10123456784", url: null, ...tracking }]
      }
    ]
  }

  private readonly act = async (query: string, variables: Input): Promise<Response> =>
    HttpResponse.json(await execute(query, variables, { ...this.queries, ...this.mutations }))

  /** Responds to a request to the shop. */
  async respond(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname
    const token = request.headers.get("x-shopify-access-token")
    const body = objectOf(await request.json())
    if (path === "/admin/oauth/access_token") {
      this.received.push({ operation: "token", token, variables: body, path })
      const issued = `shpat_${this.tokens.size}`
      this.tokens.add(issued)
      return HttpResponse.json({ access_token: issued, scope: "write_draft_orders", expires_in: 86_399 })
    }
    const query = String(body["query"])
    const variables = objectOf(body["variables"])
    const operation = /^\s*(?:query|mutation) (\w+)/.exec(query)?.[1] ?? ""
    this.received.push({ operation, token, variables, path })
    if (!this.tokens.has(token ?? "")) return HttpResponse.json({ errors: "[API] Invalid" }, { status: 401 })
    const at = this.replies.findIndex(({ to }) => to.test(operation))
    const [scripted] = at === -1 ? [] : this.replies.splice(at, 1)
    const act = () => this.act(query, variables)
    return scripted === undefined ? act() : scripted.reply(act)
  }

  handler() {
    return http.post(`https://${this.shop}/*`, ({ request }) => this.respond(request))
  }
}
