import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { plainHex } from "../../domain/Hex.ts"
import { isSameAsset, type Network, networkOfAsset } from "../../domain/Network.ts"
import { Charges, type LedgerEntry } from "../../ports/Charges.ts"
import { Chain } from "../evidence/Chain.ts"
import { chargedAuthorization } from "../machine/ChargedAuthorization.ts"
import type { OtherOutflows } from "./OutflowAudit.ts"
import type { UnshownRefund } from "./RefundTransfer.ts"
import { eachEntryPage, unreversedSettlements } from "./LedgerPages.ts"
import {
  type ForeignTransfer,
  maxForeign,
  nameOf,
  NetworkAudit,
  type PaidTo,
  type Settlement,
  skewMillis,
  type Span,
  type Transfer,
  type Window,
  windowsOf
} from "./NetworkAudit.ts"
import { proveSettlement, type SettlementProof } from "./SettlementProof.ts"

/*
 * Compares the ledger with the chain, network by network and window by window: most settlements match a transfer of the
 * same window. One without a match is judged by the evidence for its own authorization, which identifies at most one
 * transfer, shared with no other.
 */

/** The ledger compared with the chain. Counts are of the span that was checked. */
export interface TransferCheck {
  /** CAIP-2 of each compared network. */
  readonly networks: ReadonlyArray<string>
  /** CAIP-2 of each network that wasn't compared: it has no `rpcUrl`, is no longer configured, or its node failed. */
  readonly unreadNetworks: ReadonlyArray<string>
  /** Confirmed transfers to `payTo`, in the token of each network. */
  readonly transfers: number
  /** Settled entries that are one transfer. */
  readonly provenEntries: number
  /** Settled entries that can't be judged yet: their transfer lacks confirmations, or the node couldn't show it. */
  readonly openEntries: number
  /** Transfers without an entry. One whose settlement is still being recorded counts until then. */
  readonly foreignTransfers: number
  /** The first hundred of those. */
  readonly foreign: ReadonlyArray<ForeignTransfer>
}

/** The ledger compared with the chain, both ways. */
export interface ChainCheck extends TransferCheck {
  /** What left refund wallets and is no refund of this ledger. It is no fault. */
  readonly otherOutflows: OtherOutflows
  /** Refunds, as a rule recorded by hand, whose transaction doesn't exist or doesn't pay their buyers. They are no faults. */
  readonly unshownRefunds: ReadonlyArray<UnshownRefund>
  /** Refunds that weren't compared: no readable network, no hash of it, or beyond the first 200 transactions. */
  readonly unreadRefunds: number
}

/** Limit on authorizations that are looked up individually. */
const maxLookups = 200

/** Reads and matches every window; `false`: the chain could not be read. */
const matchWindows = Effect.fnUntraced(function* (audit: NetworkAudit, windows: ReadonlyArray<Window>) {
  const chain = yield* Chain
  const { network } = audit
  for (const { beforeMillis, fromMillis, isInSpan } of windows) {
    const entries: Array<Settlement> = []
    yield* eachEntryPage({ network: network.caip2, fromMillis, beforeMillis }, (page) =>
      Effect.map(unreversedSettlements(page), (settled) => {
        for (const entry of settled)
          // Entries in another token are compared with that token's transfers.
          if (isSameAsset(network, entry.asset)) entries.push({ ...entry, isInSpan })
      })
    )
    // Rounded up, so that a block of this second is part of a span that ends now.
    const seconds = {
      fromSeconds: Math.ceil(fromMillis / 1000),
      beforeSeconds: Math.ceil(beforeMillis / 1000)
    }
    const byRecipient = Map.groupBy(entries, ({ payTo }) => plainHex(payTo))
    for (const payTo of audit.recipients(entries)) {
      const read = yield* chain.transfersTo(network, payTo, seconds)
      if (read === undefined) return false
      const transfers = read.transfers.map((transfer) => ({ ...transfer, isInSpan }))
      audit.add(payTo, byRecipient.get(payTo) ?? [], transfers)
    }
  }
  return true
})

/** Reads the chain's evidence for the authorization of a settlement. */
const lookUp = Effect.fnUntraced(function* (network: Network, entry: LedgerEntry) {
  const charge = yield* (yield* Charges).find(entry.chargeKey)
  if (charge === undefined) return { _tag: "Fault", fault: "entered, but its charge does not exist" } as const
  const hint = entry.transaction === undefined ? {} : { transaction: entry.transaction }
  const evidence = yield* (yield* Chain).evidence(network, chargedAuthorization(charge), hint)
  return proveSettlement(entry, charge, evidence)
})

/** Other settlements of a payer that name the same transaction and amount, since the transfer. */
const rivalsOf = Effect.fnUntraced(function* (
  entry: LedgerEntry,
  { atSeconds }: Extract<SettlementProof, { readonly _tag: "Proven" }>
) {
  const rivals: Array<LedgerEntry> = []
  const { amountAtomic, asset, chargeKey, network, payer, transaction } = entry
  yield* eachEntryPage({ network, payer, fromMillis: atSeconds * 1000 - skewMillis }, (page) =>
    Effect.map(
      unreversedSettlements(
        page.filter(
          (other) =>
            other.chargeKey !== chargeKey &&
            other.asset === asset &&
            other.transaction === transaction &&
            other.amountAtomic === amountAtomic
        )
      ),
      (found) => {
        rivals.push(...found)
      }
    )
  )
  return rivals
})

type Note = (chargeKey: string, fault: string) => void

/**
 * Judges the settlements without a matching transfer, and returns the transfers that have a settlement.
 *
 * If a transfer matched to another settlement belongs to this one, that other settlement is judged, too.
 */
const judgeUnmatched = Effect.fnUntraced(function* (audit: NetworkAudit, span: Span, note: Note) {
  const unmatched = Array.from(audit.unmatched.values())
  const free = new Set(unmatched.flatMap(({ transfers }) => transfers.map(nameOf)))
  const proven = new Set<string>()
  const queue: Array<{ readonly entry: LedgerEntry; readonly wasMatched: boolean }> = unmatched
    .flatMap(({ entries }) => entries)
    .filter(({ isInSpan }) => isInSpan)
    .sort((left, right) => left.atMillis - right.atMillis)
    .map((entry) => ({ entry, wasMatched: false }))
  const judged = new Set(queue.map(({ entry }) => entry.chargeKey))
  for (let index = 0; index < queue.length; index++) {
    const { entry, wasMatched } = queue[index]!
    if (index >= maxLookups) {
      if (!wasMatched) audit.openEntries++
      continue
    }
    const proof = yield* lookUp(audit.network, entry)
    if (proof._tag === "Proven") {
      proven.add(nameOf(proof))
      if (wasMatched) continue
      audit.provenEntries++
      if (free.has(nameOf(proof))) continue
      for (const rival of yield* rivalsOf(entry, proof)) {
        const isInSpan = rival.atMillis >= span.fromMillis && rival.atMillis < span.beforeMillis
        if (!isInSpan || judged.has(rival.chargeKey)) continue
        judged.add(rival.chargeKey)
        queue.push({ entry: rival, wasMatched: true })
      }
      continue
    }
    if (wasMatched) audit.provenEntries--
    if (proof._tag === "Open") audit.openEntries++
    else note(entry.chargeKey, proof.fault)
  }
  return proven
})

/** Settlements of a transfer that were recorded later than the windows reach. */
const recordedLate = Effect.fnUntraced(function* (
  network: PaidTo,
  { from, logIndex, transaction, valueAtomic }: Transfer,
  fromMillis: number
) {
  const found: Array<string> = []
  yield* eachEntryPage({ network: network.caip2, payer: plainHex(from), fromMillis }, (page) =>
    Effect.map(unreversedSettlements(page), (settled) => {
      for (const entry of settled) {
        const isOfTransfer =
          isSameAsset(network, entry.asset) &&
          entry.transaction?.toLowerCase() === transaction.toLowerCase() &&
          entry.amountAtomic === valueAtomic &&
          (entry.transferLogIndex ?? logIndex) === logIndex
        if (isOfTransfer) found.push(entry.chargeKey)
      }
    })
  )
  return found
})

const findForeign = Effect.fnUntraced(function* (
  audit: NetworkAudit,
  proven: ReadonlySet<string>,
  afterMillis: number | undefined
) {
  const taken = new Set<string>()
  let lookups = 0
  for (const [payTo, { transfers }] of audit.unmatched) {
    for (const transfer of transfers) {
      if (!transfer.isInSpan || proven.has(nameOf(transfer))) continue
      const late =
        afterMillis === undefined || lookups++ >= maxLookups
          ? []
          : yield* recordedLate(audit.network, transfer, afterMillis)
      const settlement = late.find((key) => !taken.has(key))
      if (settlement === undefined) audit.noteForeign(payTo, transfer)
      else taken.add(settlement)
    }
  }
})

const auditNetwork = Effect.fnUntraced(function* (network: PaidTo, span: Span, note: Note) {
  if (!(yield* Chain).canRead(network.caip2)) return undefined
  const nowMillis = yield* Clock.currentTimeMillis
  const windows = windowsOf(span, nowMillis)
  const audit = new NetworkAudit(network)
  if (!(yield* matchWindows(audit, windows))) return undefined
  const proven = yield* judgeUnmatched(audit, span, note)
  const endMillis = windows.at(-1)!.beforeMillis
  yield* findForeign(audit, proven, endMillis < nowMillis ? endMillis : undefined)
  return audit
})

const sum = (audits: ReadonlyArray<NetworkAudit>, count: (audit: NetworkAudit) => number): number =>
  audits.reduce((total, audit) => total + count(audit), 0)

/** The tokens that the ledger has settlements in, by CAIP-2 network. */
export type EnteredTokens = ReadonlyMap<string, ReadonlySet<string>>

/**
 * A network in each other token that the ledger has settlements in: those that it had before. `undefined`: its transfers
 * can't be read.
 */
const inOtherTokens = (network: PaidTo, entered: EnteredTokens): ReadonlyArray<PaidTo | undefined> =>
  Array.from(entered.get(network.caip2) ?? [])
    .filter((asset) => !isSameAsset(network, asset))
    .map((asset) => {
      const other = networkOfAsset(network.caip2, asset)
      return other === undefined ? undefined : { ...other, payTo: network.payTo }
    })

/**
 * Compares the settlements of a span with the transfers to `payTo` on each network that can be read. Records a
 * settlement that is not one transfer as a fault.
 */
export const checkTransfers = Effect.fn("checkTransfers")(function* (
  span: Span,
  networks: ReadonlyArray<PaidTo>,
  entered: EnteredTokens,
  note: Note
): Effect.fn.Return<TransferCheck, StoreError, Charges | Chain> {
  const audits: Array<NetworkAudit> = []
  /** Of other tokens: transfers in these that have no entry don't concern the host. */
  const others: Array<NetworkAudit> = []
  const unread = new Set<string>()
  for (const network of networks) {
    for (const token of [network, ...inOtherTokens(network, entered)]) {
      const audit = token === undefined ? undefined : yield* auditNetwork(token, span, note)
      if (audit === undefined) unread.add(network.caip2)
      else (token === network ? audits : others).push(audit)
    }
  }
  const read = networks.map(({ caip2 }) => caip2).filter((caip2) => !unread.has(caip2))
  const known = new Set<string>([...networks.map(({ caip2 }) => caip2), ...entered.keys()])
  return {
    networks: read,
    unreadNetworks: Array.from(known).filter((caip2) => !read.some((other) => other === caip2)),
    transfers: sum(audits, ({ transfers }) => transfers),
    provenEntries: sum([...audits, ...others], ({ provenEntries }) => provenEntries),
    openEntries: sum([...audits, ...others], ({ openEntries }) => openEntries),
    foreignTransfers: sum(audits, ({ foreignTransfers }) => foreignTransfers),
    foreign: audits.flatMap(({ foreign }) => foreign).slice(0, maxForeign)
  }
})
