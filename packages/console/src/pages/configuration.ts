import type { NetworkInForce, OptionInForce, SettingsInForce } from "@till402/core"
import { html } from "hono/html"
import { dollars, networkName } from "../text.ts"
import { booksOnly, code, facts, type Html, page, type PageContext, table } from "./layout.ts"

/* The settings of the till, without secrets. */

const networkFacts = ({
  asset,
  confirmations,
  finalitySeconds,
  network,
  node,
  payTo
}: NetworkInForce): Html =>
  facts([
    ["Network", `${networkName(network)} (${network})`],
    ["Receives payments", code(payTo)],
    ["Token", code(asset)],
    ["Node", node ?? "none: its chain isn't read"],
    ["Confirmations", String(confirmations)],
    ["Final after", `${finalitySeconds} s`]
  ])

/** The first part of an option's name: `limits` of `limits.unsettled`. */
const groupOf = (name: string): string => (name.includes(".") ? name.slice(0, name.indexOf(".")) : "")

const spans = [
  [86_400_000, "days"],
  [3_600_000, "hours"],
  [60_000, "minutes"],
  [1_000, "seconds"]
] as const

/** Milliseconds in the longest unit that has whole ones. */
const durationOf = (millis: number): string => {
  const [length, unit] = spans.find(([each]) => millis > each && millis % each === 0) ?? []
  return length === undefined ? "" : ` (${millis / length} ${unit})`
}

const textOf = (name: string, value: OptionInForce): string => {
  if (typeof value === "bigint") return dollars(value)
  if (value === undefined) return "off"
  if (typeof value === "number" && name.endsWith("Millis")) return `${value} ms${durationOf(value)}`
  return Array.isArray(value) ? value.join(", ") || "none" : String(value)
}

const optionTable = (options: ReadonlyArray<readonly [name: string, value: OptionInForce]>): Html =>
  table(
    [
      { head: "Option", className: "option" },
      { head: "Value", className: "text" }
    ],
    options.map(
      ([name, value]) =>
        html`<tr>
          <th scope="row" class="text"><code>${name}</code></th>
          <td class="text">${textOf(name, value)}</td>
        </tr>`
    ),
    "No option."
  )

const content = ({ baseUrl, facilitators, given, keyIds, networks, options }: SettingsInForce): Html => {
  const groups = Map.groupBy(Object.entries(options), ([name]) => groupOf(name))
  return html`<p>
      The options of this process, defaults included, by their names in the documents. Secrets aren't shown:
      of keys the ids, of nodes the hosts.
    </p>
    ${facts([
      ["Base URL", code(baseUrl)],
      ["Facilitators, in their order", facilitators.join(", ")],
      ["Keys, the current one first", keyIds.join(", ")],
      ["Ports and functions given", given.join(", ")]
    ])}
    <h2>Networks</h2>
    ${networks.map(networkFacts)}
    ${[...groups].map(
      ([group, ofGroup]) =>
        html`<h2>${group === "" ? "General" : group}</h2>
          ${optionTable(ofGroup)}`
    )}`
}

/** `undefined`: the console shows books, which have no settings. */
export const configurationPage = (context: PageContext, settings: SettingsInForce | undefined): Html =>
  page(context, {
    section: "configuration",
    title: "Configuration",
    content: html`<div class="head"><h1>Configuration</h1></div>
      ${settings === undefined ? booksOnly : content(settings)}`
  })
