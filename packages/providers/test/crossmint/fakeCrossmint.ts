import { readFileSync } from "node:fs"
import { http, HttpResponse } from "msw"
import type { Hex } from "viem"
import { crossmintPayee, type FakeNode, prepare, usdc } from "../treasury/fakeNode.ts"

/*
 * Crossmint's orders API with the documented life of an order. It sees payments on the chain by their memo,
 * and goods go out once for each order that was paid.
 */

interface Money {
  amount: string
  currency: string
}
/** The documents that tests change; everything else stays as in the fixture. */
export interface OrderFixture {
  orderId: string
  phase: string
  lineItems: Array<{
    quantity: unknown
    metadata: Record<string, unknown>
    quote: {
      status: string
      charges?: { unit?: Money; salesTax?: Money; shipping?: Money }
      unavailabilityReason?: unknown
      totalPrice?: Money
    }
    delivery: { status: string; failureReason?: unknown }
  }>
  quote: { status: string; expiresAt?: string; totalPrice?: Money }
  payment: {
    status: string
    refunded?: unknown
    received?: unknown
    preparation?: { chain?: string; payerAddress?: string; serializedTransaction?: string } | undefined
  }
  [field: string]: unknown
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`./fixtures/crossmint-${name}.json`, import.meta.url), "utf8"))
export const createdFixture = () => (read("create-order.response") as { order: OrderFixture }).order
export const unavailableFixture = () => (read("order-unavailable") as { order: OrderFixture }).order
export const orderFixture = (name: "delivery" | "completed") => read(`order-${name}`) as OrderFixture
export const trackingFixture = () => read("tracking") as Array<Record<string, unknown>>

const idOf = (count: number): string => `0b0f6f3e-6a3b-4a5f-9a55-${String(count).padStart(12, "0")}`

/** The memo of an order in the recorded form (a token that names the order, between fixed words), as hexadecimal digits. */
const memoOf = (orderId: string): string => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url")
  const token = [
    part({ alg: "HS256", typ: "JWT" }),
    part({ nonce: "f7c67437-d89e-459d-aa27-7876227f8ed8", orderIdentifier: orderId, iat: 1_791_203_887 }),
    Buffer.alloc(32, 7).toString("base64url")
  ].join(".")
  return Buffer.from(`------BEGIN MEMO------${token}------END MEMO------`).toString("hex")
}

export class FakeCrossmint {
  readonly api: string = "https://crossmint.example/api"
  readonly orders = new Map<string, OrderFixture>()
  readonly received: Array<{ method: string; path: string; key: string | null; body: unknown }> = []
  /** Orders that goods went out for. */
  readonly goods: Array<string> = []
  /** Changes each new order before it is returned. */
  arrange: (order: OrderFixture) => void = () => {}
  /** Responses to the next requests instead of the service's own; `undefined` lets one pass. */
  readonly replies: Array<((act: () => Response) => Response) | undefined> = []
  /** Whether payments are seen without a notification. */
  isListening = false
  tracking: (orderId: string) => Response = () => new HttpResponse(null, { status: 404 })
  private readonly node: FakeNode
  private readonly payer: string

  constructor(node: FakeNode, payer: string) {
    this.node = node
    this.payer = payer
  }

  private create(): Response {
    const order = createdFixture()
    order.orderId = idOf(this.orders.size + 1)
    order.quote.expiresAt = new Date(Date.now() + 600_000).toISOString()
    order.lineItems[0]!.metadata["description"] = "as in the shop"
    order.payment.preparation = {
      chain: "base-sepolia",
      payerAddress: this.payer,
      serializedTransaction: prepare({ memo: memoOf(order.orderId) })
    }
    this.arrange(order)
    this.orders.set(order.orderId, order)
    return HttpResponse.json({ clientSecret: "_test_client_secret", order }, { status: 201 })
  }

  /** Notices a payment, as often as the chain holds one. */
  private notice(orderId: string): void {
    const order = this.orders.get(orderId)
    const payments = this.node.sent.filter((raw) => raw.includes(memoOf(orderId)))
    if (order === undefined || payments.length === 0 || order.payment.status === "completed") return
    if (this.node.balance(usdc, crossmintPayee) === 0n) return
    order.payment.status = "completed"
    order.phase = "delivery"
    order.lineItems[0]!.delivery.status = "in-progress"
    this.goods.push(orderId)
  }

  private act(method: string, path: string): Response {
    const [, orderId = "", rest] = /\/orders(?:\/([^/]+))?(?:\/(\w+))?$/.exec(path) ?? []
    if (method === "POST" && orderId === "") return this.create()
    if (rest === "tracking") return this.tracking(orderId)
    const order = this.orders.get(orderId)
    if (order === undefined)
      return HttpResponse.json({ error: true, message: "Order not found" }, { status: 404 })
    if (rest === "payment" || this.isListening) this.notice(orderId)
    return HttpResponse.json(order as object)
  }

  handler() {
    return http.all(`${this.api}/*`, async ({ request }) => {
      const { pathname: path } = new URL(request.url)
      const { method } = request
      const text = await request.text()
      const body: unknown = text === "" ? undefined : JSON.parse(text)
      this.received.push({ method, path, key: request.headers.get("x-api-key"), body })
      const reply = this.replies.shift()
      return reply === undefined ? this.act(method, path) : reply(() => this.act(method, path))
    })
  }

  count(method: string, ending: RegExp): number {
    return this.received.filter((each) => each.method === method && ending.test(each.path)).length
  }
}

/** Prepares another payment for an order than the usual one. */
export const askFor = (order: OrderFixture, change: Parameters<typeof prepare>[0]): void => {
  order.payment.preparation!.serializedTransaction = prepare({
    memo: memoOf(order.orderId),
    ...change
  })
}

/** Makes an order cost another total, and requests that in its transaction. */
export const reprice = (order: OrderFixture, total: string, amount: bigint): void => {
  order.quote.totalPrice = { amount: total, currency: "usdc" }
  askFor(order, { amount })
}

export const payees: ReadonlyArray<Hex> = [crossmintPayee]
