import type { ChargeSummary, LedgerLine, Order, VaultPurchase } from "@till402/core"
import type { ConsoleSource } from "./ConsoleSource.ts"
import { startOfDay } from "./text.ts"

/** What a search text can be. */
export type SearchKind = "nothing" | "charge" | "transaction" | "payer" | "email" | "id" | "day" | "item"

/** What was found, by the till's list calls. */
export interface Found {
  readonly kind: SearchKind
  readonly charges: ReadonlyArray<ChargeSummary>
  readonly orders: ReadonlyArray<Order>
  readonly purchases: ReadonlyArray<VaultPurchase>
  readonly lines: ReadonlyArray<LedgerLine>
}

const limit = 50
const dayMillis = 86_400_000

const base58 = "[1-9A-HJ-NP-Za-km-z]"
const forms: ReadonlyArray<readonly [SearchKind, RegExp]> = [
  ["charge", /^(?:eip155|solana):[^:]+:[^:]+:[^:]+:.+$/],
  ["transaction", /^0x[0-9a-f]{64}$/i],
  ["payer", /^0x[0-9a-f]{40}$/i],
  ["transaction", new RegExp(`^${base58}{64,90}$`)],
  ["payer", new RegExp(`^${base58}{32,44}$`)],
  ["email", /^[^\s@]+@[^\s@]+$/],
  ["id", /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i],
  ["day", /^\d{4}-\d{2}-\d{2}$/]
]

/** What a text is by its form; other texts are items: an ASIN, a page's address, a slug. */
export const kindOf = (text: string): SearchKind =>
  text === "" ? "nothing" : (forms.find(([, form]) => form.test(text))?.[0] ?? "item")

const none = { charges: [], orders: [], purchases: [], lines: [] }

const present = <A>(value: A | undefined): ReadonlyArray<A> => (value === undefined ? [] : [value])

/** Storage of a till that doesn't sell goods has no orders and no purchases. */
const orNone = <A>(found: Promise<ReadonlyArray<A>>): Promise<ReadonlyArray<A>> =>
  found.catch((error: unknown) => {
    if (error instanceof Error && error.name === "ConfigurationError") return []
    throw error
  })

/** Searches by the calls that the till has: each search is one or a few of them. */
export const search = async (till: ConsoleSource, text: string): Promise<Found> => {
  const kind = kindOf(text)
  switch (kind) {
    case "nothing":
      return { ...none, kind }
    case "charge":
      return { ...none, kind, charges: present(await till.charges.find(text)) }
    case "payer":
    case "transaction": {
      const by = kind === "payer" ? { payer: text, limit } : { transaction: text, limit }
      const [charges, orders, purchases] = await Promise.all([
        till.charges.list(by),
        orNone(till.orders.list(by)),
        orNone(till.vault.purchases(by))
      ])
      return { ...none, kind, charges, orders, purchases }
    }
    case "email": {
      const by = { email: text, limit }
      const [orders, purchases] = await Promise.all([
        orNone(till.orders.list(by)),
        orNone(till.vault.purchases(by))
      ])
      return { ...none, kind, orders, purchases }
    }
    case "id": {
      const [orders, purchases] = await Promise.all([
        orNone(till.orders.find(text.toLowerCase()).then(present)),
        orNone(till.vault.findPurchase(text).then(present))
      ])
      return {
        ...none,
        kind,
        orders,
        purchases,
        charges: await till.charges.list({ paymentId: text, limit })
      }
    }
    case "day": {
      const from = startOfDay(text)
      if (from === undefined) return { ...none, kind: "nothing" }
      return {
        ...none,
        kind,
        lines: await till.ledger.list({ from, to: new Date(from.getTime() + dayMillis), limit })
      }
    }
    case "item": {
      const [orders, purchases, charges] = await Promise.all([
        orNone(till.orders.list({ item: text, limit })),
        orNone(till.vault.purchases({ slug: text, limit })),
        till.charges.list({ paymentId: text, limit })
      ])
      return { ...none, kind, orders, purchases, charges }
    }
  }
}
