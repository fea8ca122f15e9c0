import { Clock, Effect } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { plainHex } from "../../domain/Hex.ts"
import { isSameAsset, type Network } from "../../domain/Network.ts"
import { Charges, type LedgerEntry } from "../../ports/Charges.ts"
import { Chain, type OutgoingTransfer } from "../evidence/Chain.ts"
import { eachEntryPage } from "./LedgerPages.ts"
import { marginMillis, type PaidTo, skewMillis, type Span, windowsOf } from "./NetworkAudit.ts"
import { networkOf } from "./RefundAudit.ts"

/*
 * Compares what left the refund wallets with the refunds of the ledger, one to one. A host may use a refund wallet for
 * other things, so a transfer that is no refund is listed, and is no fault.
 */

/** A transfer out of a refund wallet that is no refund of the ledger. */
export interface OtherOutflow {
  /** CAIP-2. */
  readonly network: string
  readonly asset: string
  readonly wallet: string
  /** On Solana: the owner whose balance grew most. */
  readonly to: string
  readonly amountAtomic: bigint
  readonly transaction: string
  /** Of its `Transfer` event, in its block. */
  readonly logIndex: number
}

/** What left the refund wallets beside the refunds of the ledger. One that is still being recorded counts until then. */
export interface OtherOutflows {
  readonly transfers: number
  /** The first hundred. */
  readonly first: ReadonlyArray<OtherOutflow>
  /** CAIP-2 of each network on which not all refund wallets could be read. */
  readonly unreadNetworks: ReadonlyArray<string>
}

type Outflow = OutgoingTransfer & { readonly wallet: string }

const maxListed = 100
/** Limit on refund wallets that are read of one token. */
const maxWallets = 20

/** Names what a transfer paid, as a refund does. */
const nameOf = (transaction: string, payee: string, amountAtomic: string): string =>
  [plainHex(transaction), plainHex(payee), amountAtomic].join(" ")

/**
 * Matches transfers with refunds by transaction, payee and amount. `others`: the transfers that are none. `shared`: the
 * refunds whose only transfers are other refunds'. Pure.
 */
export const matchRefunds = <T extends OutgoingTransfer>(
  outflows: ReadonlyArray<T>,
  refunds: ReadonlyArray<LedgerEntry>
): { readonly others: ReadonlyArray<T>; readonly shared: ReadonlyArray<LedgerEntry> } => {
  const named = Map.groupBy(refunds, ({ amountAtomic, payer, transaction = "" }) =>
    nameOf(transaction, payer, amountAtomic)
  )
  const others: Array<T> = []
  const counts = new Map<string, number>()
  for (const outflow of outflows) {
    const name = nameOf(outflow.transaction, outflow.to, outflow.valueAtomic)
    const count = counts.get(name) ?? 0
    if (count >= (named.get(name)?.length ?? 0)) others.push(outflow)
    else counts.set(name, count + 1)
  }
  const shared = Array.from(counts).flatMap(([name, count]) => named.get(name)?.slice(count) ?? [])
  return { others, shared }
}

/** A token, and the wallets that paid refunds in it. */
interface RefundToken {
  readonly network: Network
  readonly wallets: Set<string>
  readonly refunds: Array<LedgerEntry>
}

/** The tokens and wallets of the settings, and those of the refunds that the ledger has of a span. */
const tokensOf = Effect.fnUntraced(function* (
  span: Span,
  networks: ReadonlyArray<PaidTo>,
  refundWallets: ReadonlyMap<string, string>
) {
  const charges = yield* Charges
  const tokens = new Map<string, RefundToken>()
  const tokenOf = (network: Network): RefundToken => {
    const name = `${network.caip2} ${plainHex(network.asset)}`
    const token = tokens.get(name) ?? { network, wallets: new Set(), refunds: [] }
    tokens.set(name, token)
    return token
  }
  for (const network of networks) {
    const wallet = refundWallets.get(network.caip2)
    if (wallet !== undefined) tokenOf(network).wallets.add(plainHex(wallet))
  }
  // A refund is recorded after its transfer, by another clock.
  const around = {
    fromMillis: span.fromMillis - skewMillis,
    beforeMillis: span.beforeMillis + marginMillis
  }
  yield* eachEntryPage(around, (page) =>
    Effect.gen(function* () {
      const refunds = page.filter(({ kind }) => kind === "refunded")
      if (refunds.length === 0) return
      const keys = Array.from(new Set(refunds.map(({ chargeKey }) => chargeKey)))
      const attempts = Map.groupBy(yield* charges.refundAttempts(keys), ({ chargeKey }) => chargeKey)
      for (const entry of refunds) {
        const network = networkOf(networks, entry)
        if (network === undefined || !isSameAsset(network, entry.asset)) continue
        const token = tokenOf(network)
        token.refunds.push(entry)
        for (const { wallet } of attempts.get(entry.chargeKey) ?? []) token.wallets.add(wallet)
      }
    })
  )
  return Array.from(tokens.values()).filter(({ wallets }) => wallets.size > 0)
})

/** Reads what left the wallets of a token; `isComplete`: all of it. */
const readOutflows = Effect.fnUntraced(function* (
  { network, wallets }: RefundToken,
  span: Span
): Effect.fn.Return<
  { readonly outflows: ReadonlyArray<Outflow>; readonly isComplete: boolean },
  never,
  Chain
> {
  const chain = yield* Chain
  const windows = windowsOf(span, yield* Clock.currentTimeMillis).filter(({ isInSpan }) => isInSpan)
  const outflows: Array<Outflow> = []
  let isComplete = wallets.size <= maxWallets
  for (const wallet of Array.from(wallets).slice(0, maxWallets)) {
    for (const { beforeMillis, fromMillis } of windows) {
      const seconds = {
        fromSeconds: Math.ceil(fromMillis / 1000),
        beforeSeconds: Math.ceil(beforeMillis / 1000)
      }
      const read = chain.canRead(network.caip2)
        ? yield* chain.transfersFrom?.(network, wallet, seconds) ?? Effect.undefined
        : undefined
      if (read === undefined) {
        isComplete = false
        break
      }
      for (const transfer of read.transfers) {
        // Anyone can make transfers of 0 in the name of a wallet.
        if (transfer.valueAtomic !== "0" && plainHex(transfer.to) !== wallet)
          outflows.push({ ...transfer, wallet })
      }
    }
  }
  return { outflows, isComplete }
})

/**
 * Lists what left the refund wallets in a span beside refunds. Notes refunds that name a transfer which another refund
 * is. `refundWallets`: those of the settings, by CAIP-2 network.
 */
export const findOtherOutflows = Effect.fn("findOtherOutflows")(function* (
  span: Span,
  networks: ReadonlyArray<PaidTo>,
  refundWallets: ReadonlyMap<string, string>,
  note: (chargeKey: string, fault: string) => void
): Effect.fn.Return<OtherOutflows, StoreError, Charges | Chain> {
  const unread = new Set<string>()
  const first: Array<OtherOutflow> = []
  let transfers = 0
  for (const token of yield* tokensOf(span, networks, refundWallets)) {
    const { asset, caip2 } = token.network
    const { isComplete, outflows } = yield* readOutflows(token, span)
    if (!isComplete) unread.add(caip2)
    const { others, shared } = matchRefunds(outflows, token.refunds)
    transfers += others.length
    for (const { logIndex, to, transaction, valueAtomic, wallet } of others.slice(
      0,
      maxListed - first.length
    ))
      first.push({
        network: caip2,
        asset,
        wallet,
        to,
        amountAtomic: BigInt(valueAtomic),
        transaction,
        logIndex
      })
    if (!isComplete) continue
    for (const { chargeKey } of shared) note(chargeKey, "its refund is a transfer that is another refund's")
  }
  return { transfers, first, unreadNetworks: Array.from(unread) }
})
