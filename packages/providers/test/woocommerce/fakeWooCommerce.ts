import { http, HttpResponse } from "msw"

/*
 * A WooCommerce shop with the documented products and orders. Tax is ten percent of the goods.
 */

export interface ProductFixture {
  readonly id: number
  readonly name: string
  readonly price: string
  readonly [field: string]: unknown
}

export interface OrderFixture {
  readonly id: number
  status: string
  transaction_id: string
  /** Custom fields, one for each key. */
  meta_data: ReadonlyArray<{ readonly id: number; readonly key: string; readonly value: string }>
  total: string
  [field: string]: unknown
}

const product = (id: number, change: object = {}): ProductFixture => ({
  id,
  name: `Tote bag ${id}`,
  permalink: `https://shop.example/product/tote-${id}/`,
  type: "simple",
  status: "publish",
  price: "20.00",
  purchasable: true,
  stock_status: "instock",
  average_rating: "4.50",
  rating_count: 3,
  images: [{ src: `https://shop.example/tote-${id}.jpg` }],
  parent_id: 0,
  ...change
})

const text = (cents: number): string => (cents / 100).toFixed(2)
const centsOf = (amount: unknown): number => Math.round(Number(amount) * 100)

type Reply = (act: () => Response) => Response | Promise<Response>

/** Statuses in which `set_paid` has an effect. */
const payable: ReadonlySet<string> = new Set(["pending", "on-hold", "failed", "cancelled"])

export class FakeWooCommerce {
  readonly store = "https://shop.example"
  currency = "USD"
  readonly products = new Map<number, ProductFixture>()
  readonly orders = new Map<number, OrderFixture>()
  readonly notes = new Map<number, Array<Record<string, unknown>>>()
  readonly received: Array<{ method: string; path: string; authorization: string | null; body: unknown }> = []
  private nextId = 500
  private nextFieldId = 1
  private readonly replies: Array<{ readonly to: RegExp; readonly reply: Reply }> = []

  constructor() {
    for (const id of [71, 72]) this.put(id)
  }

  put(id: number, change: object = {}): void {
    this.products.set(id, product(id, change))
  }

  next(to: RegExp, reply: Reply): void {
    this.replies.push({ to, reply })
  }

  private create(body: Record<string, unknown>): Response {
    const [line] = body["line_items"] as [{ product_id: number; variation_id?: number }]
    const [shipping] = body["shipping_lines"] as [{ total: string }]
    const goods = centsOf(this.products.get(line.variation_id ?? line.product_id)?.price)
    const [tax, shippingCents] = [Math.round(goods / 10), centsOf(shipping.total)]
    const id = this.nextId++
    const order: OrderFixture = {
      ...body,
      id,
      status: "pending",
      currency: this.currency,
      transaction_id: "",
      meta_data: [],
      date_created_gmt: new Date().toISOString().slice(0, 19),
      shipping_total: text(shippingCents),
      total_tax: text(tax),
      total: text(goods + tax + shippingCents)
    }
    this.orders.set(id, order)
    return HttpResponse.json(order, { status: 201 })
  }

  private order(id: number, method: string, body: Record<string, unknown>): Response {
    const order = this.orders.get(id)
    if (order === undefined) {
      return HttpResponse.json({ code: "woocommerce_rest_shop_order_invalid_id" }, { status: 404 })
    }
    if (method === "DELETE") this.orders.delete(id)
    // As WooCommerce: the fields are written first. Then an order that needs no payment is not paid again.
    if (body["transaction_id"] !== undefined) order.transaction_id = String(body["transaction_id"])
    const fields = (body["meta_data"] ?? []) as ReadonlyArray<{
      readonly key: string
      readonly value: string
    }>
    for (const { key, value } of fields) {
      const known = order.meta_data.find((field) => field.key === key)
      const others = order.meta_data.filter((field) => field !== known)
      order.meta_data = [...others, { id: known?.id ?? this.nextFieldId++, key, value }]
    }
    if (typeof body["status"] === "string") order.status = body["status"]
    if (body["set_paid"] === true && payable.has(order.status)) order.status = "processing"
    return HttpResponse.json(order)
  }

  private list(query: URLSearchParams): Response {
    const before = Date.parse(query.get("before") ?? "")
    const all = [...this.orders.values()].filter(
      ({ date_created_gmt, status }) =>
        status === query.get("status") && Date.parse(`${String(date_created_gmt)}Z`) < before
    )
    const [from, size] = [Number(query.get("offset")), Number(query.get("per_page"))]
    return HttpResponse.json(all.slice(from, from + size))
  }

  private noted(id: number, method: string, body: Record<string, unknown>): Response {
    const notes = this.notes.get(id) ?? []
    this.notes.set(id, notes)
    if (method === "GET") return HttpResponse.json(notes)
    notes.push({ id: notes.length + 1, author: "system", ...body })
    return HttpResponse.json(notes.at(-1), { status: 201 })
  }

  private search(query: URLSearchParams): Response {
    const all = [...this.products.values()].filter(
      (each) => each["type"] === query.get("type") && each["stock_status"] === query.get("stock_status")
    )
    const [page, size] = [Number(query.get("page")), Number(query.get("per_page"))]
    return HttpResponse.json(all.slice((page - 1) * size, page * size), {
      headers: { "x-wp-total": `${all.length}`, "x-wp-totalpages": `${Math.ceil(all.length / size)}` }
    })
  }

  private act(method: string, url: URL, body: Record<string, unknown>): Response {
    const [kind = "", id, part] = url.pathname.replace("/wp-json/wc/v3/", "").split("/")
    if (kind === "products" && id === undefined) return this.search(url.searchParams)
    if (kind === "products") {
      const found = this.products.get(Number(id))
      return found === undefined
        ? HttpResponse.json({ code: "woocommerce_rest_product_invalid_id" }, { status: 404 })
        : HttpResponse.json(found)
    }
    if (part === "notes") return this.noted(Number(id), method, body)
    if (id !== undefined) return this.order(Number(id), method, body)
    return method === "GET" ? this.list(url.searchParams) : this.create(body)
  }

  /** Handles a request as the shop does. */
  async respond(request: Request): Promise<Response> {
    const url = new URL(request.url)
    const content = await request.text()
    const body = (content === "" ? {} : JSON.parse(content)) as Record<string, unknown>
    const { method } = request
    const path = url.pathname.replace("/wp-json/wc/v3", "") + url.search
    this.received.push({ method, path, authorization: request.headers.get("authorization"), body })
    const at = this.replies.findIndex(({ to }) => to.test(`${method} ${path}`))
    const [scripted] = at === -1 ? [] : this.replies.splice(at, 1)
    return scripted === undefined
      ? this.act(method, url, body)
      : scripted.reply(() => this.act(method, url, body))
  }

  handler() {
    return http.all(`${this.store}/wp-json/wc/v3/*`, ({ request }) => this.respond(request))
  }
}
