import type { VaultPurchase } from "@till402/core"
import { html } from "hono/html"
import { short } from "../text.ts"
import { type Html, olderLink, page, type PageContext, table, time } from "./layout.ts"
import { type Listed, path, wide } from "./record.ts"

export const purchaseTable = ({ base }: PageContext, purchases: ReadonlyArray<VaultPurchase>): Html =>
  table(
    ["Created (UTC)", "Item", wide("Purchase"), "Email", "Charge"],
    purchases.map(
      ({ chargeKey, createdAtMillis, email, id, slug }) =>
        html`<tr>
          <td>${time(new Date(createdAtMillis))}</td>
          <th scope="row" class="text">${slug}</th>
          <td class="wide"><code title="${id}">${short(id)}</code></td>
          <td class="text">${email ?? "erased"}</td>
          <td><a href="${path(base, "charges", chargeKey)}">charge</a></td>
        </tr>`
    ),
    "No purchase."
  )

export const purchasesPage = (context: PageContext, purchases: Listed<VaultPurchase>): Html =>
  page(context, {
    section: "purchases",
    title: "Purchases",
    content: html`<div class="head"><h1>Purchases</h1></div>
      <p>Digital items of the vault whose payment has settled.</p>
      ${purchaseTable(context, purchases.items)} ${olderLink(purchases.older)}`
  })
