import type { Charge, EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "./Charges.ts"

/** The ledger of charges in this process's memory. */
export interface MemoryLedger {
  /** Enters a charge as it stands when the fact holds: before its reversal, after anything else. */
  readonly append: (charge: Charge, kind: LedgerKind, atMillis: number, transaction?: string) => void
  /** What the ledger says that a payer paid on the network and asset of a charge, without reversed settlements. */
  readonly receivedFrom: (charge: Pick<Charge, "payer" | "network" | "asset">) => bigint
  readonly entries: (query: EntriesQuery) => ReadonlyArray<LedgerEntry>
  readonly totals: (fromMillis: number, beforeMillis: number) => ReadonlyArray<LedgerTotal>
}

export const makeMemoryLedger = (): MemoryLedger => {
  const lines: Array<LedgerEntry> = []
  /** Reversals by charge key; most charges have none. A charge may be released and claimed again, its entries stay. */
  const reversals = new Map<string, number>()
  return {
    append: (charge, kind, atMillis, transaction) => {
      const round = reversals.get(charge.key) ?? 0
      lines.push(entryOf(charge, { kind, atMillis, transaction, round }))
      if (kind === "reversed") reversals.set(charge.key, round + 1)
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

/** Whether a time is at or after the first and before the second, where they are given. */
export const isWithin = (
  atMillis: number | undefined,
  from: number | undefined,
  before: number | undefined
): boolean =>
  (from === undefined || (atMillis !== undefined && atMillis >= from)) &&
  (before === undefined || (atMillis !== undefined && atMillis < before))

/** By code units, as a database compares keys: not by language. */
export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

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
    const { amountAtomic: sofar, count } = totals.get(name) ?? { amountAtomic: "0", count: 0 }
    totals.set(name, {
      day,
      operation,
      network,
      asset,
      kind,
      count: count + 1,
      amountAtomic: (BigInt(sofar) + BigInt(amountAtomic)).toString()
    })
  }
  return Array.from(totals.entries())
    .sort(([left], [right]) => compareText(left, right))
    .map(([, total]) => total)
}
