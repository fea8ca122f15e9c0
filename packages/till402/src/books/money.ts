import { type ConsoleSource, dollars, momentOf, networkName, words } from "@till402/console/operate"
import { labelled, type Output } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import type { Span } from "./lists.ts"
import { exportedFor, jsonText, printRecords } from "./text.ts"

/*
 * Refunds as a whole, sums and the check of the ledger, and exports.
 */

interface Shown {
  readonly json: boolean
  readonly output: Output
}

/** Prints whether refunds are sent; 1 if they are stopped. */
export const refundStatus = async ({ refunds }: ConsoleSource, { json, output }: Shown): Promise<number> => {
  const status = await refunds.status()
  const { stopped } = status
  if (json) output.print(jsonText({ stopped: stopped ?? null }))
  else if (stopped === undefined) output.print("Refunds aren't stopped.")
  else
    for (const line of labelled("stopped", `since ${momentOf(stopped.at)} UTC: ${words(stopped.reason)}`))
      output.print(line)
  return stopped === undefined ? 0 : 1
}

/** Prints sums by day, call and kind. */
export const ledgerTotals = async (
  { ledger }: ConsoleSource,
  span: Required<Span>,
  { json, output }: Shown
): Promise<void> => {
  const sums = await ledger.totals(span)
  if (json) return output.print(jsonText(sums))
  printRecords(
    sums,
    [
      { head: "Day (UTC)", width: 10, text: ({ day }) => day },
      { head: "Call", width: 16, text: ({ operation }) => words(operation) },
      { head: "Kind", width: 11, text: ({ kind }) => words(kind) },
      { head: "Entries", width: 9, isNumber: true, text: ({ count }) => String(count) },
      { head: "Sum", width: 14, isNumber: true, text: ({ amountAtomic }) => dollars(amountAtomic) },
      { head: "Network", width: 13, text: ({ network }) => networkName(network) }
    ],
    undefined,
    output
  )
  if (sums.length === 0) output.note("no entry")
}

/** Prints whether the books agree; 1 if they don't. */
export const checkLedger = async (
  { ledger }: ConsoleSource,
  query: Span & { readonly chain: boolean },
  { json, output }: Shown
): Promise<number> => {
  const audit = await ledger.check(query)
  const { chain, faults, isBalanced, refunds, settledCharges, settledEntries } = audit
  if (json) output.print(jsonText(audit))
  else {
    output.print(isBalanced ? "Charges and ledger agree." : "Charges and ledger disagree:")
    for (const { chargeKey, fault } of faults)
      for (const line of [harmless(chargeKey, 400), ...labelled("", fault, 1)]) output.print(line)
    for (const line of [
      ...labelled("charges", `${settledCharges} settled`),
      ...labelled("entries", `${settledEntries} settled`),
      ...labelled("refunds", `${refunds} due or sent`),
      ...(chain === undefined
        ? []
        : labelled(
            "chain",
            `${chain.provenEntries} entries are one transfer each, ${chain.openEntries} can't be judged yet, ${chain.foreignTransfers} transfers have no entry`
          ))
    ])
      output.print(line)
  }
  return isBalanced ? 0 : 1
}

/** Writes an export piece by piece. */
export const writeExport = async (pieces: AsyncIterable<string>, output: Output): Promise<void> => {
  const encoder = new TextEncoder()
  for await (const piece of pieces) output.write(encoder.encode(exportedFor(piece, output)))
}
