import type { ChargeSummary, Order, VaultPurchase } from "@till402/core"
import { type ConsoleApp, type ConsoleContext, isHead } from "./ConsoleApp.ts"
import type { ConsoleSource } from "./ConsoleSource.ts"
import { cursor, lineCursor, readCursor, readLine } from "./cursors.ts"
import type { LiveCalls } from "./LiveCalls.ts"
import { chargePage, chargesPage } from "./pages/charges.ts"
import { withQuery } from "./pages/layout.ts"
import { ledgerPage } from "./pages/ledger.ts"
import { listedStatuses, orderPage, ordersPage } from "./pages/orders.ts"
import { purchasesPage } from "./pages/purchases.ts"
import type { Listed } from "./pages/record.ts"
import { refundsPage } from "./pages/refunds.ts"
import { Shared } from "./Shared.ts"
import { chargeStates, startOfDay } from "./text.ts"

/*
 * Lists and single records, by the till's calls. A page begins after the last record of the one before, which its link
 * names.
 */

/** What the routes depend on. */
interface Records {
  readonly till: ConsoleSource
  readonly calls: LiveCalls
  readonly now: () => Date
}

const pageSize = 50
const dayMillis = 86_400_000

/** A list with the link to its next page, which keeps the filters. */
const listed = <Item>(
  context: ConsoleContext,
  items: ReadonlyArray<Item>,
  cursorOf: (last: Item) => string
): Listed<Item> => {
  const last = items.length < pageSize ? undefined : items.at(-1)
  const { before: _, ...filters } = context.req.query()
  return {
    items,
    older:
      last === undefined
        ? undefined
        : withQuery(new URL(context.req.url).pathname, { ...filters, before: cursorOf(last) })
  }
}

const chargeRoutes = (app: ConsoleApp, { calls, till }: Records): void => {
  app.get("/charges", async (context) => {
    const state = context.req.query("state") ?? ""
    const before = readCursor(context.req.query("before"))
    const charges = await till.charges.list({
      limit: pageSize,
      ...(Object.hasOwn(chargeStates, state) ? { state: state as ChargeSummary["state"] } : {}),
      ...(before === undefined ? {} : { before: { createdAt: before.at, key: before.rest } })
    })
    const list = listed(context, charges, ({ createdAt, key }) => cursor(createdAt, key))
    return context.html(chargesPage(context.get("page"), list, state))
  })
  app.get("/charges/:key", async (context) => {
    const charge = await till.charges.find(context.req.param("key"))
    if (charge === undefined) return context.notFound()
    return context.html(chargePage(context.get("page"), { charge, call: calls.ofCharge(charge.key) }))
  })
  app.get("/refunds", async (context) => {
    const before = readCursor(context.req.query("before"))
    const [status, due] = await Promise.all([
      till.refunds.status(),
      till.refunds.due({
        limit: pageSize,
        ...(before === undefined ? {} : { before: { createdAt: before.at, chargeKey: before.rest } })
      })
    ])
    const list = listed(context, due, ({ chargeKey, createdAt }) => cursor(createdAt, chargeKey))
    return context.html(refundsPage(context.get("page"), { due: list, status }))
  })
}

const orderStatuses: ReadonlyArray<string> = listedStatuses

/** A till without goods may have no store of orders and purchases: its lists are empty. */
const orEmpty = async <Item>(list: Promise<ReadonlyArray<Item>>): Promise<ReadonlyArray<Item>> => {
  try {
    return await list
  } catch (error) {
    if (error instanceof Error && error.name === "ConfigurationError") return []
    throw error
  }
}

const goodsRoutes = (app: ConsoleApp, { till }: Records): void => {
  app.get("/orders", async (context) => {
    const status = context.req.query("state") ?? ""
    const before = context.req.query("before")
    const orders = await orEmpty(
      till.orders.list({
        limit: pageSize,
        ...(orderStatuses.includes(status) ? { status: status as Order["status"] } : {}),
        ...(before === undefined ? {} : { before })
      })
    )
    return context.html(
      ordersPage(
        context.get("page"),
        listed(context, orders, ({ id }) => id),
        status
      )
    )
  })
  app.get("/orders/:id", async (context) => {
    const order = await till.orders.find(context.req.param("id"))
    if (order === undefined) return context.notFound()
    const charge = await till.charges.find(order.chargeKey)
    return context.html(orderPage(context.get("page"), { order, charge }))
  })
  app.get("/purchases", async (context) => {
    const before = readCursor(context.req.query("before"))
    const purchases = await orEmpty<VaultPurchase>(
      till.vault.purchases({
        limit: pageSize,
        ...(before === undefined ? {} : { before: { createdAtMillis: before.at.getTime(), id: before.rest } })
      })
    )
    const list = listed(context, purchases, ({ createdAtMillis, id }) =>
      cursor(new Date(createdAtMillis), id)
    )
    return context.html(purchasesPage(context.get("page"), list))
  })
}

/** A day of a form, with its end. */
const spanOf = (day: string): { readonly from?: Date; readonly to?: Date } => {
  const from = startOfDay(day)
  return from === undefined ? {} : { from, to: new Date(from.getTime() + dayMillis) }
}

const checkMillis = 10_000
/** A check against the chain makes many calls of the nodes, which the till itself needs. */
const chainCheckMillis = 60_000

const ledgerRoutes = (app: ConsoleApp, { now, till }: Records): void => {
  // Only a running till reads the chain.
  const canReadChain = till.health !== undefined
  const auditing = (chain: boolean) => async (at: Date) => ({ at, audit: await till.ledger.check({ chain }) })
  const ledgerAudit = new Shared(checkMillis, now, auditing(false))
  const chainAudit = new Shared(chainCheckMillis, now, auditing(true))
  app.get("/ledger", async (context) => {
    const given = context.req.query("day") ?? ""
    const span = spanOf(given)
    // The form must not name a day that the list isn't limited to.
    const day = span.from === undefined ? "" : given
    const before = readLine(context.req.query("before"))
    // Another site's page can't have the till read the chain.
    const isOwn = context.req.header("sec-fetch-site") !== "cross-site"
    const check = isOwn ? context.req.query("check") : undefined
    const isOnChain = check === "chain" && canReadChain
    const [lines, audited] = await Promise.all([
      till.ledger.list({ limit: pageSize, ...span, ...(before === undefined ? {} : { before }) }),
      isOnChain ? chainAudit.read() : check === "ledger" ? ledgerAudit.read() : undefined
    ])
    const list = listed(context, lines, lineCursor)
    return context.html(ledgerPage(context.get("page"), { lines: list, day, audited, canReadChain }))
  })
  app.get("/ledger/export.csv", (context) => {
    const headers = {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": 'attachment; filename="ledger.csv"'
    }
    if (isHead(context)) return context.body(null, 200, headers)
    const pieces = till.ledger.export({ format: "csv" })
    const encoder = new TextEncoder()
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        const { done, value } = await pieces.next()
        if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      cancel: async () => void (await pieces.return?.())
    })
    return context.body(body, 200, headers)
  })
}

/** The routes of what is stored. */
export const recordRoutes = (app: ConsoleApp, records: Records): void => {
  chargeRoutes(app, records)
  goodsRoutes(app, records)
  ledgerRoutes(app, records)
}
