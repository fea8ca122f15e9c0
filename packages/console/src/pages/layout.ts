import { html } from "hono/html"
import type { Visitor } from "../Access.ts"
import { clockOf, dayOf, momentOf } from "../text.ts"

/** HTML whose texts are escaped: what `html` of Hono makes. */
export type Html = ReturnType<typeof html>

/** What every page depends on. */
export interface PageContext {
  /** Path of the console, without a slash at its end: `""` or `"/operators"`. */
  readonly base: string
  readonly visitor: Visitor
  /** The visitor's token against forged requests. */
  readonly token: string
  readonly now: Date
  /** Path and query of the request. */
  readonly here: string
}

const sections = [
  ["", "Live"],
  ["today", "Today"],
  ["charges", "Charges"],
  ["orders", "Orders"],
  ["purchases", "Purchases"],
  ["refunds", "Refunds"],
  ["ledger", "Ledger"],
  ["listing", "Listing"],
  ["health", "Health"],
  ["configuration", "Configuration"],
  ["actions", "Actions"]
] as const

/** The first parts of the console's paths. */
export const sectionNames: ReadonlyArray<string> = [
  ...sections.map(([name]) => name),
  "call",
  "search",
  "act",
  "try",
  "assets"
]

export type Section = (typeof sections)[number][0] | "search"

interface Page {
  readonly section: Section
  readonly title: string
  readonly content: Html
  /** Seconds after which a browser without scripts loads the page again. */
  readonly refreshSeconds?: number
}

/** A whole page. */
export const page = (
  { base, visitor }: PageContext,
  { content, refreshSeconds, section, title }: Page
): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Till402</title>
        <link rel="icon" href="${base}/assets/icon.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="${base}/assets/console.css" />
        ${
          refreshSeconds === undefined
            ? ""
            : html`<noscript><meta http-equiv="refresh" content="${refreshSeconds}" /></noscript>
                <script src="${base}/assets/console.js" type="module"></script>`
        }
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header class="top">
          <a class="brand" href="${base}/"><span class="mark" aria-hidden="true">402</span> Till402</a>
          <form class="search" role="search" action="${base}/search">
            <label class="hidden" for="q">Search by payer, transaction, order, email, item or date</label>
            <input id="q" name="q" type="search" maxlength="200" placeholder="Search" />
          </form>
          <p class="who" title="Your access">
            ${visitor.name ?? visitor.role}${visitor.name === undefined ? "" : html` · ${visitor.role}`}
          </p>
          <nav aria-label="Console">
            <ul>
              ${sections.map(
                ([name, label]) =>
                  html`<li>
                    <a href="${base}/${name}" ${name === section ? html`aria-current="page"` : ""}
                      >${label}</a
                    >
                  </li>`
              )}
            </ul>
          </nav>
        </header>
        <main id="main">${content}</main>
      </body>
    </html>`

export const time = (date: Date): Html =>
  html`<time datetime="${date.toISOString()}" title="${momentOf(date)} UTC"
    ><span>${dayOf(date)}</span> ${clockOf(date)}</time
  >`

/** The time of day if it is today's, else the day. */
export const shortTime = (date: Date, now: Date): Html =>
  html`<time datetime="${date.toISOString()}" title="${momentOf(date)} UTC"
    >${dayOf(date) === dayOf(now) ? clockOf(date) : dayOf(date)}</time
  >`

export type Tone = "good" | "bad" | "warn" | "info" | "quiet"

export const badge = (tone: Tone, text: string): Html => html`<span class="badge ${tone}">${text}</span>`

/** Text that is copied, such as a hash: whole for copying, cut by the style. */
export const code = (text: string): Html => html`<code class="cut" title="${text}">${text}</code>`

/** Facts as a list of names and values; those without a value are left out. */
export const facts = (entries: ReadonlyArray<readonly [string, Html | string | undefined]>): Html =>
  html`<dl class="facts">
    ${entries
      .filter(([, value]) => value !== undefined && value !== "")
      .map(
        ([name, value]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${value}</dd>
          </div>`
      )}
  </dl>`

/** A table; `none` is shown where it has no rows. */
export const table = (
  heads: ReadonlyArray<string | { readonly head: string; readonly className: string }>,
  rows: ReadonlyArray<Html>,
  none: string
): Html =>
  rows.length === 0
    ? html`<p class="none">${none}</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Table">
        <table>
          <thead>
            <tr>
              ${heads.map((head) =>
                typeof head === "string"
                  ? html`<th scope="col">${head}</th>`
                  : html`<th scope="col" class="${head.className}">${head.head}</th>`
              )}
            </tr>
          </thead>
          <tbody>
            ${rows}
          </tbody>
        </table>
      </div>`

/** What isn't stored. */
export const notFoundPage = (context: PageContext): Html =>
  page(context, {
    section: "search",
    title: "Not found",
    content: html`<h1>Not found</h1>
      <p>
        Nothing is stored under this address. Pages of single calls last until the process restarts, or 200
        newer calls have arrived. <a href="${context.base}/search">Search</a> finds what is stored.
      </p>`
  })

/** The link to the next page of a list, after its last row. */
export const olderLink = (href: string | undefined): Html | string =>
  href === undefined ? "" : html`<p class="pages"><a href="${href}" rel="next">Older</a></p>`

/** The text of a page that needs a running till, for books. */
export const booksOnly = html`<p class="none">
  This console reads the storage alone: ask the console of a running till.
</p>`

/** A path with a query of the values that are set. */
export const withQuery = (path: string, query: Readonly<Record<string, string | undefined>>): string => {
  const set = Object.entries(query).filter(
    (pair): pair is [string, string] => pair[1] !== undefined && pair[1] !== ""
  )
  return set.length === 0 ? path : `${path}?${new URLSearchParams(set).toString()}`
}

/** Links that choose one value of a filter. */
export const choices = (
  label: string,
  path: string,
  options: ReadonlyArray<readonly [value: string, text: string]>,
  chosen: string
): Html =>
  html`<nav class="choices" aria-label="${label}">
    ${options.map(
      ([value, text]) =>
        html`<a
          href="${withQuery(path, { state: value })}"
          ${value === chosen ? html`aria-current="true"` : ""}
          >${text}</a
        >`
    )}
  </nav>`
