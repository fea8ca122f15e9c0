import type { ChargeSummary, Order, PaymentEvent, RefundStatus, SettingsInForce } from "@till402/core"
import { tillConsole, type ConsoleOptions, type ConsoleSource } from "../src/index.ts"

export const key =
  "eip155:84532:0x036cbd53842c5426634e7929541ec2318f3dcf7e:0xb47c3fe471d6191393b26399000f1b92f8f358e7:0x60"

export const charge: ChargeSummary = {
  key,
  operation: "search",
  network: "eip155:84532",
  payer: "0xB47C3fE471D6191393B26399000F1B92F8f358e7",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  paymentId: undefined,
  amountAtomic: 10_000n,
  exposureAtomic: 10_000n,
  state: "settled",
  transaction: `0x${"ab".repeat(32)}`,
  reportedBy: undefined,
  refund: undefined,
  attempts: 0,
  createdAt: new Date("2026-11-29T10:00:00Z"),
  settledAt: new Date("2026-11-29T10:00:01Z")
}

/** What a text would do to a page that doesn't escape it. */
export const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>`

const usd = (atomic: bigint) => ({ atomic, currency: "USD" })

export const order: Order = {
  id: "621427b2-3b45-44ce-bcee-123a7ca573ed",
  chargeKey: key,
  status: "needs_operator",
  product: { source: "marketplace_b", productUrl: `https://shop.example/${hostile}`, variantId: "1" },
  shippingAddress: undefined,
  email: `${hostile}@example.com`,
  offer: {
    product: { title: hostile },
    subtotal: usd(5_000_000n),
    tax: usd(0n),
    shipping: usd(0n),
    total: usd(5_000_000n),
    reference: "offer",
    expiresAtMillis: 0
  },
  upstreamReference: undefined,
  shipments: [],
  reason: "placement_unclear",
  attempts: 0,
  stepAtMillis: undefined,
  mails: [],
  dueAtMillis: undefined,
  version: 1,
  createdAtMillis: Date.UTC(2026, 10, 29),
  updatedAtMillis: Date.UTC(2026, 10, 29),
  timeline: [{ status: "needs_operator", atMillis: Date.UTC(2026, 10, 29) }]
}

export const settings: SettingsInForce = {
  baseUrl: "https://shop.example/api",
  networks: [
    {
      network: charge.network,
      payTo: charge.payTo,
      asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
      node: "node.example",
      confirmations: 1,
      finalitySeconds: 60
    }
  ],
  facilitators: ["facilitator.example"],
  keyIds: ["2026"],
  given: ["storage", "tracker"],
  documents: { openapi: "/openapi.json", listing: "/.well-known/x402", llms: undefined },
  options: {
    maxTimeoutSeconds: 120,
    responseLifetimeMillis: 86_400_000,
    "limits.unsettled": 1_000,
    "limits.lossPerHour": 20_000_000n,
    support: hostile
  }
}

const offer = { scheme: "exact", network: charge.network, amount: "10000", payTo: charge.payTo }

const challenge = (resource: string, accepts = [offer]): Response =>
  Response.json(
    {},
    {
      status: 402,
      headers: {
        "payment-required": btoa(
          JSON.stringify({
            x402Version: 2,
            resource: { url: resource, description: "Finds" },
            accepts,
            extensions: { bazaar: {} }
          })
        )
      }
    }
  )

/** The documents of a till with three routes, and their 402s. */
const served = (request: string): Response => {
  const base = settings.baseUrl
  const item = (method: string, path: string, description: string, accepts = [offer]) => ({
    resource: { url: base + path, description },
    accepts,
    input: { method, routeTemplate: `/api${path}` }
  })
  const operation = (amount: string) => ({
    responses: { 402: {} },
    "x-payment-info": { price: { mode: "fixed", amount } }
  })
  switch (request) {
    case "GET /api/openapi.json":
      return Response.json({
        paths: { "/x402/search": { get: operation("0.01") }, "/files/{id}": { get: operation("0.02") } }
      })
    case "GET /api/.well-known/x402":
      return Response.json({ resources: ["GET /x402/search"] })
    case "GET /api/.well-known/x402.json":
      return Response.json({
        items: [
          item("GET", "/x402/search", `Finds ${hostile}`),
          item("GET", "/files/:id", ""),
          item("POST", "/shop", "Sells", [])
        ]
      })
    case "GET /api/x402/search":
      return challenge(`${base}/x402/search`)
    case "GET /api/files/1":
      return challenge("https://elsewhere.example/files/1", [{ ...offer, payTo: "0x9" }])
    default:
      return new Response("", { status: 400 })
  }
}

/** A till that records its calls, with one charge and one order. */
export const fakeTill = () => {
  const calls: Array<readonly [name: string, ...given: ReadonlyArray<unknown>]> = []
  const called =
    <A>(name: string, result: A) =>
    async (...given: ReadonlyArray<unknown>): Promise<A> => {
      calls.push([name, ...given])
      return result
    }
  const events: Array<PaymentEvent> = []
  let wake: (() => void) | undefined
  const publish = (event: PaymentEvent): void => {
    events.push(event)
    wake?.()
  }
  const payments = async function* (): AsyncGenerator<PaymentEvent, void, void> {
    for (;;) {
      const event = events.shift()
      if (event !== undefined) yield event
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  }
  const done = { outcome: "done", order } as const
  const status: RefundStatus = { stopped: undefined }
  const till = {
    payments,
    health: called("health", {
      status: "fail",
      live: true,
      ready: false,
      at: new Date("2026-11-29T10:00:00Z"),
      work: undefined,
      checks: [
        { name: "node", subject: "base", status: "fail", problem: hostile, cure: "Check rpcUrl" },
        { name: "clock", status: "pass" },
        {
          name: "refund wallet",
          subject: "base",
          status: "pass",
          balance: { network: "eip155:8453", asset: "0x", amountAtomic: "12500000" }
        }
      ]
    } as const),
    settings: called("settings", settings),
    fetch: async (request: Request) => {
      const { pathname } = new URL(request.url)
      calls.push(["fetch", `${request.method} ${pathname}`])
      return served(`${request.method} ${pathname}`)
    },
    dnsRecord: '_x402.shop.example. IN TXT "v=x402-1"',
    reconcile: called("reconcile", { settled: 0, pending: 0 }),
    charges: {
      find: async (given: string) => (given === key ? charge : undefined),
      list: called("charges.list", [charge]),
      recordRefund: called("charges.recordRefund", true)
    },
    orders: {
      find: async (id: string) => (id === order.id ? order : undefined),
      list: called("orders.list", [order]),
      cancel: called("orders.cancel", done),
      retry: called("orders.retry", { outcome: "conflict", order } as const),
      resolve: called("orders.resolve", done)
    },
    ledger: {
      list: called("ledger.list", []),
      totals: called("ledger.totals", [
        {
          day: new Date().toISOString().slice(0, 10),
          operation: "search",
          network: charge.network,
          asset: "0x036c",
          kind: "settled",
          count: 3,
          amountAtomic: 1_230_000n
        }
      ] as const),
      export: async function* (...given: ReadonlyArray<unknown>) {
        calls.push(["ledger.export", ...given])
        yield "day\n"
      },
      check: called("ledger.check", { isBalanced: true, settledCharges: 1, settledEntries: 1, faults: [] })
    },
    refunds: {
      status: async () => status,
      due: called("refunds.due", []),
      stop: called("refunds.stop", true),
      resume: called("refunds.resume", true)
    },
    vault: { purchases: called("vault.purchases", []), findPurchase: async () => undefined }
  }
  // The rest of a till is never called here: a call of it would be a TypeError.
  return { till: till as unknown as ConsoleSource, calls, publish }
}

export const origin = "https://shop.example"

/** A console at `/ops`, and its visitor. */
export const openConsole = (options: Partial<ConsoleOptions> = {}) => {
  const fake = fakeTill()
  const logged: Array<unknown> = []
  const ops = tillConsole({
    till: fake.till,
    path: "/ops",
    authorize: () => ({ role: "admin", name: "ada" }),
    onAction: (entry) => void logged.push(entry),
    ...options
  })
  const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
    ops.fetch(new Request(`${origin}${path}`, { headers: { host: "shop.example", ...headers } }))
  const textOf = async (path: string): Promise<string> => (await get(path)).text()
  const post = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Response> => {
    const body = new URLSearchParams(fields).toString()
    return ops.fetch(
      new Request(`${origin}/ops/act`, {
        method: "POST",
        body,
        headers: {
          host: "shop.example",
          "content-type": "application/x-www-form-urlencoded",
          "content-length": String(body.length),
          ...headers
        }
      })
    )
  }
  /** The token that a page shows, with the cookie that the browser sends with it. */
  const session = async () => {
    const page = await get(`/ops/act?action=orders.cancel&subject=${order.id}`)
    const cookie = page.headers.get("set-cookie")!.split(";")[0]!
    const token = /name="token" value="([0-9a-f]+)"/.exec(await page.text())![1]!
    return { token, headers: { cookie, origin, "sec-fetch-site": "same-origin" } }
  }
  return { ...fake, ops, get, textOf, post, session, logged }
}

/** Every page. */
export const pages = [
  "/ops",
  "/ops/today",
  "/ops/charges",
  `/ops/charges/${encodeURIComponent(key)}`,
  "/ops/orders",
  `/ops/orders/${order.id}`,
  "/ops/purchases",
  "/ops/refunds",
  "/ops/ledger",
  "/ops/ledger?check=ledger",
  "/ops/health",
  "/ops/actions",
  "/ops/listing",
  "/ops/listing?call=all",
  "/ops/configuration",
  `/ops/search?q=${encodeURIComponent(hostile)}`,
  `/ops/act?action=orders.cancel&subject=${encodeURIComponent(hostile)}&back=${encodeURIComponent(hostile)}`
]
