import { Effect } from "effect"
import type { SolanaNetwork } from "../../../domain/Network.ts"
import { associatedTokenAccount } from "../../../domain/SolanaAddress.ts"
import type { Authorization } from "../../../domain/PaymentPayload.ts"
import { readBase64Transaction } from "../../../domain/SolanaTransaction.ts"
import { BoundedMap } from "../../../runtime/BoundedMap.ts"
import { readSolanaNonce } from "../../exact/SignedPayment.ts"
import { transferIndex } from "../../exact/Solana.ts"
import type {
  FoundTransfers,
  IncomingTransfer,
  IncomingTransfers,
  OutgoingTransfer,
  OutgoingTransfers,
  TimeSpan
} from "../TransferSearch.ts"
import { type Place, walkBack } from "./SolanaListing.ts"
import { type LandedTransaction, type SolanaNode, SolanaNodeFailed, type TokenBalance } from "./SolanaNode.ts"

/*
 * Transfers to and from a wallet, for the comparison of ledger and chain: what each transaction that names the wallet's
 * token account changed in the balances of the mint. A transaction counts as one transfer.
 */

/** Between the begin of a walk and the end of its span: a million transactions. */
const maxPages = 1_000
const readsAtOnce = 10

/** A transaction in the list of an account, with the time of its block. */
interface ListPosition extends Place {
  readonly account: string
  readonly seconds: number
}

/** How a transaction changed the balance of a wallet. */
interface BalanceChange {
  readonly transaction: string
  readonly logIndex: number
  readonly change: bigint
  /** The owner whose balance changed most the other way; empty: none. */
  readonly other: string
  readonly atSeconds?: number
  /** Digest of the transaction's message. */
  readonly digest: string
}

/** What earlier searches on this network have found out. Whatever a search can't read, the next one goes on with. */
export class TransferMemory {
  /** A transaction's effect on a wallet. */
  readonly found: BoundedMap<string, BalanceChange | "None">
  private readonly maxPositions: number
  private positions: ReadonlyArray<ListPosition> = []

  constructor(limits: { readonly transactions: number; readonly positions: number }) {
    this.found = new BoundedMap(limits.transactions)
    this.maxPositions = limits.positions
  }

  /** Where the list of an account is known to begin with transactions from before a time; `undefined`: nowhere. */
  before(account: string, seconds: number): Place | undefined {
    return this.positions
      .filter((position) => position.account === account && position.seconds >= seconds)
      .toSorted((left, right) => left.seconds - right.seconds)[0]
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

/** The digest of a transaction's message; empty for one that can't be read, which no payment is. */
const digestOf = (base64: string): string => {
  const reading = readBase64Transaction(base64)
  return reading._tag === "Malformed" ? "" : reading.transaction.digest
}

/** What a transaction changed in the balance of a wallet; `undefined`: nothing. Pure. */
export const changeOf = (
  signature: string,
  { blockTime, meta, transaction }: LandedTransaction,
  { mint, wallet }: { readonly mint: string; readonly wallet: string }
): BalanceChange | undefined => {
  if (meta.err !== null) return undefined
  const changes = changesOf(meta, mint)
  const change = changes.get(wallet) ?? 0n
  if (change === 0n) return undefined
  const sign = change < 0n ? -1n : 1n
  const [other] = Array.from(changes).reduce<readonly [string, bigint]>(
    (most, each) => (sign * each[1] < sign * most[1] ? each : most),
    ["", 0n]
  )
  return {
    transaction: signature,
    logIndex: transferIndex,
    change,
    other,
    digest: digestOf(transaction[0]),
    ...(typeof blockTime === "number" ? { atSeconds: blockTime } : {})
  }
}

const placeOf = ({ atSeconds, logIndex, transaction }: BalanceChange) => ({
  transaction,
  logIndex,
  ...(atSeconds === undefined ? {} : { atSeconds })
})

const incoming = (found: BalanceChange): ReadonlyArray<IncomingTransfer> =>
  found.change > 0n ? [{ ...placeOf(found), from: found.other, valueAtomic: found.change.toString() }] : []

const outgoing = (found: BalanceChange): ReadonlyArray<OutgoingTransfer> =>
  found.change < 0n ? [{ ...placeOf(found), to: found.other, valueAtomic: (-found.change).toString() }] : []

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
        memory.addPosition({ account, ...last, seconds: last.blockTime })
      return true
    })
  )
  return isComplete ? signatures.toReversed() : undefined
})

type Token = Pick<SolanaNetwork, "asset" | "tokenProgram">

interface Search {
  readonly span: TimeSpan
  readonly memory: TransferMemory
}

/** Reads the transactions of a wallet in a span; `undefined` if the node doesn't list all of them. */
const searchChanges = Effect.fnUntraced(function* <A>(
  node: SolanaNode,
  { asset: mint, tokenProgram }: Token,
  wallet: string,
  { memory, span }: Search,
  select: (change: BalanceChange) => ReadonlyArray<A>
): Effect.fn.Return<FoundTransfers<A> | undefined, SolanaNodeFailed> {
  const { slot } = yield* node.clock
  const account = associatedTokenAccount(wallet, mint, tokenProgram)
  const signatures = yield* listSpan(node, account, span, { memory, slot })
  if (signatures === undefined) return undefined
  const changeIn = Effect.fnUntraced(function* (
    signature: string
  ): Effect.fn.Return<BalanceChange | "None", SolanaNodeFailed> {
    const key = `${wallet} ${signature}`
    const known = memory.found.get(key)
    if (known !== undefined) return known
    const landed = yield* node.transaction(signature)
    if (landed === undefined) return yield* new SolanaNodeFailed({ error: "TransactionNotFound" })
    const change = changeOf(signature, landed, { mint, wallet }) ?? "None"
    // A final transaction stays as it is.
    if (landed.slot <= slot) memory.found.set(key, change)
    return change
  })
  const read = yield* Effect.forEach(signatures, changeIn, { concurrency: readsAtOnce })
  const transfers = read.flatMap((each) => (each === "None" ? [] : select(each)))
  return { fromBlock: 0n, toBlock: BigInt(slot), transfers }
})

/** Finds every transfer to a wallet in a span of time; `undefined` if the node doesn't list all transactions of it. */
export const searchSolanaTransfers = (
  node: SolanaNode,
  token: Token,
  to: string,
  search: Search
): Effect.Effect<IncomingTransfers | undefined, SolanaNodeFailed> =>
  searchChanges(node, token, to, search, incoming)

/** The same, of transfers from a wallet. */
export const searchSolanaOutgoing = (
  node: SolanaNode,
  token: Token,
  from: string,
  search: Search
): Effect.Effect<OutgoingTransfers | undefined, SolanaNodeFailed> =>
  searchChanges(node, token, from, search, outgoing)

/**
 * Finds which payments are in the transactions of their recipients in a span of time; `undefined` if the node doesn't list
 * all of them, or has no final block after the span yet. A payment is the transaction with its very message, if that grew the recipient's balance by its amount.
 */
export const searchSolanaPaid = Effect.fnUntraced(function* (
  node: SolanaNode,
  token: Token,
  authorizations: ReadonlyArray<Authorization>,
  search: Search
): Effect.fn.Return<ReadonlyArray<string | undefined> | undefined, SolanaNodeFailed> {
  if ((yield* node.clock).seconds < search.span.beforeSeconds) return undefined
  const paid = new Map<string, string>()
  const nameOf = (to: string, digest: string | undefined, amount: string): string =>
    `${to} ${digest} ${amount}`
  // The till's, and rarely one that it had before.
  for (const to of new Set(authorizations.map((authorization) => authorization.to))) {
    const read = yield* searchChanges(node, token, to, search, (change) => [change])
    if (read === undefined) return undefined
    for (const { change, digest, transaction } of read.transfers)
      paid.set(nameOf(to, digest, change.toString()), transaction)
  }
  return authorizations.map(({ nonce, to, value }) =>
    paid.get(nameOf(to, readSolanaNonce(nonce)?.digest, value))
  )
})
