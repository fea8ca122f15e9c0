import { readFileSync } from "node:fs"
import { http, HttpResponse } from "msw"

/*
 * Zinc's API with the documented life of an order. A key buys once: goods are counted.
 */

/** The documents that tests change; everything else stays as in the fixture. */
export interface OrderFixture {
  id: string
  status: string
  metadata?: unknown
  tracking_numbers?: unknown
  job_result?: unknown
  [field: string]: unknown
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/zinc-${name}.json`, import.meta.url), "utf8"))
export const placedFixture = () => read("order-placed") as OrderFixture
export const duplicateFixture = () => read("error-duplicate") as Record<string, unknown>

export const productDocument = {
  status: "completed",
  product_id: "B0TEST0001",
  title: "Acme Trail Running Shoes",
  price: 8499,
  main_image: "https://images.example/front.jpg",
  images: ["https://images.example/side.jpg"]
}

/** The page that a query selects, as Zinc's own client describes it. */
export const pageOf = (all: Array<OrderFixture>, query: URLSearchParams, limit = 20) => {
  const key = query.get("metadata_key")
  const value = query.get("metadata_value")
  const matching =
    key === null ? all : all.filter((order) => Reflect.get(Object(order.metadata), key) === value)
  const offset = Number(query.get("offset") ?? 0)
  return { orders: matching.slice(offset, offset + limit), total: matching.length, limit, offset }
}

export interface Received {
  readonly method: string
  /** Path and query. */
  readonly path: string
  readonly authorization: string | null
  readonly body: unknown
}

type Reply = (act: () => Response) => Response | Promise<Response>

export class FakeZinc {
  readonly url: string = "https://zinc.example"
  /** Oldest first, by key. */
  readonly orders = new Map<string, OrderFixture>()
  readonly received: Array<Received> = []
  /** How the list of orders, newest first, is returned. */
  list: (orders: Array<OrderFixture>, query: URLSearchParams) => unknown = pageOf
  wallet: object = { balance: 1_000_000 }
  product: () => Response = () => HttpResponse.json(productDocument)
  private readonly replies: Array<{ readonly to: RegExp; readonly reply: Reply }> = []

  /** Responds with `reply` to the next request to `to`, such as `POST /orders`. */
  next(to: RegExp, reply: Reply): void {
    this.replies.push({ to, reply })
  }

  /** Puts an order of somebody else's there. */
  put(change: object = {}): OrderFixture {
    const id = `other-${this.orders.size + 1}`
    const order = { ...placedFixture(), id, metadata: { orderId: id }, ...change }
    this.orders.set(id, order)
    return order
  }

  private create(body: { readonly idempotency_key: string; readonly metadata: unknown }): Response {
    const key = body.idempotency_key
    if (this.orders.has(key)) return HttpResponse.json(duplicateFixture(), { status: 409 })
    const id = `0d3a0c9e-${this.orders.size + 1}`
    const order = { ...placedFixture(), id, status: "pending", tracking_numbers: [], metadata: body.metadata }
    this.orders.set(key, order)
    return HttpResponse.json(order as object, { status: 201 })
  }

  private act(method: string, url: URL, body: unknown): Response {
    const { pathname: path, searchParams } = url
    if (path.startsWith("/products/")) return this.product()
    if (path === "/orders" && method === "POST") return this.create(body as Parameters<typeof this.create>[0])
    const all = [...this.orders.values()].toReversed()
    if (path === "/wallet/me") {
      return HttpResponse.json({ id: "w1", user_id: 1, wallet_type: "purchases", ...this.wallet })
    }
    if (path === "/orders") return HttpResponse.json(this.list(all, searchParams) as object)
    const order = all.find(({ id }) => path === `/orders/${id}`)
    return order === undefined
      ? HttpResponse.json({ code: "not_found", message: "Order not found" }, { status: 404 })
      : HttpResponse.json(order as object)
  }

  handler() {
    return http.all(`${this.url}/*`, async ({ request }) => {
      const url = new URL(request.url)
      const { headers, method } = request
      const text = await request.text()
      const path = url.pathname + url.search
      const body: unknown = text === "" ? undefined : JSON.parse(text)
      this.received.push({ method, path, authorization: headers.get("authorization"), body })
      const at = this.replies.findIndex(({ to }) => to.test(`${method} ${path}`))
      const [scripted] = at === -1 ? [] : this.replies.splice(at, 1)
      return scripted === undefined
        ? this.act(method, url, body)
        : scripted.reply(() => this.act(method, url, body))
    })
  }

  count(what: RegExp): number {
    return this.received.filter(({ method, path }) => what.test(`${method} ${path}`)).length
  }
}
