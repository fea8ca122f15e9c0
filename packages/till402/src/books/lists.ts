import type {
  ChargeQuery,
  ChargeSummary,
  DueRefund,
  LedgerLine,
  Order,
  OrderQuery,
  PurchaseQuery,
  VaultPurchase
} from "@till402/core"
import {
  chargeState,
  type ConsoleSource,
  dollars,
  lineCursor,
  momentOf,
  networkName,
  orderStatus,
  readLine,
  sentence,
  short,
  words
} from "@till402/console/operate"
import { CommandFailed, WrongUsage } from "../CommandFailed.ts"
import type { Output } from "../terminal/Output.ts"
import { type Column, jsonText, printRecords } from "./text.ts"

/*
 * The lists, by the calls that the console has.
 */

/** A list: how a page is read and shown, and where the next one begins. */
export interface List<Filters, Item> {
  readonly name: string
  readonly read: (
    calls: ConsoleSource,
    filters: Filters,
    before: string | undefined
  ) => Promise<ReadonlyArray<Item>>
  readonly columns: ReadonlyArray<Column<Item>>
  /** What is too long for a column: a key, a title. */
  readonly detail: (item: Item) => string
  readonly cursorOf: (item: Item) => string
}

const minute = (at: Date): string => momentOf(at).slice(0, 16)

const created = <Item>(timeOf: (item: Item) => Date, head = "Created (UTC)"): Column<Item> => ({
  head,
  width: 16,
  text: (item) => minute(timeOf(item))
})

const amount = <Item extends { readonly amountAtomic: bigint }>(): Column<Item> => ({
  head: "Amount",
  width: 10,
  isNumber: true,
  text: ({ amountAtomic }) => dollars(amountAtomic)
})

/** The columns of what a payment has. */
const payment = <
  Item extends { readonly operation: string; readonly payer: string; readonly network: string }
>() => {
  const column = (head: string, width: number, text: (item: Item) => string): Column<Item> => ({
    head,
    width,
    text
  })
  return {
    call: column("Call", 13, ({ operation }) => words(operation)),
    payer: column("Payer", 12, ({ payer }) => short(payer)),
    network: column("Network", 13, ({ network }) => networkName(network))
  }
}

/** The record after which a page begins. */
const known = <Item>(found: Item | undefined, what: string, id: string): Item => {
  if (found === undefined) throw new CommandFailed(`there is no ${what} ${id}`)
  return found
}

export const orderTotal = ({ offer: { total } }: Order): string =>
  total.currency === "USD" ? dollars(total.atomic) : `${dollars(total.atomic).slice(1)} ${total.currency}`

export const orders: List<Omit<OrderQuery, "before">, Order> = {
  name: "order",
  read: async (calls, filters, before) => {
    if (before !== undefined) known(await calls.orders.find(before), "order", before)
    return calls.orders.list({ ...filters, ...(before === undefined ? {} : { before }) })
  },
  columns: [
    created(({ createdAtMillis }) => new Date(createdAtMillis)),
    { head: "Order", width: 36, text: ({ id }) => id },
    { head: "Status", width: 15, text: ({ status }) => orderStatus(status) },
    { head: "Total", width: 10, isNumber: true, text: orderTotal }
  ],
  detail: ({ offer, reason }) =>
    `${offer.product.title}${reason === undefined ? "" : ` (reason: ${words(reason)})`}`,
  cursorOf: ({ id }) => id
}

export const charges: List<Omit<ChargeQuery, "before">, ChargeSummary> = {
  name: "charge",
  read: async (calls, filters, before) => {
    const last = before === undefined ? undefined : known(await calls.charges.find(before), "charge", before)
    return calls.charges.list({ ...filters, ...(last === undefined ? {} : { before: last }) })
  },
  columns: [
    created(({ createdAt }) => createdAt),
    payment<ChargeSummary>().call,
    { head: "State", width: 11, text: chargeState },
    amount(),
    payment<ChargeSummary>().payer,
    payment<ChargeSummary>().network
  ],
  detail: ({ key }) => key,
  cursorOf: ({ key }) => key
}

export const dueRefunds: List<{ readonly limit?: number }, DueRefund> = {
  name: "refund that is due",
  read: async (calls, filters, before) => {
    if (before === undefined) return calls.refunds.due(filters)
    const { createdAt, key: chargeKey } = known(await calls.charges.find(before), "charge", before)
    return calls.refunds.due({ ...filters, before: { createdAt, chargeKey } })
  },
  columns: [
    created(({ createdAt }) => createdAt, "Paid (UTC)"),
    payment<DueRefund>().call,
    { head: "State", width: 11, text: ({ isStarted }) => (isStarted ? "Being sent" : "Due") },
    amount(),
    { ...payment<DueRefund>().payer, head: "To" },
    payment<DueRefund>().network
  ],
  detail: ({ chargeKey }) => chargeKey,
  cursorOf: ({ chargeKey }) => chargeKey
}

export const purchases: List<Omit<PurchaseQuery, "before">, VaultPurchase> = {
  name: "purchase",
  read: async (calls, filters, before) => {
    const last =
      before === undefined ? undefined : known(await calls.vault.findPurchase(before), "purchase", before)
    return calls.vault.purchases({ ...filters, ...(last === undefined ? {} : { before: last }) })
  },
  columns: [
    created(({ createdAtMillis }) => new Date(createdAtMillis)),
    { head: "Purchase", width: 36, text: ({ id }) => id },
    { head: "Item", width: 26, text: ({ slug }) => slug }
  ],
  detail: ({ email }) => email ?? "email erased",
  cursorOf: ({ id }) => id
}

/** A span of the ledger. */
export interface Span {
  readonly from?: Date
  readonly to?: Date
}

export const entries: List<Span & { readonly limit?: number }, LedgerLine> = {
  name: "entry",
  read: async (calls, filters, before) => {
    const last = readLine(before)
    if (before !== undefined && last === undefined)
      throw new WrongUsage("--before must be what the page before has named")
    return calls.ledger.list({ ...filters, ...(last === undefined ? {} : { before: last }) })
  },
  columns: [
    created(({ at }) => at, "Entered (UTC)"),
    payment<LedgerLine>().call,
    { head: "Kind", width: 11, text: ({ kind }) => sentence(words(kind)) },
    amount(),
    payment<LedgerLine>().payer,
    payment<LedgerLine>().network
  ],
  detail: ({ chargeKey }) => chargeKey,
  cursorOf: lineCursor
}

/** What a page is asked for. */
export interface PageQuery<Filters> {
  readonly filters: Filters
  readonly limit: number
  readonly before: string | undefined
  readonly json: boolean
}

/** Prints a page; the way to the next one is a note. */
export const printList = async <Filters extends { readonly limit?: number }, Item>(
  list: List<Filters, Item>,
  { before, filters, json, limit }: PageQuery<Filters>,
  calls: ConsoleSource,
  output: Output
): Promise<void> => {
  const items = await list.read(calls, { ...filters, limit }, before)
  if (json) output.print(jsonText(items))
  else printRecords(items, list.columns, list.detail, output)
  const last = items.length < limit ? undefined : items.at(-1)
  if (last !== undefined) output.note(`older: --before '${list.cursorOf(last)}'`)
  else if (items.length === 0 && !json) output.note(`no ${list.name}`)
}
