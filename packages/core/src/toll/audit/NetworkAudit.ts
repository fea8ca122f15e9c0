import { plainHex } from "../../domain/Hex.ts"
import type { Network } from "../../domain/Network.ts"
import type { LedgerEntry } from "../../ports/Charges.ts"
import type { IncomingTransfer } from "../evidence/Chain.ts"
import { matchTransfers } from "./TransferMatch.ts"

/*
 * One network's part of the comparison of ledger and chain: time windows and their unmatched entries. Pure.
 */

/** A network, and the recipient of its payments. */
export type PaidTo = Network & { readonly payTo: string }

/** A transfer to the host that no settlement accounts for. */
export interface ForeignTransfer {
  /** CAIP-2. */
  readonly network: string
  readonly payTo: string
  readonly from: string
  readonly amountAtomic: bigint
  readonly transaction: string
  /** Of its `Transfer` event, in its block. */
  readonly logIndex: number
}

export interface Span {
  readonly fromMillis: number
  readonly beforeMillis: number
}

/** A part of the span, or of the margin on either side of it, in which nothing is judged. */
export interface Window extends Span {
  readonly isInSpan: boolean
}

export type Settlement = LedgerEntry & { readonly isInSpan: boolean }
export type Transfer = IncomingTransfer & { readonly isInSpan: boolean }

/** Settlements and transfers to one recipient that are not matched yet. */
interface Unmatched {
  readonly entries: ReadonlyArray<Settlement>
  readonly transfers: ReadonlyArray<Transfer>
}

const hour = 3_600_000
/** Most transfers are recorded within seconds of their block; some only later, after a node or process was down. */
export const marginMillis = 2 * hour
const windowMillis = 6 * hour
const maxWindows = 500
/** Maximum delay of a server's clock behind the chain's. */
export const skewMillis = 600_000
const maxUnmatched = 10_000
export const maxForeign = 100

/** The span up to the present in windows, oldest first, with a margin before and after. */
export const windowsOf = ({ beforeMillis, fromMillis }: Span, nowMillis: number): ReadonlyArray<Window> => {
  const end = Math.max(fromMillis, Math.min(beforeMillis, nowMillis + 1))
  const width = Math.max(windowMillis, Math.ceil((end - fromMillis) / maxWindows))
  const windows: Array<Window> = [
    { fromMillis: fromMillis - marginMillis, beforeMillis: fromMillis, isInSpan: false }
  ]
  for (let from = fromMillis; from < end; from += width)
    windows.push({ fromMillis: from, beforeMillis: Math.min(from + width, end), isInSpan: true })
  const after = end < nowMillis ? marginMillis : skewMillis
  windows.push({ fromMillis: end, beforeMillis: end + after, isInSpan: false })
  return windows
}

/** Identifies a transfer. */
export const nameOf = ({
  logIndex,
  transaction
}: Pick<IncomingTransfer, "transaction" | "logIndex">): string => `${transaction.toLowerCase()}:${logIndex}`

/** The comparison of one network: its counts and what is still unmatched. */
export class NetworkAudit {
  readonly unmatched = new Map<string, Unmatched>()
  transfers = 0
  provenEntries = 0
  openEntries = 0
  foreignTransfers = 0
  readonly foreign: Array<ForeignTransfer> = []
  readonly network: PaidTo
  private readonly payTo: string

  constructor(network: PaidTo) {
    this.network = network
    this.payTo = plainHex(network.payTo)
  }

  /** Recipients whose transfers are read: the configured one, and those of entries made before it changed. */
  recipients(entries: ReadonlyArray<LedgerEntry>): ReadonlyArray<string> {
    return Array.from(
      new Set([this.payTo, ...this.unmatched.keys(), ...entries.map(({ payTo }) => plainHex(payTo))])
    )
  }

  add(payTo: string, entries: ReadonlyArray<Settlement>, transfers: ReadonlyArray<Transfer>): void {
    const before = this.unmatched.get(payTo) ?? { entries: [], transfers: [] }
    const match = matchTransfers([...before.entries, ...entries], [...before.transfers, ...transfers])
    this.provenEntries += match.pairs.filter(({ entry }) => entry.isInSpan).length
    if (payTo === this.payTo) this.transfers += transfers.filter(({ isInSpan }) => isInSpan).length
    this.openEntries += match.entries.slice(maxUnmatched).filter(({ isInSpan }) => isInSpan).length
    for (const transfer of match.transfers.slice(maxUnmatched)) this.noteForeign(payTo, transfer)
    this.unmatched.set(payTo, {
      entries: match.entries.slice(0, maxUnmatched),
      transfers: match.transfers.slice(0, maxUnmatched)
    })
  }

  noteForeign(payTo: string, { from, isInSpan, logIndex, transaction, valueAtomic }: Transfer): void {
    // Transfers to earlier recipients don't concern the host.
    if (!isInSpan || payTo !== this.payTo) return
    this.foreignTransfers++
    const { caip2: network, payTo: recipient } = this.network
    if (this.foreign.length < maxForeign)
      this.foreign.push({
        network,
        payTo: recipient,
        from,
        amountAtomic: BigInt(valueAtomic),
        transaction,
        logIndex
      })
  }
}
