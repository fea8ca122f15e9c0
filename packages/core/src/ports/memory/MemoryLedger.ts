import type { Charge } from "../Charge.ts"
import { compareText } from "../chargeRules.ts"
import type { EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "../Ledger.ts"

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

/** Makes an empty ledger. */
export const makeMemoryLedger = (): MemoryLedger => {
  const lines: Array<LedgerEntry> = []
  /** Reversals by charge key; most charges have none. Outlives a charge that is released and claimed again. */
  const reversals = new Map<string, number>()
  return {
    append: (charge, kind, atMillis, transaction) => {
      const round = reversals.get(charge.key) ?? 0
      lines.push(entryOf(charge, { kind, atMillis, transaction, round }))
      if (kind === "reversed") reversals.set(charge.key, round + 1)
    },
    appendFurther: (charge, atMillis, transaction) => {
      const refunds = lines.filter(({ chargeKey, kind }) => chargeKey === charge.key && kind === "refunded")
      if (refunds.some((entry) => entry.transaction === transaction)) return false
      const round = Math.max(...refunds.map((entry) => entry.round)) + 1
      lines.push(entryOf(charge, { kind: "refunded", atMillis, transaction, round }))
      return true
    },
    receivedFrom: ({ asset, network, payer }) =>
      lines.reduce((sum, entry) => {
        if (entry.payer !== payer || entry.network !== network || entry.asset !== asset) return sum
        if (entry.kind === "settled") return sum + BigInt(entry.amountAtomic)
        return entry.kind === "reversed" ? sum - BigInt(entry.amountAtomic) : sum
      }, 0n),
    entries: ({ before, beforeMillis, chargeKeys, fromMillis, limit, network, payer }) => {
      const keys = chargeKeys === undefined ? undefined : new Set(chargeKeys)
      return lines
        .filter(
          (entry) =>
            isWithin(entry.atMillis, fromMillis, beforeMillis) &&
            (keys === undefined || keys.has(entry.chargeKey)) &&
            (network === undefined || entry.network === network) &&
            (payer === undefined || entry.payer === payer) &&
            (before === undefined || byPlace(entry, before) < 0)
        )
        .sort((left, right) => byPlace(right, left))
        .slice(0, limit)
    },
    totals: (fromMillis, beforeMillis) =>
      sum(lines.filter(({ atMillis }) => isWithin(atMillis, fromMillis, beforeMillis)))
  }
}

/** Whether a time is in a span whose end is excluded; a bound that isn't given doesn't apply. */
export const isWithin = (
  atMillis: number | undefined,
  from: number | undefined,
  before: number | undefined
): boolean =>
  (from === undefined || (atMillis !== undefined && atMillis >= from)) &&
  (before === undefined || (atMillis !== undefined && atMillis < before))

type Place = Pick<LedgerEntry, "atMillis" | "chargeKey" | "kind" | "round">

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

const dayOf = (millis: number): string => new Date(millis).toISOString().slice(0, 10)

const sum = (entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<LedgerTotal> => {
  const totals = new Map<string, LedgerTotal>()
  for (const { amountAtomic, asset, atMillis, kind, network, operation } of entries) {
    const day = dayOf(atMillis)
    const name = [day, operation, network, asset, kind].join("\n")
    const { amountAtomic: summed, count } = totals.get(name) ?? { amountAtomic: "0", count: 0 }
    totals.set(name, {
      day,
      operation,
      network,
      asset,
      kind,
      count: count + 1,
      amountAtomic: (BigInt(summed) + BigInt(amountAtomic)).toString()
    })
  }
  return Array.from(totals.entries())
    .sort(([left], [right]) => compareText(left, right))
    .map(([, total]) => total)
}
