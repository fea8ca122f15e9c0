import { Effect } from "effect"
import type { SolanaNetwork } from "../../../domain/Network.ts"
import { associatedTokenAccount } from "../../../domain/SolanaAddress.ts"
import { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { transferIndex } from "../../exact/Solana.ts"
import type { IncomingTransfer, IncomingTransfers, TimeSpan } from "../TransferSearch.ts"
import { walkBack } from "./SolanaListing.ts"
import { type LandedTransaction, type SolanaNode, SolanaNodeFailed, type TokenBalance } from "./SolanaNode.ts"

/*
 * Transfers to a wallet, for the comparison of ledger and chain: what each transaction that names the wallet's token
 * account changed in the balances of the mint. A transaction counts as one transfer.
 */

/** Between the begin of a walk and the end of its span: a million transactions. */
const maxPages = 1_000
const readsAtOnce = 10

/** A transaction in the list of an account, with the time of its block. */
interface ListPosition {
  readonly account: string
  readonly signature: string
  readonly seconds: number
}

/** What earlier searches on this network have found out. Whatever a search can't read, the next one goes on with. */
export class TransferMemory {
  /** A transaction's effect on a wallet; `None`: none, or money went out. */
  readonly found: BoundedMap<string, IncomingTransfer | "None">
  private readonly maxPositions: number
  private positions: ReadonlyArray<ListPosition> = []

  constructor(limits: { readonly transactions: number; readonly positions: number }) {
    this.found = new BoundedMap(limits.transactions)
    this.maxPositions = limits.positions
  }

  /** Where the list of an account is known to begin with transactions from before a time; `undefined`: nowhere. */
  before(account: string, seconds: number): string | undefined {
    return this.positions
      .filter((position) => position.account === account && position.seconds >= seconds)
      .toSorted((left, right) => left.seconds - right.seconds)[0]?.signature
  }

  addPosition(position: ListPosition): void {
    const others = this.positions.filter(({ signature }) => signature !== position.signature)
    this.positions = [...others, position].slice(-this.maxPositions)
  }
}

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

/** Lists the transactions of a span that name an account, oldest first; `undefined`: not all of them can be listed. */
const listSpan = Effect.fnUntraced(function* (
  node: SolanaNode,
  account: string,
  { beforeSeconds, fromSeconds }: TimeSpan,
  { memory, slot }: { readonly memory: TransferMemory; readonly slot: number }
): Effect.fn.Return<ReadonlyArray<string> | undefined, SolanaNodeFailed> {
  const signatures: Array<string> = []
  const before = memory.before(account, beforeSeconds)
  const walk = { address: account, slot, sinceSeconds: fromSeconds, before, maxPages }
  const isComplete = yield* walkBack(node, walk, ({ entries, last }) =>
    Effect.sync(() => {
      for (const { blockTime, signature } of entries)
        if ((blockTime ?? -Infinity) < beforeSeconds) signatures.push(signature)
      // A fork can't undo a final transaction, and with it the place in the list.
      if (last.slot <= slot && typeof last.blockTime === "number")
        memory.addPosition({ account, signature: last.signature, seconds: last.blockTime })
      return true
    })
  )
  return isComplete ? signatures.toReversed() : undefined
})

/** Finds every transfer to a wallet in a span of time; `undefined` if the node doesn't list all transactions of it. */
export const searchSolanaTransfers = Effect.fnUntraced(function* (
  node: SolanaNode,
  { asset: mint, tokenProgram }: Pick<SolanaNetwork, "asset" | "tokenProgram">,
  to: string,
  { memory, span }: { readonly span: TimeSpan; readonly memory: TransferMemory }
): Effect.fn.Return<IncomingTransfers | undefined, SolanaNodeFailed> {
  const { slot } = yield* node.clock
  const account = associatedTokenAccount(to, mint, tokenProgram)
  const signatures = yield* listSpan(node, account, span, { memory, slot })
  if (signatures === undefined) return undefined
  const transferIn = Effect.fnUntraced(function* (
    signature: string
  ): Effect.fn.Return<IncomingTransfer | "None", SolanaNodeFailed> {
    const key = `${to} ${signature}`
    const known = memory.found.get(key)
    if (known !== undefined) return known
    const landed = yield* node.transaction(signature)
    if (landed === undefined) return yield* new SolanaNodeFailed({ error: "TransactionNotFound" })
    const transfer = transferTo(signature, landed, { mint, to }) ?? "None"
    // A final transaction stays as it is.
    if (landed.slot <= slot) memory.found.set(key, transfer)
    return transfer
  })
  const read = yield* Effect.forEach(signatures, transferIn, { concurrency: readsAtOnce })
  const transfers = read.filter((each) => each !== "None")
  return { fromBlock: 0n, toBlock: BigInt(slot), transfers }
})
