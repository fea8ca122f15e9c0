import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import { type ContractCall, nonceKey, transferCall } from "./Calls.ts"
import { type Emitted, FiatToken, Reverted } from "./FiatToken.ts"
import type { MoneyChain, Transfer } from "./MoneyChain.ts"
import type { SignedTransaction } from "./SignedTransaction.ts"

/** Time from one block to the next. */
export const blockMillis = 2_000
/** Blocks before the run starts, so that searches can look back. */
const blocksBefore = 20_000

/** A log of a block. `index` counts the logs of its block. */
export interface ChainLog extends Emitted {
  readonly block: number
  readonly index: number
  readonly transaction: string
  readonly transactionIndex: number
}

/** A transaction in the block that contains it. */
export interface MinedTransaction {
  readonly hash: string
  readonly calls: ReadonlyArray<ContractCall>
  readonly block: number
  readonly index: number
  /** Time of its block. */
  readonly minedMillis: number
  /** When it was included. */
  readonly includedMillis: number
  /** Why it was reverted; `undefined` if it succeeded. */
  readonly revertReason: string | undefined
  readonly logs: ReadonlyArray<ChainLog>
  /** The relayer's transaction that it is; `undefined`: another account sent it. */
  readonly signed: SignedTransaction | undefined
}

/** The outcome of a submitted authorization, and when it becomes visible. */
export interface SendResult {
  readonly outcome: "moved" | "used" | "expired" | "too early" | "insufficient" | "invalid"
  readonly transaction: string
  readonly minedMillis: number
}

const outcomes: ReadonlyMap<string, SendResult["outcome"]> = new Map([
  ["authorization is used or canceled", "used"],
  ["authorization is expired", "expired"],
  ["authorization is not yet valid", "too early"],
  ["transfer amount exceeds balance", "insufficient"]
])

interface Fork {
  readonly fromBlock: number
  readonly salt: string
}

/**
 * A chain with one token, a block every two seconds, and reorganizations. A transaction is executed in the
 * next block when it is submitted, and becomes visible at that block's time.
 */
export class SimulatedChain implements MoneyChain {
  readonly visibilityMillis = blockMillis
  readonly token = new FiatToken()
  private readonly random: SeededRandom
  private readonly now: () => number
  private readonly genesisMillis: number
  private readonly blocks = new Map<number, Array<MinedTransaction>>()
  private readonly transactions = new Map<string, MinedTransaction>()
  /** Salts of block hashes: a reorganization changes the hashes from a height on. */
  private forks: Array<Fork> = [{ fromBlock: 0, salt: "0".repeat(16) }]
  private reorganizations = 0
  /** Receives the relayer's transactions of lost blocks, in the order of their numbers. */
  onOrphaned: (transactions: ReadonlyArray<SignedTransaction>) => void = () => undefined
  /** Transfers that reorganizations undid, by nonce, recipient and value. */
  private readonly undone = new Set<string>()

  constructor(now: () => number, random: SeededRandom) {
    this.now = now
    this.random = random
    this.genesisMillis = Math.floor(now() / blockMillis) * blockMillis - blocksBefore * blockMillis
  }

  /** The latest block at a time. */
  blockAt(millis: number): number {
    return Math.max(0, Math.floor((millis - this.genesisMillis) / blockMillis))
  }

  millisOf(block: number): number {
    return this.genesisMillis + block * blockMillis
  }

  get latest(): number {
    return this.blockAt(this.now())
  }

  hashOf(block: number): `0x${string}` {
    const { salt } = this.forks.findLast(({ fromBlock }) => fromBlock <= block)!
    return `0x${salt}${block.toString(16).padStart(48, "0")}`
  }

  /** The block with a hash, if it is canonical. */
  blockOf(hash: string): number | undefined {
    const block = Number.parseInt(hash.slice(-12), 16)
    return this.hashOf(block) === hash.toLowerCase() ? block : undefined
  }

  transactionsOf(block: number): ReadonlyArray<MinedTransaction> {
    return this.blocks.get(block) ?? []
  }

  transactionOf(hash: string): MinedTransaction | undefined {
    return this.transactions.get(hash.toLowerCase())
  }

  /** Logs of a range of blocks, in order. */
  logsBetween(first: number, last: number): ReadonlyArray<ChainLog> {
    const numbers = Array.from(this.blocks.keys()).filter((block) => first <= block && block <= last)
    return numbers
      .toSorted((left, right) => left - right)
      .flatMap((block) => this.transactionsOf(block).flatMap(({ logs }) => logs))
  }

  /** The relayer's transactions up to a block. */
  signedUpTo(block: number): ReadonlyArray<MinedTransaction> {
    return Array.from(this.transactions.values()).filter(
      (mined) => mined.signed !== undefined && mined.block <= block
    )
  }

  isOwnSettlement(hash: string): boolean {
    return this.transactionOf(hash)?.signed !== undefined
  }

  /** Executes a transaction in the next block. */
  submit(calls: ReadonlyArray<ContractCall>): MinedTransaction {
    return this.include(this.random.hex(32), calls, this.latest + 1)
  }

  /** Submits a signed authorization, from any sender. */
  send(authorization: Authorization): SendResult {
    const { hash, minedMillis, revertReason } = this.submit([
      { sender: "0x00000000000000000000000000000000000005e7", call: transferCall(authorization) }
    ])
    const outcome = revertReason === undefined ? "moved" : (outcomes.get(revertReason) ?? "invalid")
    return { outcome, transaction: hash, minedMillis }
  }

  /** The transfer by which an authorization's own call moved its value to its recipient, now or in the next block. */
  transferOf(authorization: Authorization): Transfer | undefined {
    const key = nonceKey(authorization)
    const use = this.token.useOf(key)
    if (use?.moved?.to !== authorization.to.toLowerCase()) return undefined
    if (use.moved.value !== BigInt(authorization.value)) return undefined
    return transfersOf(this.transactions.get(use.transaction)!).find((transfer) => transfer.nonceKey === key)
  }

  /** When a block used an authorization's nonce for something else: no transfer can follow. */
  wastedMillis(authorization: Authorization): number | undefined {
    const use = this.token.useOf(nonceKey(authorization), this.latest)
    return use === undefined || this.transferOf(authorization) !== undefined
      ? undefined
      : this.millisOf(use.block)
  }

  /** Whether an authorization moved its value before a reorganization undid that. */
  hasEverMoved(authorization: Authorization): boolean {
    const { to, value } = authorization
    return (
      this.undone.size > 0 &&
      this.undone.has(undoneKey({ nonceKey: nonceKey(authorization), to: to.toLowerCase(), value }))
    )
  }

  get isReorganized(): boolean {
    return this.reorganizations > 0
  }

  /** Whether a nonce is used in the latest block. */
  isUsed(authorization: Authorization): boolean {
    return this.token.useOf(nonceKey(authorization), this.latest) !== undefined
  }

  balanceOf(address: string): bigint {
    return this.token.balanceOf(address, this.latest)
  }

  /** Every transfer of the canonical chain, including the next block. */
  get transfers(): ReadonlyArray<Transfer> {
    return Array.from(this.blocks.values()).flat().flatMap(transfersOf)
  }

  /**
   * Replaces the latest blocks. Their transactions are included again in other blocks, returned for later, or
   * dropped.
   *
   * @param before transactions that come first in the new blocks
   */
  reorganize(depth: number, before: () => ReadonlyArray<ReadonlyArray<ContractCall>>): ReadonlyArray<Orphan> {
    const { random } = this
    const fork = this.latest - depth
    const orphaned = Array.from(this.blocks.values())
      .flat()
      .filter(({ block }) => block > fork)
    for (const transaction of orphaned) {
      for (const transfer of transfersOf(transaction))
        if (transfer.minedMillis <= this.now()) this.undone.add(undoneKey(transfer))
    }
    this.token.revertTo(fork)
    for (const { block, hash } of orphaned) {
      this.blocks.delete(block)
      this.transactions.delete(hash)
    }
    const salt = (++this.reorganizations).toString(16).padStart(4, "0") + random.hex(6).slice(2)
    this.forks = [...this.forks.filter(({ fromBlock }) => fromBlock <= fork), { fromBlock: fork + 1, salt }]
    for (const calls of before()) this.include(random.hex(32), calls, fork + 1)
    const mode = () => random.weighted({ "at once": 5, later: 3, never: 2 })
    const placements = orphaned
      .filter(({ signed }) => signed === undefined)
      .map(({ calls, hash }) => ({ calls, hash, mode: mode() }))
    placements
      .filter((orphan) => orphan.mode === "at once")
      .map((orphan) => ({ ...orphan, block: random.between(fork + 1, this.latest + 1) }))
      .toSorted((left, right) => left.block - right.block)
      .forEach(({ block, calls, hash }) => this.include(hash, calls, block))
    this.onOrphaned(orphaned.flatMap(({ signed }) => signed ?? []))
    return placements.filter((orphan) => orphan.mode === "later")
  }

  /** Includes a transaction that a reorganization dropped. */
  resubmit({ calls, hash }: Orphan): MinedTransaction {
    return this.transactions.get(hash) ?? this.include(hash, calls, this.latest + 1)
  }

  /** Executes a transaction in a block. `signed`: it is the relayer's. */
  include(
    hash: string,
    calls: ReadonlyArray<ContractCall>,
    block: number,
    signed?: SignedTransaction
  ): MinedTransaction {
    const others = this.blocks.get(block) ?? []
    if (others.length === 0) this.blocks.set(block, others)
    const minedMillis = this.millisOf(block)
    const logsBefore = others.reduce((sum, { logs }) => sum + logs.length, 0)
    let emitted: ReadonlyArray<Emitted> = []
    let revertReason: string | undefined
    try {
      emitted = this.token.execute(calls, { block, atSeconds: minedMillis / 1000, transaction: hash })
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      revertReason = error.message
    }
    const place = { block, transaction: hash, transactionIndex: others.length }
    const logs = emitted.map((event, index) => ({ ...event, ...place, index: logsBefore + index }))
    const includedMillis = this.now()
    const mined = {
      hash,
      calls,
      block,
      index: others.length,
      minedMillis,
      includedMillis,
      revertReason,
      logs,
      signed
    }
    others.push(mined)
    this.transactions.set(hash, mined)
    return mined
  }
}

const undoneKey = ({
  nonceKey: key,
  to,
  value
}: {
  readonly nonceKey: string | undefined
  readonly to: string
  readonly value: bigint | string
}): string => `${key} ${to} ${value}`

/** A transaction that is no longer in any block. */
export interface Orphan {
  readonly hash: string
  readonly calls: ReadonlyArray<ContractCall>
}

const transfersOf = ({ includedMillis, logs, minedMillis }: MinedTransaction): ReadonlyArray<Transfer> =>
  logs.flatMap(({ event, index, isImitation, nonceKey: key, transaction }) =>
    isImitation || event._tag !== "Transfer"
      ? []
      : [
          {
            from: event.from,
            to: event.to,
            value: event.value,
            transaction,
            logIndex: index,
            minedMillis,
            visibleMillis: Math.max(minedMillis, includedMillis),
            nonceKey: key
          }
        ]
  )
