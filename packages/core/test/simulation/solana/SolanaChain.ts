import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto"
import { fromBase58, toBase58 } from "../../../src/domain/Base58.ts"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import type { MoneyChain, Transfer } from "../chain/MoneyChain.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import type { Slots } from "./Slots.ts"
import { InstructionFailed, type TokenAccounts, type TokenMove } from "./TokenAccounts.ts"
import type { WireTransaction } from "./WireTransaction.ts"

/** A block accepts a transaction whose blockhash is at most this many blocks older than its parent. */
export const maxBlockhashAge = 150
/** Blocks on top after which a block is final. */
const finalDepth = 32

export type Commitment = "processed" | "confirmed" | "finalized"

/** A transaction in a block. One that failed has paid its fee and moved nothing. */
export interface LandedTransaction {
  readonly wire: WireTransaction
  readonly slot: number
  /** When it was included. */
  readonly includedMillis: number
  readonly error: string | undefined
  readonly moves: ReadonlyArray<TokenMove>
  /** Balances of the token accounts that it names, by position in its accounts. */
  readonly before: ReadonlyMap<number, bigint>
  readonly after: ReadonlyMap<number, bigint>
}

/** What a switch to another fork did. */
export interface ForkSwitch {
  /** Transactions that can be sent again. */
  readonly dropped: ReadonlyArray<WireTransaction>
  /** Number of transactions that are in the new blocks. */
  readonly kept: number
  /** Number of confirmed transfers that were undone, for a while or for good. */
  readonly undone: number
}

/** Why no block includes a transaction; `landed`: a block does. */
export type Inclusion = "landed" | "already processed" | "blockhash not found" | "invalid signature"

interface Fork {
  readonly fromSlot: number
  readonly salt: number
}

/**
 * A Solana chain with one token, by the rules of its validators: a message is accepted once, by a block on the fork of
 * its blockhash, while that is recent; forks in which blocks disappear with their transactions.
 */
export class SolanaChain implements MoneyChain {
  readonly slots: Slots
  readonly accounts: TokenAccounts
  private readonly now: () => number
  private readonly random: SeededRandom
  /** Seconds by which the chain's clock is ahead: validators vote on it. */
  private readonly driftSeconds: number
  private readonly confirmedDepth: number
  private readonly landed = new Map<string, LandedTransaction>()
  private readonly hashes = new Map<string, string>()
  private readonly slotOfHash = new Map<string, number>()
  private readonly keys = new Map<string, KeyObject>()
  private forks: Array<Fork> = [{ fromSlot: 0, salt: 0 }]
  private forksLost = 0
  private hasLostConfirmed = false
  /** Transfers that were confirmed and then undone, by digest, recipient and value. */
  private readonly undone = new Set<string>()

  constructor(options: {
    readonly now: () => number
    readonly random: SeededRandom
    readonly slots: Slots
    readonly accounts: TokenAccounts
    readonly driftSeconds: number
    /** Blocks on top after which two thirds of the stake have voted for a block. */
    readonly confirmedDepth: number
  }) {
    this.now = options.now
    this.random = options.random
    this.slots = options.slots
    this.accounts = options.accounts
    this.driftSeconds = options.driftSeconds
    this.confirmedDepth = options.confirmedDepth
  }

  /** The latest block. */
  get latest(): number {
    return this.slots.blockAt(this.slots.slotAt(this.now()))
  }

  /** The latest block of a commitment, as seen by a node whose latest block is `latest`. */
  blockOf(commitment: Commitment, latest = this.latest): number {
    const depth = { processed: 0, confirmed: this.confirmedDepth, finalized: finalDepth }[commitment]
    return this.slots.slotOf(this.slots.heightOf(latest) - depth)
  }

  /** Seconds since the epoch, as the chain counts them. */
  secondsOf(slot: number): number {
    return Math.floor(this.slots.millisOf(slot) / 1000) + this.driftSeconds
  }

  hashOf(slot: number): string {
    const { salt } = this.forks.findLast(({ fromSlot }) => fromSlot <= slot)!
    const block = `block ${slot} ${salt}`
    const hash = this.hashes.get(block) ?? toBase58(createHash("sha256").update(block).digest())
    this.hashes.set(block, hash)
    this.slotOfHash.set(hash, slot)
    return hash
  }

  /** Whether the block after `slot` accepts a blockhash. */
  isRecent(hash: string, slot: number): boolean {
    const named = this.slotOfHash.get(hash)
    if (named === undefined || named > slot || this.hashOf(named) !== hash) return false
    return this.slots.heightOf(slot) - this.slots.heightOf(named) <= maxBlockhashAge
  }

  /** When the last block that accepts a blockhash is expected. */
  expiryMillisOf(hash: string): number | undefined {
    const named = this.slotOfHash.get(hash)
    return named === undefined
      ? undefined
      : this.slots.millisOf(this.slots.slotOf(this.slots.heightOf(named) + maxBlockhashAge))
  }

  /** Whether no block will ever include a message with this blockhash that isn't in a final block by now. */
  isOver(hash: string): boolean {
    return !this.isRecent(hash, this.blockOf("finalized")) && !this.isRecent(hash, this.latest)
  }

  /** Offers a transaction to the leader of the next block. */
  include(wire: WireTransaction, slot = this.slots.blockAfter(this.slots.slotAt(this.now()))): Inclusion {
    if (!this.isSigned(wire)) return "invalid signature"
    // The parent is the block before.
    if (!this.isRecent(wire.blockhash, this.slots.blockAt(slot - 1))) return "blockhash not found"
    if (this.landed.has(wire.digest)) return "already processed"
    const balances = () =>
      new Map(
        wire.accounts.flatMap((account, index) =>
          this.accounts.ownerOf(account) === undefined
            ? []
            : [[index, this.accounts.balanceOf(account)] as const]
        )
      )
    const before = balances()
    const { error, moves } = this.execute(wire, slot)
    const after = balances()
    this.landed.set(wire.digest, { wire, slot, includedMillis: this.now(), error, moves, before, after })
    return "landed"
  }

  /** Simulates a transaction in the next block, without checking signatures. `readsBlocks`: fails if a block has it already. */
  wouldSucceed(wire: WireTransaction, readsBlocks = true): boolean {
    if (!this.isRecent(wire.blockhash, this.latest)) return false
    if (readsBlocks && this.landed.has(wire.digest)) return false
    try {
      this.accounts.simulate(wire)
      return true
    } catch (error) {
      if (!(error instanceof InstructionFailed)) throw error
      return false
    }
  }

  /** Whether the signature at a position is that of the account there. */
  isSignedBy({ accounts, message, signatures }: WireTransaction, position: number): boolean {
    return verify(null, message, this.keyOf(accounts[position]!), signatures[position]!)
  }

  landedAs(digest: string): LandedTransaction | undefined {
    return this.landed.get(digest)
  }

  /** All transactions of the canonical chain in the order of their blocks. */
  get all(): ReadonlyArray<LandedTransaction> {
    return Array.from(this.landed.values()).toSorted((left, right) => left.slot - right.slot)
  }

  /** Whether blocks have disappeared that nobody expected to. */
  get isReorganized(): boolean {
    return this.hasLostConfirmed
  }

  get visibilityMillis(): number {
    return (this.confirmedDepth + 2) * this.slots.slotMillis
  }

  get transfers(): ReadonlyArray<Transfer> {
    return this.all.flatMap((landed) => this.transfersOf(landed))
  }

  readonly token = {
    balanceOf: (owner: string): bigint =>
      this.accounts.accountsOf(owner).reduce((sum, account) => sum + this.accounts.balanceOf(account), 0n)
  }

  transferOf({ from, nonce, to, value }: Authorization): Transfer | undefined {
    const landed = this.landed.get(nonce.split(".")[1] ?? "")
    if (landed === undefined) return undefined
    return this.transfersOf(landed).find(
      (transfer) => transfer.from === from && transfer.to === to && transfer.value === BigInt(value)
    )
  }

  /** A payment lacks the fee payer's signature until its facilitator has signed it. */
  isOwnSettlement(): boolean {
    return true
  }

  /** No transaction of a payer makes another one impossible. */
  wastedMillis(): undefined {
    return undefined
  }

  hasEverMoved({ nonce, to, value }: Authorization): boolean {
    return this.undone.has(`${nonce.split(".")[1]} ${to} ${value}`)
  }

  /** Switches to another fork: the latest blocks are replaced. Some of their transactions are in the new blocks. */
  reorganize(depth: number): ForkSwitch {
    const { latest, random, slots } = this
    const fork = slots.slotOf(slots.heightOf(latest) - depth)
    const confirmed = this.blockOf("confirmed")
    let undone = 0
    if (depth > this.confirmedDepth) this.hasLostConfirmed = true
    const orphaned = this.all.filter(({ slot }) => slot > fork)
    for (const landed of orphaned) {
      if (landed.slot <= confirmed)
        for (const { to, value } of this.transfersOf(landed)) {
          this.undone.add(`${landed.wire.digest} ${to} ${value}`)
          undone++
        }
      this.landed.delete(landed.wire.digest)
    }
    this.accounts.revertTo(fork)
    this.forks = [
      ...this.forks.filter(({ fromSlot }) => fromSlot <= fork),
      { fromSlot: fork + 1, salt: ++this.forksLost }
    ]
    const dropped: Array<WireTransaction> = []
    let slot = fork
    for (const { wire } of orphaned) {
      slot = Math.max(slot, slots.blockAfter(random.between(slot - 1, slots.slotAt(this.now()))))
      const isKept = random.chance(0.5)
      if (!isKept || this.include(wire, slot) !== "landed") dropped.push(wire)
    }
    return { dropped, kept: orphaned.length - dropped.length, undone }
  }

  private execute(
    wire: WireTransaction,
    slot: number
  ): { readonly error: string | undefined; readonly moves: ReadonlyArray<TokenMove> } {
    try {
      return { error: undefined, moves: this.accounts.execute(wire, slot) }
    } catch (error) {
      if (!(error instanceof InstructionFailed)) throw error
      return { error: error.message, moves: [] }
    }
  }

  private transfersOf({ includedMillis, moves, slot, wire }: LandedTransaction): ReadonlyArray<Transfer> {
    const minedMillis = this.slots.millisOf(slot)
    const confirmedSlot = this.slots.slotOf(this.slots.heightOf(slot) + this.confirmedDepth)
    return moves.map(({ destination, index, source, value }) => ({
      from: this.accounts.ownerOf(source)!,
      to: this.accounts.ownerOf(destination)!,
      value,
      transaction: wire.signature,
      logIndex: index,
      minedMillis,
      visibleMillis: Math.max(includedMillis, this.slots.millisOf(confirmedSlot)),
      nonceKey: `${wire.blockhash}.${wire.digest}`
    }))
  }

  private isSigned(wire: WireTransaction): boolean {
    return wire.signatures.every((_, position) => this.isSignedBy(wire, position))
  }

  private keyOf(address: string): KeyObject {
    const known = this.keys.get(address)
    if (known !== undefined) return known
    const spki = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), fromBase58(address, 32)!])
    const key = createPublicKey({ key: spki, format: "der", type: "spki" })
    this.keys.set(address, key)
    return key
  }
}
