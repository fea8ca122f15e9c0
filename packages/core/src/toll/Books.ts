import { Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import { type Charge, Charges, type LedgerEntry } from "../ports/Charges.ts"

/** One disagreement between the charges and the ledger. */
export interface BookFault {
  readonly chargeKey: string
  readonly fault: string
}

/**
 * Whether the books agree: every settled charge has its receipt, its ledger entry, and its answer or a
 * refund. Counts are of charges settled, and entries made, in the time that was looked at.
 */
export interface BookCheck {
  readonly isBalanced: boolean
  readonly settledCharges: number
  readonly recordedReceipts: number
  /** Settled charges whose answer is kept, or was until its time was over. */
  readonly answers: number
  /** Settled charges whose refund is due or was sent. */
  readonly refunds: number
  readonly settledEntries: number
  /** The first hundred. */
  readonly faults: ReadonlyArray<BookFault>
}

const pageSize = 500
const maxFaults = 100

/** What is wrong with a settled charge beside its entries. Pure. */
export const faultsOf = (charge: Charge, entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const has = (kind: LedgerEntry["kind"]) => entries.find((entry) => entry.kind === kind)
  const hasAnswer = charge.answer !== undefined || charge.answerExpiredAtMillis !== undefined
  if (charge.receipt === undefined) faults.push("settled without a receipt")
  if (!hasAnswer && charge.refund === undefined) faults.push("settled without an answer or a refund")
  const settled = has("settled")
  if (settled === undefined) faults.push("settled without a ledger entry")
  else if (settled.amountAtomic !== charge.amountAtomic) faults.push("entered with another amount")
  else if (settled.transaction !== charge.receipt?.transaction)
    faults.push("entered with another transaction than its receipt's")
  if ((charge.refund !== undefined) !== (has("refund_due") !== undefined))
    faults.push("its refund and the ledger's refund_due disagree")
  if ((charge.refund?._tag === "Sent") !== (has("refunded") !== undefined))
    faults.push("its refund and the ledger's refunded disagree")
  return faults
}

const bySettlement = (entries: ReadonlyArray<LedgerEntry>): ReadonlyMap<string, ReadonlyArray<LedgerEntry>> =>
  Map.groupBy(entries, ({ chargeKey }) => chargeKey)

/**
 * Checks the books of a span of time, page by page: for a night's run, not for every call. A span that
 * has ended gives the same answer again; one that still runs may show a charge that is settled meanwhile.
 */
export const checkBooks = Effect.fn("checkBooks")(function* (span: {
  readonly fromMillis: number
  readonly beforeMillis: number
}): Effect.fn.Return<BookCheck, StoreError, Charges> {
  const charges = yield* Charges
  const counts = { settledCharges: 0, recordedReceipts: 0, answers: 0, refunds: 0, settledEntries: 0 }
  const faults: Array<BookFault> = []
  const note = (chargeKey: string, fault: string): void => {
    if (faults.length < maxFaults) faults.push({ chargeKey, fault })
  }

  let before: { readonly createdAtMillis: number; readonly key: string } | undefined
  for (;;) {
    const page: ReadonlyArray<Charge> = yield* charges.list({
      limit: pageSize,
      state: "settled",
      settledFromMillis: span.fromMillis,
      settledBeforeMillis: span.beforeMillis,
      ...(before === undefined ? {} : { before })
    })
    const chargeKeys = page.map(({ key }) => key)
    // A charge has three entries at most.
    const entries = bySettlement(
      chargeKeys.length === 0 ? [] : yield* charges.entries({ limit: 3 * pageSize, chargeKeys })
    )
    for (const charge of page) {
      counts.settledCharges++
      if (charge.receipt !== undefined) counts.recordedReceipts++
      if (charge.refund !== undefined) counts.refunds++
      if (charge.answer !== undefined || charge.answerExpiredAtMillis !== undefined) counts.answers++
      for (const fault of faultsOf(charge, entries.get(charge.key) ?? [])) note(charge.key, fault)
    }
    before = page.at(-1)
    if (page.length < pageSize) break
  }

  let last: LedgerEntry | undefined
  for (;;) {
    const page: ReadonlyArray<LedgerEntry> = yield* charges.entries({
      limit: pageSize,
      fromMillis: span.fromMillis,
      beforeMillis: span.beforeMillis,
      ...(last === undefined ? {} : { before: last })
    })
    counts.settledEntries += page.filter(({ kind }) => kind === "settled").length
    last = page.at(-1)
    if (page.length < pageSize) break
  }
  if (counts.settledEntries !== counts.settledCharges)
    note("", `${counts.settledEntries} settlements are entered for ${counts.settledCharges} settled charges`)
  return { isBalanced: faults.length === 0, ...counts, faults }
})
