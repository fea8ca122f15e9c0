import { SortedSet } from "../../runtime/SortedSet.ts"
import { wholeDays } from "../../runtime/wholeDays.ts"
import type { Charge } from "../Charge.ts"
import { compareText } from "../chargeRules.ts"
import type { EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "../Ledger.ts"
import { LedgerSums } from "./LedgerSums.ts"

/** The ledger of charges in this process's memory. */
export interface MemoryLedger {
  /** Appends an entry for a charge: as it was before a reversal, and as it is after any other fact. */
  readonly append: (charge: Charge, kind: LedgerKind, atMillis: number, transaction?: string) => void
  /** Appends a further `refunded` entry; `false` where the transaction is entered already. */
  readonly appendFurther: (charge: Charge, atMillis: number, transaction: string) => boolean
  /** Sums what a payer paid on the network and asset of a charge, without reversed settlements. */
  readonly receivedFrom: (charge: Pick<Charge, "payer" | "network" | "asset">) => bigint
  readonly entries: (query: EntriesQuery) => ReadonlyArray<LedgerEntry>
  readonly totals: (fromMillis: number, beforeMillis: number) => ReadonlyArray<LedgerTotal>
}

/** Makes an empty ledger. A paid call only appends to it; the next read sums up and indexes what was appended. */
export const makeMemoryLedger = (): MemoryLedger => {
  const lines = new SortedSet<LedgerEntry, Place>(byPlace)
  /** Reversals by charge key; most charges have none. Outlives a charge that is released and claimed again. */
  const reversals = new Map<string, number>()
  const ofCharges = new Map<string, Array<LedgerEntry>>()
  const received = new Map<string, bigint>()
  const days = new LedgerSums()
  /** Entries that the three above don't have yet. */
  let appended: Array<LedgerEntry> = []

  const enter = (entry: LedgerEntry): void => {
    lines.add(entry)
    appended.push(entry)
  }

  const indexAppended = (): void => {
    for (const entry of appended) {
      const known = ofCharges.get(entry.chargeKey)
      if (known === undefined) ofCharges.set(entry.chargeKey, [entry])
      else known.push(entry)
      days.add(entry)
      const amount = receivedBy(entry)
      if (amount === 0n) continue
      const payer = payerOf(entry)
      received.set(payer, (received.get(payer) ?? 0n) + amount)
    }
    appended = []
  }

  const entriesOf = (key: string): ReadonlyArray<LedgerEntry> => {
    indexAppended()
    return ofCharges.get(key) ?? []
  }

  /** Entries of a span, newest first. */
  function* within({ before, beforeMillis = Infinity, fromMillis = 0 }: Omit<EntriesQuery, "limit">) {
    const end = before !== undefined && before.atMillis < beforeMillis ? before : startOf(beforeMillis)
    for (const entry of lines.before(end)) {
      if (entry.atMillis < fromMillis) return
      yield entry
    }
  }

  /** Entries of some charges, newest first. */
  const ofKeys = (keys: ReadonlyArray<string>, query: Omit<EntriesQuery, "limit">) => {
    const { before, beforeMillis = Infinity, fromMillis = 0 } = query
    return Array.from(new Set(keys))
      .flatMap(entriesOf)
      .filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)
      .filter((entry) => before === undefined || byPlace(entry, before) < 0)
      .sort((left, right) => byPlace(right, left))
  }

  return {
    append: (charge, kind, atMillis, transaction) => {
      const round = reversals.get(charge.key) ?? 0
      enter(entryOf(charge, { kind, atMillis, transaction, round }))
      if (kind === "reversed") reversals.set(charge.key, round + 1)
    },
    appendFurther: (charge, atMillis, transaction) => {
      const refunds = entriesOf(charge.key).filter(({ kind }) => kind === "refunded")
      if (refunds.some((entry) => entry.transaction === transaction)) return false
      const round = Math.max(...refunds.map((entry) => entry.round)) + 1
      enter(entryOf(charge, { kind: "refunded", atMillis, transaction, round }))
      return true
    },
    receivedFrom: (charge) => {
      indexAppended()
      return received.get(payerOf(charge)) ?? 0n
    },
    entries: ({ chargeKeys, limit, network, payer, ...query }) => {
      const page: Array<LedgerEntry> = []
      for (const entry of chargeKeys === undefined ? within(query) : ofKeys(chargeKeys, query)) {
        if (page.length >= limit) break
        const isOf = network === undefined || entry.network === network
        if (isOf && (payer === undefined || entry.payer === payer)) page.push(entry)
      }
      return page
    },
    totals: (fromMillis, beforeMillis) => {
      indexAppended()
      const { afterDays, days: whole, untilDays } = wholeDays(fromMillis, beforeMillis)
      const sums = days.ofDays(whole)
      for (const entry of within({ fromMillis, beforeMillis: untilDays })) sums.add(entry)
      for (const entry of within({ fromMillis: afterDays, beforeMillis })) sums.add(entry)
      return sums.totals()
    }
  }
}

const payerOf = ({ asset, network, payer }: Pick<Charge, "payer" | "network" | "asset">): string =>
  `${network} ${asset} ${payer}`

/** What an entry adds to the sum that its payer paid. */
const receivedBy = ({ amountAtomic, kind }: LedgerEntry): bigint =>
  kind === "settled" ? BigInt(amountAtomic) : kind === "reversed" ? -BigInt(amountAtomic) : 0n

type Place = Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind" | "round">

/** The place before all entries of a time. */
const startOf = (atMillis: number): Place => ({ atMillis, chargeKey: "", kind: "settled", round: 0 })

const byPlace = (left: Place, right: Place): number =>
  left.atMillis - right.atMillis ||
  compareText(left.chargeKey, right.chargeKey) ||
  compareText(left.kind, right.kind) ||
  left.round - right.round

const entryOf = (
  { amountAtomic, asset, key, network, operation, payTo, payer, transferLogIndex }: Charge,
  fact: Pick<LedgerEntry, "kind" | "atMillis" | "transaction" | "round">
): LedgerEntry => ({
  ...fact,
  chargeKey: key,
  operation,
  network,
  asset,
  payer,
  payTo,
  amountAtomic,
  transferLogIndex: fact.kind === "settled" || fact.kind === "reversed" ? transferLogIndex : undefined
})
