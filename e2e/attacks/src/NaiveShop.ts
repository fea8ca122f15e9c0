import type { VaultItem } from "@till402/core"
import { Hono, type Context, type MiddlewareHandler } from "hono"
import { baseUrl, network, payTo, usdc, vaultItems } from "./Calls.ts"
import { type Goods, openGoods } from "./Goods.ts"
import { headerOf, type Requirements } from "./Payments.ts"
import type { Server } from "./Visitor.ts"

/** A naive server, with a record of what it delivered. */
export interface NaiveServer extends Server {
  /** Purchases of vault items so far. */
  readonly purchases: ReadonlyArray<Purchase>
}

export interface Purchase {
  readonly purchaseId: string
  readonly downloadToken: string
  readonly slug: string
}

/** A route of a naive shop, as a developer would write it behind a payment middleware. */
export interface NaiveRoute {
  readonly method: "GET" | "POST"
  readonly path: string
  /** Atomic units; `body` is the request's JSON. */
  readonly priceOf: (body: unknown) => Promise<bigint>
  readonly handle: (context: Context) => Promise<Response>
}

interface Body {
  readonly asin?: string
  readonly slug?: string
  readonly message?: string
  readonly email?: string
  readonly shippingAddress?: Parameters<Goods["fulfilment"]["place"]>[0]["shippingAddress"]
}

/** A host never aborts here, but the fakes require a signal. */
const context = { signal: new AbortController().signal }
const fixed = (atomic: bigint) => async (): Promise<bigint> => atomic

/** The API's routes as plain handlers. */
const routesOf = (
  goods: Goods,
  items: ReadonlyArray<VaultItem>,
  purchases: Array<Purchase>
): ReadonlyArray<NaiveRoute> => {
  const quote = ({ asin = "", email = "", shippingAddress }: Body) =>
    goods.fulfilment.quote(
      {
        product: { source: "marketplace_a", asin, productUrl: undefined },
        shippingAddress: shippingAddress!,
        email
      },
      context
    )
  const itemOf = (slug: string | undefined) => items.find((item) => item.slug === slug)
  return [
    {
      method: "GET",
      path: "/x402/search",
      priceOf: fixed(10_000n),
      handle: async ({ header, req, json }) => {
        const q = req.query("q") ?? ""
        const found = await goods.marketplace.search({ q, page: 1 }, context)
        header("link", `</x402/search?q=${q}&page=2>; rel="next"`)
        return json(found)
      }
    },
    {
      method: "POST",
      path: "/x402/shop",
      priceOf: fixed(100_000n),
      handle: async ({ req, json }) => {
        const { message = "" } = await req.json<Body>()
        return json(await goods.assistant.reply({ message }, { ...context, search: async () => [] }))
      }
    },
    {
      method: "POST",
      path: "/x402/buy",
      priceOf: async (body) => {
        const { total } = await quote(body as Body)
        return BigInt(total.replace(".", "")) * 10_000n
      },
      handle: async ({ req, json }) => {
        const body = await req.json<Body>()
        const { reference, total } = await quote(body)
        const orderId = crypto.randomUUID()
        await goods.fulfilment.place(
          {
            orderId,
            reference,
            product: { source: "marketplace_a", asin: body.asin ?? "", productUrl: undefined },
            shippingAddress: body.shippingAddress!,
            email: body.email ?? "",
            total
          },
          context
        )
        return json({ orderId, status: "processing" })
      }
    },
    {
      method: "GET",
      path: "/x402/track",
      priceOf: fixed(520_000n),
      handle: async ({ req, json }) =>
        json(
          await goods.tracker.track(
            {
              number: req.query("number") ?? "",
              ...(req.query("phone") === undefined ? {} : { phone: req.query("phone")! })
            },
            context
          )
        )
    },
    {
      method: "GET",
      path: "/x402/vault/search",
      priceOf: fixed(10_000n),
      handle: async ({ json }) => json({ items, nextCursor: null })
    },
    {
      method: "POST",
      path: "/x402/vault/buy",
      priceOf: async (body) => BigInt(itemOf((body as Body).slug)!.price) * 1_000_000n,
      handle: async ({ req, json }) => {
        const { slug = "" } = await req.json<Body>()
        const purchase = { purchaseId: crypto.randomUUID(), downloadToken: crypto.randomUUID(), slug }
        purchases.push(purchase)
        return json(purchase)
      }
    },
    {
      method: "GET",
      path: "/x402/vault/download/:purchaseId",
      priceOf: fixed(10_000n),
      handle: async ({ body, header, json, req }) => {
        const purchase = purchases.find(({ purchaseId }) => purchaseId === req.param("purchaseId"))
        if (purchase?.downloadToken !== req.query("downloadToken")) return json({ error: "Forbidden" }, 403)
        const file = await goods.files.open({ slug: purchase!.slug }, context)
        if (!("body" in file)) throw new Error("the goods have no links")
        header("content-type", "application/zip")
        header("content-disposition", `attachment; filename="${purchase!.slug}.zip"`)
        if (file.size !== undefined) header("content-length", String(file.size))
        return body(file.body as Uint8Array<ArrayBuffer>)
      }
    }
  ]
}

/** Payment requirements of a hand-written server for a price in atomic units. */
export const requirementsOf = (price: bigint): Requirements => ({
  scheme: "exact",
  network,
  amount: price.toString(),
  asset: usdc,
  payTo,
  maxTimeoutSeconds: 120,
  extra: { name: "USDC", version: "2" }
})

/** The 402 response of a hand-written server. */
export const challengeOf = (path: string, price: bigint): Response => {
  const resource = { url: `${baseUrl}${path}` }
  const required = { x402Version: 2, error: "Payment required", resource, accepts: [requirementsOf(price)] }
  return Response.json(required, { status: 402, headers: { "payment-required": headerOf(required) } })
}

/** How a naive server charges for its routes. */
export type Paywall = (routes: ReadonlyArray<NaiveRoute>) => (route: NaiveRoute) => MiddlewareHandler

export interface NaiveOptions {
  readonly goods?: Goods
  /** Default: the prices that all tests use. */
  readonly items?: ReadonlyArray<VaultItem>
  /** `Cache-Control` of every response, as a developer sets it for a catalogue. */
  readonly cacheControl?: string
  /** Exposes provider errors in a response header. */
  readonly errorHeader?: boolean
}

/** A naive server: a payment middleware in front of each handler. */
export const openNaive = (paywall: Paywall, options: NaiveOptions = {}): NaiveServer => {
  const { cacheControl, errorHeader = false, goods = openGoods(), items = vaultItems } = options
  const purchases: Array<Purchase> = []
  const routes = routesOf(goods, items, purchases)
  const guard = paywall(routes)
  const app = new Hono()
  app.onError((error, { text }) =>
    errorHeader && !(error instanceof TypeError)
      ? text("Refused by the provider", 422, { "x-error": error.message })
      : text("Internal Server Error", 500)
  )
  if (cacheControl !== undefined)
    app.use(async (context, next) => {
      await next()
      context.header("cache-control", cacheControl)
    })
  for (const route of routes) app.on(route.method, route.path, guard(route), route.handle)
  return { goods, purchases, fetch: async (request) => app.fetch(request) }
}
