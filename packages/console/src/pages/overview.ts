import type { Check, LedgerSum, TillHealth } from "@till402/core"
import { html } from "hono/html"
import type { LiveCounts } from "../LiveCalls.ts"
import { count, dayOf, dollars, grouped, words } from "../text.ts"
import { badge, booksOnly, type Html, page, type PageContext, table, time, type Tone } from "./layout.ts"

/*
 * What an operator looks at first: today's money, and whether all is well.
 */

const dayMillis = 86_400_000

/** Days of the chart, today included. */
export const chartDays = 14

const sumOf = (sums: ReadonlyArray<LedgerSum>, kind: LedgerSum["kind"], day?: string): bigint =>
  sums
    .filter((sum) => sum.kind === kind && (day ?? sum.day) === sum.day)
    .reduce((total, { amountAtomic }) => total + amountAtomic, 0n)

const countOf = (sums: ReadonlyArray<LedgerSum>, kind: LedgerSum["kind"], day: string): number =>
  sums.filter((sum) => sum.kind === kind && sum.day === day).reduce((total, { count }) => total + count, 0)

/** What a day took in, without payments that the chain has reversed. */
const receivedOn = (sums: ReadonlyArray<LedgerSum>, day: string): bigint =>
  sumOf(sums, "settled", day) - sumOf(sums, "reversed", day)

interface Bar {
  readonly label: string
  readonly atomic: bigint
}

const chartHeight = 120
const barWidth = 24
const barGap = 8

/** A bar chart. Its numbers are in a table below it, so the drawing is for the eye alone. */
const barChart = (bars: ReadonlyArray<Bar>): Html => {
  const greatest = bars.reduce((most, { atomic }) => (atomic > most ? atomic : most), 1n)
  const width = bars.length * (barWidth + barGap)
  const heightOf = (atomic: bigint): number =>
    atomic <= 0n ? 1 : Math.max(3, Number((atomic * BigInt(chartHeight * 100)) / greatest) / 100)
  return html`<svg
    class="chart"
    viewBox="0 0 ${width} ${chartHeight + 20}"
    role="img"
    aria-label="Received by day"
  >
    ${bars.map(({ atomic, label }, index) => {
      const height = heightOf(atomic)
      const x = index * (barWidth + barGap)
      return html`<g class="${index === bars.length - 1 ? "today" : ""}">
        <title>${label}: ${dollars(atomic)}</title>
        <rect x="${x}" y="${chartHeight - height}" width="${barWidth}" height="${height}" rx="3"></rect>
        ${
          index % 2 === (bars.length - 1) % 2
            ? html`<text x="${x + barWidth / 2}" y="${chartHeight + 14}" text-anchor="middle"
                >${label.slice(8)}</text
              >`
            : ""
        }
      </g>`
    })}
  </svg>`
}

const tile = (label: string, value: string, more = "", tone: Tone = "quiet"): Html =>
  html`<li class="${tone}">
    <p>${label}</p>
    <strong>${value}</strong><small>${more}</small>
  </li>`

/** The amounts of one day by operation, the greatest first. */
const byOperation = (
  sums: ReadonlyArray<LedgerSum>,
  day: string
): ReadonlyArray<{ operation: string; payments: number; atomic: bigint }> => {
  const settled = sums.filter((sum) => sum.day === day && sum.kind === "settled")
  return [...Map.groupBy(settled, ({ operation }) => operation)]
    .map(([operation, ofOperation]) => ({
      operation,
      payments: ofOperation.reduce((total, { count }) => total + count, 0),
      atomic: ofOperation.reduce((total, { amountAtomic }) => total + amountAtomic, 0n)
    }))
    .toSorted((left, right) => Number(right.atomic - left.atomic))
}

/** The numbers of the chart. */
const daysTable = (sums: ReadonlyArray<LedgerSum>, days: ReadonlyArray<string>): Html =>
  html`<details>
    <summary>As a table</summary>
    ${table(
      [
        "Day (UTC)",
        { head: "Received", className: "number" },
        { head: "Payments", className: "number" },
        { head: "Refunded", className: "number" }
      ],
      days.toReversed().map(
        (day) =>
          html`<tr>
            <th scope="row">${day}</th>
            <td class="number">${dollars(receivedOn(sums, day))}</td>
            <td class="number">${grouped(String(countOf(sums, "settled", day)))}</td>
            <td class="number">${dollars(sumOf(sums, "refunded", day))}</td>
          </tr>`
      ),
      ""
    )}
  </details>`

export const todayPage = (
  context: PageContext,
  {
    counts,
    isLive,
    sums
  }: { readonly sums: ReadonlyArray<LedgerSum>; readonly counts: LiveCounts; readonly isLive: boolean }
): Html => {
  const today = dayOf(context.now)
  const days = Array.from({ length: chartDays }, (_, index) =>
    dayOf(new Date(context.now.getTime() - (chartDays - 1 - index) * dayMillis))
  )
  const yesterday = days.at(-2)!
  const bars = days.map((day) => ({ label: day, atomic: receivedOn(sums, day) }))
  const greatest = bars.reduce((most, bar) => (bar.atomic > most.atomic ? bar : most))
  const { byCode, endedUnknown } = counts
  return page(context, {
    section: "today",
    title: "Today",
    refreshSeconds: 30,
    content: html`<div class="head">
        <h1>Today</h1>
        <p>${today}, UTC</p>
      </div>
      <ul class="tiles">
        ${tile("Received", dollars(receivedOn(sums, today)), `${count(countOf(sums, "settled", today), "payment")}. Yesterday: ${dollars(receivedOn(sums, yesterday))}`, "good")}
        ${tile("Refunded", dollars(sumOf(sums, "refunded", today)), count(countOf(sums, "refunded", today), "refund"))}
        ${tile("New refunds due", dollars(sumOf(sums, "refund_due", today)), count(countOf(sums, "refund_due", today), "payment"), sumOf(sums, "refund_due", today) > 0n ? "warn" : "quiet")}
        ${isLive ? tile("402 sent", String(byCode.payment_required), "since this process started") : ""}
        ${isLive ? tile("Payments refused", String(byCode.payment_refused), "since this process started") : ""}
        ${isLive ? tile("Calls failed", String(byCode.payment_failed - endedUnknown), "since this process started") : ""}
      </ul>
      <section aria-labelledby="days">
        <div class="head">
          <h2 id="days">Received in ${chartDays} days</h2>
          ${greatest.atomic > 0n ? html`<p>Most on ${greatest.label}: ${dollars(greatest.atomic)}</p>` : ""}
        </div>
        ${barChart(bars)} ${daysTable(sums, days)}
      </section>
      <section aria-labelledby="operations">
        <h2 id="operations">By route, today</h2>
        ${table(
          ["Route", { head: "Payments", className: "number" }, { head: "Received", className: "number" }],
          byOperation(sums, today).map(
            ({ atomic, operation, payments }) =>
              html`<tr>
                <th scope="row">${words(operation)}</th>
                <td class="number">${grouped(String(payments))}</td>
                <td class="number">${dollars(atomic)}</td>
              </tr>`
          ),
          "Nothing was received today."
        )}
      </section>`
  })
}

const checkTones: Readonly<Record<Check["status"], Tone>> = { pass: "good", warn: "warn", fail: "bad" }
const ranks: Readonly<Record<Check["status"], number>> = { fail: 0, warn: 1, pass: 2 }

const healthSummary = ({ ready, status }: TillHealth): Html => {
  const text = {
    pass: "All is well.",
    warn: "It sells, and something isn't as it should be.",
    fail: "Something is broken."
  }
  return html`<p class="notice ${checkTones[status]}" role="status">
    ${text[status]} ${ready ? "" : "It takes no calls."}
  </p>`
}

/** `undefined`: the console shows books, which have no health. */
export const healthPage = (context: PageContext, health: TillHealth | undefined): Html =>
  page(context, {
    section: "health",
    title: "Health",
    content: html`<div class="head"><h1>Health</h1></div>
      ${
        health === undefined
          ? booksOnly
          : html`${healthSummary(health)}
              <p>Checked at ${time(health.at)} UTC. A result is kept for ten seconds.</p>
              ${table(
                ["Check", "Status", { head: "Problem and cure", className: "text" }],
                health.checks
                  .toSorted((left, right) => ranks[left.status] - ranks[right.status])
                  .map(
                    ({ balance, cure, name, problem, status, subject }) =>
                      html`<tr>
                        <th scope="row">
                          ${name}${subject === undefined ? "" : html`<small>${subject}</small>`}
                        </th>
                        <td>${badge(checkTones[status], status)}</td>
                        <td class="text">
                          ${problem ?? (balance === undefined ? "" : `It holds ${dollars(BigInt(balance.amountAtomic))}.`)}
                          ${cure === undefined ? "" : html`<small>${cure}</small>`}
                        </td>
                      </tr>`
                  ),
                "No check."
              )}`
      }`
  })
