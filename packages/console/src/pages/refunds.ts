import type { DueRefund, RefundStatus } from "@till402/core"
import { html } from "hono/html"
import { dollars, networkName, words } from "../text.ts"
import { actionLinks } from "./acting.ts"
import { badge, type Html, olderLink, page, type PageContext, table, time } from "./layout.ts"
import { type Listed, number, path, wallet, wide } from "./record.ts"

export const refundsPage = (
  context: PageContext,
  { due, status }: { readonly due: Listed<DueRefund>; readonly status: RefundStatus }
): Html =>
  page(context, {
    section: "refunds",
    title: "Refunds",
    content: html`<div class="head">
        <h1>Refunds</h1>
        ${status.stopped === undefined ? badge("good", "Running") : badge("bad", "Stopped")}
      </div>
      ${
        status.stopped === undefined
          ? html`<p>
              Due refunds are sent automatically if the till has a refund wallet. Without one, send each
              yourself and record it.
            </p>`
          : html`<p class="notice bad">
              Stopped since ${time(status.stopped.at)} UTC: ${words(status.stopped.reason)}
            </p>`
      }
      ${actionLinks(context, [status.stopped === undefined ? "refunds.stop" : "refunds.resume"])}
      <h2>Due</h2>
      ${table(
        ["Paid (UTC)", "Call", "State", number("Amount"), wide("To"), wide("Network")],
        due.items.map(
          (refund) =>
            html`<tr>
              <td>${time(refund.createdAt)}</td>
              <th scope="row">
                <a href="${path(context.base, "charges", refund.chargeKey)}">${words(refund.operation)}</a>
              </th>
              <td>${refund.isStarted ? badge("info", "Being sent") : badge("warn", "Due")}</td>
              <td class="number">${dollars(refund.amountAtomic)}</td>
              <td class="wide">${wallet(refund.payer)}</td>
              <td class="wide">${networkName(refund.network)}</td>
            </tr>`
        ),
        "No refund is due."
      )}
      ${olderLink(due.older)}`
  })
