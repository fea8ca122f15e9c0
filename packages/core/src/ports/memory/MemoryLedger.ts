import { SortedSet } from "../../runtime/SortedSet.ts"
import type { Charge } from "../Charge.ts"
import { compareText } from "../chargeRules.ts"
import type { EntriesQuery, LedgerEntry, LedgerKind, LedgerTotal } from "../Ledger.ts"

type Sum = Omit<LedgerTotal, "amountAtomic"> & { readonly amount: bigint }

/**
 * The ledger of charges in this process's memory. A paid call only appends to it; the next read indexes what was appended.
 */
export class MemoryLedger {
  private readonly lines = new SortedSet<LedgerEntry, Place>(byPlace)
  /** Reversals by charge key; most charges have none. Outlives a charge that is released and claimed again. */
  private readonly reversals = new Map<string, number>()
  private readonly ofCharges = new Map<string, Array<LedgerEntry>>()
  private readonly received = new Map<string, bigint>()
  /** Entries that the two above don't have yet. */
  private appended: Array<LedgerEntry> = []

  /** Appends an entry for a charge: as it was before a reversal, and as it is after any other fact. */
  append(charge: Charge, kind: LedgerKind, atMillis: number, transaction?: string): void {
    const round = this.reversals.get(charge.key) ?? 0
    this.enter(entryOf(charge, { kind, atMillis, transaction, round }))
    if (kind === "reversed") this.reversals.set(charge.key, round + 1)
  }

  /** Appends a further `refunded` entry; `false` where the transaction is entered already. */
  appendFurther(charge: Charge, atMillis: number, transaction: string): boolean {
    const refunds = this.entriesOf(charge.key).filter(({ kind }) => kind === "refunded")
    if (refunds.some((entry) => entry.transaction === transaction)) return false
    const round = Math.max(...refunds.map((entry) => entry.round)) + 1
    this.enter(entryOf(charge, { kind: "refunded", atMillis, transaction, round }))
    return true
  }

  /** Sums what a payer paid on the network and asset of a charge, without reversed settlements. */
  receivedFrom(charge: Pick<Charge, "payer" | "network" | "asset">): bigint {
    this.indexAppended()
    return this.received.get(payerOf(charge)) ?? 0n
  }

  entries({ chargeKeys, limit, network, payer, ...query }: EntriesQuery): ReadonlyArray<LedgerEntry> {
    const page: Array<LedgerEntry> = []
    for (const entry of chargeKeys === undefined ? this.within(query) : this.ofKeys(chargeKeys, query)) {
      if (page.length >= limit) break
      const isOf = network === undefined || entry.network === network
      if (isOf && (payer === undefined || entry.payer === payer)) page.push(entry)
    }
    return page
  }

  totals(fromMillis: number, beforeMillis: number): ReadonlyArray<LedgerTotal> {
    const sums = new Map<string, Sum>()
    for (const entry of this.within({ fromMillis, beforeMillis })) {
      const { amountAtomic, asset, atMillis, kind, network, operation } = entry
      const day = new Date(atMillis).toISOString().slice(0, 10)
      const name = [day, operation, network, asset, kind].join("\n")
      const sum = sums.get(name) ?? { day, operation, network, asset, kind, count: 0, amount: 0n }
      sums.set(name, { ...sum, count: sum.count + 1, amount: sum.amount + BigInt(amountAtomic) })
    }
    return Array.from(sums)
      .toSorted(([left], [right]) => compareText(left, right))
      .map(([, { amount, ...sum }]) => ({ ...sum, amountAtomic: amount.toString() }))
  }

  private enter(entry: LedgerEntry): void {
    this.lines.add(entry)
    this.appended.push(entry)
  }

  private indexAppended(): void {
    for (const entry of this.appended) {
      const known = this.ofCharges.get(entry.chargeKey)
      if (known === undefined) this.ofCharges.set(entry.chargeKey, [entry])
      else known.push(entry)
      const amount = receivedBy(entry)
      if (amount === 0n) continue
      const payer = payerOf(entry)
      this.received.set(payer, (this.received.get(payer) ?? 0n) + amount)
    }
    this.appended = []
  }

  private entriesOf(key: string): ReadonlyArray<LedgerEntry> {
    this.indexAppended()
    return this.ofCharges.get(key) ?? []
  }

  /** Entries of a span, newest first. */
  private *within({ before, beforeMillis = Infinity, fromMillis = 0 }: Omit<EntriesQuery, "limit">) {
    const end = before !== undefined && before.atMillis < beforeMillis ? before : startOf(beforeMillis)
    for (const entry of this.lines.before(end)) {
      if (entry.atMillis < fromMillis) return
      yield entry
    }
  }

  /** Entries of some charges, newest first. */
  private ofKeys(keys: ReadonlyArray<string>, query: Omit<EntriesQuery, "limit">): Array<LedgerEntry> {
    const { before, beforeMillis = Infinity, fromMillis = 0 } = query
    return Array.from(new Set(keys))
      .flatMap((key) => this.entriesOf(key))
      .filter(({ atMillis }) => atMillis >= fromMillis && atMillis < beforeMillis)
      .filter((entry) => before === undefined || byPlace(entry, before) < 0)
      .sort((left, right) => byPlace(right, left))
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
