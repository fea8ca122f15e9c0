import { Effect } from "effect"
import type { SolanaNetwork } from "../../../domain/Network.ts"
import { associatedTokenAccount } from "../../../domain/SolanaAddress.ts"
import type { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { transferIndex } from "../../exact/Solana.ts"
import type { IncomingTransfer, IncomingTransfers, TimeSpan } from "../TransferSearch.ts"
import { listSince } from "./SolanaListing.ts"
import { type LandedTransaction, type SolanaNode, SolanaNodeFailed, type TokenBalance } from "./SolanaNode.ts"

/*
 * Transfers to a wallet, for the comparison of ledger and chain: what each transaction that names the wallet's token
 * account changed in the balances of the mint. A transaction counts as one transfer.
 */

/** Transactions that are read for one span; with more, the chain counts as unreadable. */
const limits = { pages: 10, signatures: 2_000 }
const readsAtOnce = 4

/** A transaction's effect on a wallet; `undefined`: none, or money went out. */
export type TransferCache = BoundedMap<string, IncomingTransfer | "None">

/** How much the balances of each owner grew, in atomic units of one mint. */
const changesOf = (
  { postTokenBalances, preTokenBalances }: LandedTransaction["meta"],
  mint: string
): ReadonlyMap<string, bigint> => {
  const changes = new Map<string, bigint>()
  const add = (balances: ReadonlyArray<TokenBalance> | null | undefined, sign: bigint): void => {
    for (const balance of balances ?? []) {
      if (balance.mint !== mint || typeof balance.owner !== "string") continue
      const change = sign * BigInt(balance.uiTokenAmount.amount)
      changes.set(balance.owner, (changes.get(balance.owner) ?? 0n) + change)
    }
  }
  add(postTokenBalances, 1n)
  add(preTokenBalances, -1n)
  return changes
}

/** What a transaction paid to a wallet, and the owner whose balance fell most. Pure. */
export const transferTo = (
  signature: string,
  { blockTime, meta }: LandedTransaction,
  { mint, to }: { readonly mint: string; readonly to: string }
): IncomingTransfer | undefined => {
  if (meta.err !== null) return undefined
  const changes = changesOf(meta, mint)
  const received = changes.get(to) ?? 0n
  if (received <= 0n) return undefined
  const [from] = Array.from(changes).reduce<readonly [string, bigint]>(
    (least, change) => (change[1] < least[1] ? change : least),
    ["", 0n]
  )
  return {
    transaction: signature,
    logIndex: transferIndex,
    from,
    valueAtomic: received.toString(),
    ...(typeof blockTime === "number" ? { atSeconds: blockTime } : {})
  }
}

/** Finds every transfer to a wallet in a span of time; `undefined` if that takes too many reads. */
export const searchSolanaTransfers = Effect.fnUntraced(function* (
  node: SolanaNode,
  { asset: mint, tokenProgram }: Pick<SolanaNetwork, "asset" | "tokenProgram">,
  to: string,
  { span: { beforeSeconds, fromSeconds }, cache }: { readonly span: TimeSpan; readonly cache: TransferCache }
): Effect.fn.Return<IncomingTransfers | undefined, SolanaNodeFailed> {
  const clock = yield* node.clock
  const { slot } = clock
  const account = associatedTokenAccount(to, mint, tokenProgram)
  const { isComplete, signatures } = yield* listSince(
    node,
    account,
    { clock, sinceSeconds: fromSeconds, beforeSeconds },
    limits
  )
  if (!isComplete) return undefined
  const transferIn = Effect.fnUntraced(function* (
    signature: string
  ): Effect.fn.Return<IncomingTransfer | "None", SolanaNodeFailed> {
    const key = `${to} ${signature}`
    const known = cache.get(key)
    if (known !== undefined) return known
    const landed = yield* node.transaction(signature)
    if (landed === undefined) return yield* new SolanaNodeFailed({ error: "TransactionNotFound" })
    const transfer = transferTo(signature, landed, { mint, to }) ?? "None"
    // A final transaction stays as it is.
    if (landed.slot <= slot) cache.set(key, transfer)
    return transfer
  })
  const read = yield* Effect.forEach(signatures.toReversed(), transferIn, { concurrency: readsAtOnce })
  const transfers = read.filter((each) => each !== "None")
  return { fromBlock: 0n, toBlock: BigInt(slot), transfers }
})
