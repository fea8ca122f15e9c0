import { html } from "hono/html"
import type { Found, SearchKind } from "../search.ts"
import { chargeTable } from "./charges.ts"
import { type Html, page, type PageContext } from "./layout.ts"
import { ledgerTable } from "./ledger.ts"
import { orderTable } from "./orders.ts"
import { purchaseTable } from "./purchases.ts"

const kinds: Readonly<Record<SearchKind, string>> = {
  nothing:
    "Search by a payer's address, a transaction, an order's or purchase's id, an email, an item, a payment's id, or a day such as 2026-11-29.",
  charge: "Read as the key of a charge.",
  transaction: "Read as a transaction.",
  payer: "Read as a payer's address.",
  email: "Read as an email.",
  id: "Read as the id of an order, a purchase or a payment.",
  day: "Read as a day (UTC).",
  item: "Read as an item, or the id of a payment."
}

const part = (title: string, count: number, content: () => Html): Html | string =>
  count === 0
    ? ""
    : html`<section>
        <h2>${title}</h2>
        ${content()}
      </section>`

export const searchPage = (context: PageContext, text: string, found: Found): Html => {
  const { charges, kind, lines, orders, purchases } = found
  const total = charges.length + lines.length + orders.length + purchases.length
  return page(context, {
    section: "search",
    title: text === "" ? "Search" : `Search: ${text}`,
    content: html`<div class="head"><h1>Search</h1></div>
      <form class="filter" action="${context.base}/search" role="search">
        <label for="query">Search for</label>
        <input id="query" name="q" type="search" maxlength="200" value="${text}" />
        <button type="submit">Search</button>
      </form>
      <p>${kinds[kind]}</p>
      ${kind !== "nothing" && total === 0 ? html`<p class="none">Nothing was found.</p>` : ""}
      ${part("Orders", orders.length, () => orderTable(context, orders))}
      ${part("Purchases", purchases.length, () => purchaseTable(context, purchases))}
      ${part("Charges", charges.length, () => chargeTable(context, charges))}
      ${part("Ledger", lines.length, () => ledgerTable(context, lines))}`
  })
}
