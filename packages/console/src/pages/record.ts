import { html } from "hono/html"
import { short } from "../text.ts"
import type { Html } from "./layout.ts"

/* What the pages of charges, orders, purchases, refunds and the ledger share. */

/** The path of one record. */
export const path = (base: string, section: string, id: string): string =>
  `${base}/${section}/${encodeURIComponent(id)}`

/** A column that narrow screens leave out: the record's own page has it. */
export const wide = (head: string) => ({ head, className: "wide" })

/** A column of numbers. */
export const number = (head: string) => ({ head, className: "number" })

/** A list with the link to its next page. */
export interface Listed<Item> {
  readonly items: ReadonlyArray<Item>
  readonly older: string | undefined
}

export const wallet = (address: string): Html => html`<code title="${address}">${short(address)}</code>`
