import { readFileSync } from "node:fs"
import { http, HttpResponse } from "msw"

/*
 * Rye's API with the documented life of an intent. A confirmation buys, once: goods are counted.
 */

interface Price {
  amountSubunits: unknown
  currencyCode: unknown
}
/** The documents that tests change; everything else stays as in the fixture. */
export interface IntentFixture {
  id: string
  state: string
  createdAt: string
  offer?: { cost: Record<string, Price> }
  failureReason?: { code: unknown; message?: unknown }
  [field: string]: unknown
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/rye-${name}.json`, import.meta.url), "utf8"))
export const intentFixture = (
  name: "1-retrieving" | "2-awaiting" | "3-placing" | "4-completed" | "5-failed"
): IntentFixture => read(`intent-${name}`) as IntentFixture
export const shipmentsFixture = () =>
  read("shipments") as { data: Array<Record<string, unknown>>; pageInfo: Record<string, unknown> }

export const productDocument = {
  id: "p_1",
  name: "Acme Trail Running Shoes",
  description: null,
  brand: "Acme",
  sku: null,
  retailer: null,
  url: "https://www.amazon.com/dp/B0TEST0001",
  isPurchasable: true,
  availability: "in_stock",
  price: { amountSubunits: 8499, currencyCode: "USD" },
  images: [
    { url: "https://images.example/side.jpg", isFeatured: false },
    { url: "https://images.example/front.jpg", isFeatured: true }
  ]
}

export interface Received {
  readonly method: string
  /** Path and query below the API. */
  readonly path: string
  readonly authorization: string | null
  readonly idempotencyKey: string | null
  readonly body: unknown
}

type Reply = (act: () => Response) => Response | Promise<Response>

export class FakeRye {
  readonly url: string = "https://rye.example"
  readonly intents = new Map<string, IntentFixture>()
  readonly received: Array<Received> = []
  /** Intents that goods went out for. */
  readonly goods: Array<string> = []
  /** Looks at an intent before its offer is there. */
  looksToOffer = 0
  /** Changes an intent when its offer is there, before it is returned. */
  arrange: (intent: IntentFixture) => void = () => {}
  /** Responses to the next requests whose method and path match, instead of the service's own. */
  readonly replies: Array<{ readonly to: RegExp; readonly reply: Reply }> = []
  shipments: (intentId: string, query: URLSearchParams) => unknown = () => ({ data: [], pageInfo: {} })
  order: (intentId: string) => Response = () => HttpResponse.json({ id: "ord_7ab1", cancellation: null })
  product: () => Response = () => HttpResponse.json(productDocument)
  /** The drawdown balance in cents; `undefined`: drawdown is not enabled. */
  balanceCents: number | undefined = 1_000_000
  private readonly looks = new Map<string, number>()

  /** Responds with `reply` to the next request to `to`, such as `POST /checkout-intents`. */
  next(to: RegExp, reply: Reply): void {
    this.replies.push({ to, reply })
  }

  /** Puts an intent there as if it had been made before. */
  put(intent: IntentFixture): IntentFixture {
    this.intents.set(intent.id, intent)
    return intent
  }

  private create(body: unknown): Response {
    const fixture = intentFixture("1-retrieving")
    const intent = {
      ...fixture,
      ...(body as object),
      id: `ci_${this.intents.size + 1}`,
      createdAt: new Date().toISOString()
    }
    this.intents.set(intent.id, intent)
    return this.look(intent, 201)
  }

  private look(intent: IntentFixture, status = 200): Response {
    const looks = this.looks.get(intent.id) ?? 0
    this.looks.set(intent.id, looks + 1)
    if (intent.state === "retrieving_offer" && looks >= this.looksToOffer) {
      intent.state = "awaiting_confirmation"
      intent.offer = intentFixture("2-awaiting").offer!
      this.arrange(intent)
    }
    return HttpResponse.json(intent as object, { status })
  }

  private confirm(intent: IntentFixture): Response {
    if (intent.state !== "awaiting_confirmation") {
      return HttpResponse.json({ message: "Checkout intent is not awaiting confirmation" }, { status: 409 })
    }
    intent.state = "placing_order"
    this.goods.push(intent.id)
    return HttpResponse.json(intent as object)
  }

  private act(method: string, url: URL, body: unknown): Response {
    const path = url.pathname.replace("/api/v1", "")
    if (path === "/products/lookup") return this.product()
    if (path === "/billing/balance") {
      const balance = { amountSubunits: this.balanceCents ?? 0, currencyCode: "USD" }
      return HttpResponse.json({ balance, drawdownEnabled: this.balanceCents !== undefined })
    }
    if (method === "POST" && path === "/checkout-intents") return this.create(body)
    const [, shipmentId] = /^\/shipments\/(\w+)$/.exec(path) ?? []
    if (shipmentId !== undefined) return HttpResponse.json(shipmentsFixture().data[0])
    const [, id = "", rest] = /^\/checkout-intents\/([\w-]+)(?:\/(\w+))?$/.exec(path) ?? []
    const intent = this.intents.get(id)
    if (intent === undefined) return HttpResponse.json({ message: "Not found" }, { status: 404 })
    switch (rest) {
      case "confirm":
        return this.confirm(intent)
      case "shipments":
        return HttpResponse.json(this.shipments(id, url.searchParams) as object)
      case "order":
        return this.order(id)
      default:
        return this.look(intent)
    }
  }

  handler() {
    return http.all(`${this.url}/*`, async ({ request }) => {
      const url = new URL(request.url)
      const { headers, method } = request
      const text = await request.text()
      const path = url.pathname.replace("/api/v1", "") + url.search
      const body: unknown = text === "" ? undefined : JSON.parse(text)
      this.received.push({
        method,
        path,
        authorization: headers.get("authorization"),
        idempotencyKey: headers.get("idempotency-key"),
        body
      })
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
