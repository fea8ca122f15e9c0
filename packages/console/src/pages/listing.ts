import { html } from "hono/html"
import { maxDescription } from "../listing/challenge.ts"
import type { ListedRoute, Listing, Offer } from "../listing/Listing.ts"
import { dollars, networkName } from "../text.ts"
import { badge, booksOnly, code, facts, type Html, page, type PageContext, table, time } from "./layout.ts"
import { wallet } from "./record.ts"

/* What indexes and agents see of the till. */

const offersOf = (offers: ReadonlyArray<Offer>): Html | string =>
  offers.length === 0
    ? ""
    : html`<ul class="plain soft">
        ${offers.map(({ network, payTo }) => html`<li>${networkName(network)} ${wallet(payTo)}</li>`)}
      </ul>`

/** A path that narrow screens break behind its slashes. */
const breakable = (path: string): Html =>
  html`${path.split("/").map((part, index) => (index === 0 ? part : html`/<wbr />${part}`))}`

/** The amounts of offers, each once. */
const amountsOf = (offers: ReadonlyArray<Offer>): string =>
  [
    ...new Set(
      offers.flatMap(({ amountAtomic }) => (amountAtomic === undefined ? [] : [dollars(amountAtomic)]))
    )
  ].join(" or ")

const answerOf = ({ asked }: ListedRoute): Html | string => {
  if (asked === undefined) return ""
  const amounts = amountsOf(asked.offers)
  return html`${badge(asked.status === 402 ? "good" : "bad", String(asked.status))} ${amounts}`
}

const seenIn = ({ isInListing, isInOpenApi, offers }: ListedRoute): string =>
  [
    ...(isInListing ? ["listing"] : []),
    ...(offers.length > 0 ? ["offers"] : []),
    ...(isInOpenApi ? ["OpenAPI"] : [])
  ].join(", ")

const problemsOf = ({ problems }: ListedRoute): Html =>
  problems.length === 0
    ? badge("good", "none")
    : html`<ul class="plain">
        ${problems.map((problem) => html`<li>${problem}</li>`)}
      </ul>`

const rowOf = (route: ListedRoute, isCalled: boolean): Html =>
  html`<tr>
    <th scope="row" class="text">
      <code>${route.method} ${breakable(route.path)}</code><small>${route.description}</small>
    </th>
    <td class="text">${route.price ?? amountsOf(route.offers)}${offersOf(route.offers)}</td>
    <td class="text wide">${seenIn(route)}</td>
    ${isCalled ? html`<td>${answerOf(route)}</td>` : ""}
    <td class="text">${problemsOf(route)}</td>
  </tr>`

const checksOf = ({ checks }: Listing): Html | string =>
  checks.length === 0
    ? ""
    : html`<div class="notice warn" role="status">
        <ul>
          ${checks.map(
            ({ cure, name, problem, subject }) =>
              html`<li>
                <strong>${name}${subject === undefined ? "" : ` of ${subject}`}</strong>: ${problem}. ${cure}
              </li>`
          )}
        </ul>
      </div>`

const linkTo = (baseUrl: string, path: string | undefined): string =>
  path === undefined ? "not served" : `${baseUrl}${path}`

const content = (base: string, listing: Listing, isCalled: boolean): Html => {
  const { at, baseUrl, dnsRecord, documents, routes } = listing
  return html`<p>
      What indexes read of ${baseUrl}. <em>listing</em>, <em>offers</em> and <em>OpenAPI</em> are the
      documents below that name a route.
    </p>
    ${checksOf(listing)}
    <form class="filter" action="${base}/listing">
      <button type="submit" name="call" value="all">Call each route without a payment</button>
      <span>
        ${isCalled ? html`Called at ${time(at)} UTC, at most once a minute.` : "As indexers do. Each call counts as a 402."}
      </span>
    </form>
    ${table(
      [
        "Route",
        { head: "Price and networks", className: "text" },
        { head: "Named in", className: "text wide" },
        ...(isCalled ? ["Unpaid call"] : []),
        { head: "Problems", className: "text" }
      ],
      routes.map((route) => rowOf(route, isCalled)),
      "No document names a route, so no index finds one: openapiPath and discoveryPath are off."
    )}
    ${facts([
      ["Listing", linkTo(baseUrl, documents.listing)],
      ["Offers", linkTo(baseUrl, documents.listing === undefined ? undefined : `${documents.listing}.json`)],
      ["OpenAPI", linkTo(baseUrl, documents.openapi)],
      ["llms.txt", linkTo(baseUrl, documents.llms)],
      ["Record for your DNS", dnsRecord === undefined ? undefined : code(dnsRecord)]
    ])}
    <p>
      Descriptions have at most ${maxDescription} characters. <code>till402 check ${baseUrl}</code> calls the
      public address, through your proxy, and runs the official validators.
    </p>`
}

/** `undefined`: the console shows books, which have no routes. */
export const listingPage = (context: PageContext, listing: Listing | undefined, isCalled: boolean): Html =>
  page(context, {
    section: "listing",
    title: "Listing",
    content: html`<div class="head"><h1>Listing</h1></div>
      ${listing === undefined ? booksOnly : content(context.base, listing, isCalled)}`
  })
