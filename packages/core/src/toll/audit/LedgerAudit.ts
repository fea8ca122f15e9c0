import { Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { settledChargeOf } from "../../ports/chargeRules.ts"
import { Charges, type LedgerEntry, type SettledCharge } from "../../ports/Charges.ts"
import type { Chain } from "../evidence/Chain.ts"
import { type ChainCheck, checkTransfers } from "./ChainAudit.ts"
import type { PaidTo } from "./NetworkAudit.ts"
import { findOtherOutflows, type OtherOutflows } from "./OutflowAudit.ts"
import { checkRefunds } from "./RefundAudit.ts"
import { findUnshownRefunds } from "./RefundTransfer.ts"
import {
  eachEntryPage,
  entriesOfCharges,
  isReversed,
  pageSize,
  unreversedSettlements
} from "./LedgerPages.ts"

/** One disagreement between charges, ledger and chain. */
export interface LedgerFault {
  readonly chargeKey: string
  readonly fault: string
}

/**
 * The result of an audit. In a correct ledger, every settled charge has its receipt, its ledger entry, and its response
 * or a refund, and no refund exceeds what was received. Counts are of charges settled, and entries made, in the span.
 */
export interface LedgerAudit {
  /** No fault was found. Foreign transfers, other outflows and networks that can't be read are not faults. */
  readonly isBalanced: boolean
  readonly settledCharges: number
  readonly recordedReceipts: number
  /** Settled charges whose response is stored, or was until it expired. */
  readonly recordedResponses: number
  /** Settled charges whose refund is due or was sent. */
  readonly refunds: number
  /** Excludes those that a reorganization reversed. */
  readonly settledEntries: number
  /** Of ledger and chain: the first hundred. */
  readonly faults: ReadonlyArray<LedgerFault>
  /** The comparison with the chain, if it was requested. */
  readonly chain: ChainCheck | undefined
}

/** A span of time, including its first moment and excluding its last. */
export interface LedgerSpan {
  readonly fromMillis: number
  readonly beforeMillis: number
}

const maxFaults = 100
const maxReadings = 3

/** `current`: the round of the last settlement. The charge's refund may have been sent in an earlier one. */
const refundFaults = (
  { refund }: SettledCharge,
  entries: ReadonlyArray<LedgerEntry>,
  current: number
): ReadonlyArray<string> => {
  const isSentIn = (round: number) =>
    entries.some((entry) => entry.kind === "refunded" && entry.round === round)
  const counted = entries.filter(({ round }) => round === current || isSentIn(round))
  const count = (kind: LedgerEntry["kind"]) => counted.filter((entry) => entry.kind === kind).length
  const faults: Array<string> = []
  if (count("refund_due") !== (refund === undefined ? 0 : 1))
    faults.push("its refund and the ledger's refund_due disagree")
  if (count("refunded") !== (refund?._tag === "Sent" ? 1 : 0))
    faults.push("its refund and the ledger's refunded disagree")
  return faults
}

/** The faults of a settled charge, by all of its entries. Pure. */
export const faultsOf = (
  charge: SettledCharge,
  entries: ReadonlyArray<LedgerEntry>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  // Counted from the ledger: a charge that was reversed, deleted and claimed again looks new.
  const rounds = entries.filter(({ kind }) => kind === "reversed").length
  const current = entries.filter(({ round }) => round === rounds)
  const settled = current.filter(({ kind }) => kind === "settled")
  const [entry] = settled
  const isAccountedFor =
    charge.hasResponse || charge.refund !== undefined || charge.responseOwedUntilMillis !== undefined
  if (charge.receipt === undefined) faults.push("settled without a receipt")
  if (!isAccountedFor) faults.push("settled without a response or a refund")
  if (entry === undefined) faults.push("settled without a ledger entry")
  else if (settled.length > 1) faults.push("entered more than once")
  else if (entry.amountAtomic !== charge.amountAtomic) faults.push("entered with another amount")
  else if (entry.transaction !== charge.receipt?.transaction)
    faults.push("entered with another transaction than its receipt's")
  else if (entry.transferLogIndex !== charge.transferLogIndex)
    faults.push("entered with another transfer than its own")
  const others = entries.filter(({ kind, round }) => kind === "settled" && round !== rounds)
  if (!others.every((settlement) => isReversed(settlement, entries)))
    faults.push("settled again, but its first settlement is not reversed")
  return [...faults, ...refundFaults(charge, entries, rounds)]
}

/**
 * Charges whose refunds exceed what they received (settled less reversed), by all of their entries. If there are none,
 * no payer was refunded more than they paid. Pure.
 */
export const overRefunded = (
  entries: ReadonlyMap<string, ReadonlyArray<LedgerEntry>>
): ReadonlyArray<string> => {
  const exceeds = (ofCharge: ReadonlyArray<LedgerEntry>): boolean => {
    const received = new Map<string, bigint>()
    for (const { amountAtomic, kind, network, payer } of ofCharge) {
      if (kind === "refund_due") continue
      const key = `${network}:${payer.toLowerCase()}`
      const amount = kind === "settled" ? BigInt(amountAtomic) : -BigInt(amountAtomic)
      received.set(key, (received.get(key) ?? 0n) + amount)
    }
    return Array.from(received.values()).some((left) => left < 0n)
  }
  return Array.from(entries).flatMap(([key, ofCharge]) => (exceeds(ofCharge) ? [key] : []))
}

/** Collects the first faults of a check. */
class Faults {
  readonly found: Array<LedgerFault> = []

  note(chargeKey: string, fault: string): void {
    if (this.found.length < maxFaults) this.found.push({ chargeKey, fault })
  }
}

/** Whether a charge has not changed between two readings. */
const isUnchanged = (left: SettledCharge | undefined, right: SettledCharge | undefined): boolean =>
  left?.reopenings === right?.reopenings &&
  left?.refund?._tag === right?.refund?._tag &&
  left?.hasResponse === right?.hasResponse

/** Reads a faulty charge again: it may have changed between the reads of charge and entries. */
const confirmedFaults = Effect.fnUntraced(function* (
  key: string
): Effect.fn.Return<ReadonlyArray<string>, StoreError, Charges> {
  const charges = yield* Charges
  const reading = Effect.map(charges.find(key), (found) => ({
    isFound: found !== undefined,
    charge: found === undefined ? undefined : settledChargeOf(found)
  }))
  let before = yield* reading
  for (let attempt = 0; attempt < maxReadings; attempt++) {
    const entries = yield* entriesOfCharges([key])
    const after = yield* reading
    if (!before.isFound || !after.isFound) return ["listed as settled, but not found"]
    if (isUnchanged(before.charge, after.charge))
      return before.charge === undefined ? [] : faultsOf(before.charge, entries.get(key) ?? [])
    before = after
  }
  // The charge keeps changing: the next check covers it.
  return []
})

const checkCharges = Effect.fnUntraced(function* (span: LedgerSpan, faults: Faults) {
  const charges = yield* Charges
  const counts = { settledCharges: 0, recordedReceipts: 0, recordedResponses: 0, refunds: 0 }
  let after: SettledCharge | undefined
  for (;;) {
    const page: ReadonlyArray<SettledCharge> = yield* charges.listSettled({
      ...span,
      limit: pageSize,
      ...(after === undefined ? {} : { after })
    })
    const entries = yield* entriesOfCharges(page.map(({ key }) => key))
    for (const charge of page) {
      counts.settledCharges++
      if (charge.receipt !== undefined) counts.recordedReceipts++
      if (charge.refund !== undefined) counts.refunds++
      if (charge.hasResponse) counts.recordedResponses++
      if (faultsOf(charge, entries.get(charge.key) ?? []).length === 0) continue
      for (const fault of yield* confirmedFaults(charge.key)) faults.note(charge.key, fault)
    }
    after = page.at(-1)
    if (page.length < pageSize) return counts
    yield* Effect.yieldNow
  }
})

/** Entries of settlements whose charge is not settled. */
const findStrays = Effect.fnUntraced(function* (span: LedgerSpan, faults: Faults) {
  const charges = yield* Charges
  yield* eachEntryPage(span, (page) =>
    Effect.gen(function* () {
      const keys = (yield* unreversedSettlements(page)).map(({ chargeKey }) => chargeKey)
      const settled = yield* charges.listSettled({ limit: keys.length, chargeKeys: keys })
      const known = new Set(settled.map(({ key }) => key))
      for (const chargeKey of keys.filter((key) => !known.has(key))) {
        // It may have been reopened since the page was read.
        const [counted] = yield* unreversedSettlements(
          (yield* entriesOfCharges([chargeKey])).get(chargeKey) ?? []
        )
        if (counted !== undefined) faults.note(chargeKey, "entered as settled, but its charge is not")
      }
    })
  )
})

/**
 * Reads a charge again whose refunds seemed to exceed what it received. If it was reopened after its refund was sent,
 * it waits for the transfer that moved it instead; until that is entered, the reconciler reports it.
 */
const isOverRefunded = Effect.fnUntraced(function* (
  key: string
): Effect.fn.Return<boolean, StoreError, Charges> {
  const charge = yield* (yield* Charges).find(key)
  if (charge !== undefined && charge.state !== "settled" && charge.refund?._tag === "Sent") return false
  return overRefunded(yield* entriesOfCharges([key])).length > 0
})

const checkEntries = Effect.fnUntraced(function* (span: LedgerSpan, faults: Faults) {
  let settledEntries = 0
  const tokens = new Map<string, Set<string>>()
  yield* eachEntryPage(span, (page) =>
    Effect.gen(function* () {
      for (const { asset, network } of yield* unreversedSettlements(page)) {
        settledEntries++
        tokens.set(network, (tokens.get(network) ?? new Set()).add(asset))
      }
      const refunded = page.filter(({ kind }) => kind === "refunded").map(({ chargeKey }) => chargeKey)
      for (const key of overRefunded(yield* entriesOfCharges(refunded)))
        if (yield* isOverRefunded(key)) faults.note(key, "refunded more than it received")
    })
  )
  return { settledEntries, tokens }
})

const checkWithin = Effect.fnUntraced(function* (span: LedgerSpan, faults: Faults) {
  const counts = yield* checkCharges(span, faults)
  const { settledEntries, tokens } = yield* checkEntries(span, faults)
  if (settledEntries !== counts.settledCharges) yield* findStrays(span, faults)
  return { counts: { ...counts, settledEntries }, tokens }
})

/**
 * Audits the ledger of a time span, page by page. Meant for a nightly run, not for every call.
 *
 * A past span always gives the same result; a current one may miss settlements made during the check.
 */
export const auditLedger = Effect.fn("auditLedger")(function* (
  span: LedgerSpan
): Effect.fn.Return<LedgerAudit, StoreError, Charges> {
  const faults = new Faults()
  const { counts } = yield* checkWithin(span, faults)
  return { isBalanced: faults.found.length === 0, ...counts, faults: faults.found, chain: undefined }
})

const nothing: OtherOutflows = { transfers: 0, first: [], unreadNetworks: [] }

/**
 * The same, but also compares the ledger with the transfers on the chain. `refundWallets`: those of the settings, by
 * CAIP-2 network; without it, neither what left the wallets nor refunds recorded by hand are read.
 */
export const auditLedgerWithChain = Effect.fn("auditLedgerWithChain")(function* (
  span: LedgerSpan,
  networks: ReadonlyArray<PaidTo>,
  refundWallets?: ReadonlyMap<string, string>
): Effect.fn.Return<LedgerAudit, StoreError, Charges | Chain> {
  const faults = new Faults()
  const { counts, tokens } = yield* checkWithin(span, faults)
  const note = (key: string, fault: string) => faults.note(key, fault)
  const checked = yield* checkTransfers(span, networks, tokens, note)
  yield* checkRefunds(span, networks, note)
  const otherOutflows =
    refundWallets === undefined ? nothing : yield* findOtherOutflows(span, networks, refundWallets, note)
  const compared =
    refundWallets === undefined ? { unshownRefunds: [], unreadRefunds: 0 } : yield* findUnshownRefunds(span)
  const chain = { ...checked, otherOutflows, ...compared }
  return { isBalanced: faults.found.length === 0, ...counts, faults: faults.found, chain }
})
