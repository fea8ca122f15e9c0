import { type Order, Till, type TillOptions } from "@till402/core"
import { till402 } from "@till402/hono"
import { shopifyAdmin, type ShopifyAdminOptions } from "@till402/providers/shopify-admin"
import { Hono } from "hono"
import { bearerAuth } from "hono/bearer-auth"

/*
 * A host that sells the goods of its own Shopify shop: search, orders, and refunds that the shop's staff can see.
 */

export interface ShopOptions {
  readonly till: Omit<TillOptions, "fulfilment" | "marketplaces" | "onOrderChange">
  readonly shopify: ShopifyAdminOptions
  /** Allows to cancel orders, sent as `Authorization: Bearer …`. */
  readonly operatorToken: string
}

const centsOf = (amountAtomic: bigint): string => {
  const digits = (amountAtomic / 10_000n).toString().padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Writes an order's refund on the order in the shop. It can be repeated: the shop notes each transaction once. */
const noteRefund = async (
  till: Till,
  fulfilment: ReturnType<typeof shopifyAdmin>,
  { chargeKey, createdAtMillis, upstreamReference }: Order
): Promise<void> => {
  if (upstreamReference === undefined) return
  const from = new Date(createdAtMillis)
  let page = await till.ledger.list({ from })
  while (page.length > 0) {
    const refund = page.find((line) => line.kind === "refunded" && line.chargeKey === chargeKey)
    if (refund?.transaction !== undefined) {
      const { amountAtomic, transaction } = refund
      return fulfilment.noteRefund(upstreamReference, { transaction, amount: centsOf(amountAtomic) })
    }
    page = await till.ledger.list({ from, before: page.at(-1)! })
  }
}

/**
 * @throws ConfigurationError for unusable options
 */
export const openShop = (options: ShopOptions) => {
  const fulfilment = shopifyAdmin(options.shopify)
  const till: Till = Till.make({
    ...options.till,
    fulfilment,
    marketplaces: { marketplace_b: fulfilment.marketplace },
    onOrderChange: async ({ order }) => {
      if (order.status === "refunded") await noteRefund(till, fulfilment, order)
    }
  })

  /** Notes refunds whose note failed, or that another process sent. */
  const noteRecentRefunds = async (): Promise<void> => {
    for (const order of await till.orders.list({ status: "refunded" })) {
      await noteRefund(till, fulfilment, order)
    }
  }

  const app = new Hono()
  app.use(till402(till))
  app.get("/", (context) => context.text("A shop of my own. Agents pay per call under /x402."))
  app.post("/orders/:id/cancel", bearerAuth({ token: options.operatorToken }), async (context) => {
    const order = await till.orders.find(context.req.param("id"))
    if (order?.upstreamReference === undefined) return context.json({ error: "There is no such order." }, 404)
    await fulfilment.cancel(order.upstreamReference, "Canceled by the host")
    // The till reads the order's status, and refunds the buyer.
    await till.orders.processNow(order.id)
    return context.json({ canceled: order.id })
  })
  return { app, till, noteRecentRefunds }
}
