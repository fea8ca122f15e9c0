import { getBase58Decoder, type Address, type EncodedAccount } from "@solana/kit"
import { FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from "litesvm"
import { blockhashLifetime, slotsWithoutBlock, type Slots } from "./Slots.ts"
import { readTokenAccount } from "./Tokens.ts"
import { landsInBlock, transactionErrorJson, type TransactionErrorJson } from "./TransactionErrors.ts"
import { loadedAddresses, type LoadedAddresses, type WireTransaction } from "./WireTransaction.ts"

/** An account's balance of a token, as part of a transaction. */
export interface TokenBalance {
  readonly accountIndex: number
  readonly mint: Address
  readonly owner: Address
  readonly program: Address
  readonly amount: bigint
}

/** What the accounts of a transaction held at one moment. */
export interface Balances {
  readonly lamports: ReadonlyArray<bigint>
  readonly tokens: ReadonlyArray<TokenBalance>
}

/** A transaction in a block. */
export interface LandedTransaction {
  readonly signature: string
  readonly wire: WireTransaction
  readonly slot: bigint
  readonly blockTimeSeconds: number
  readonly error: TransactionErrorJson | null
  readonly meta: TransactionMetadata
  readonly loaded: LoadedAddresses
  /** The message's own accounts, then those of its lookup tables. */
  readonly accounts: ReadonlyArray<Address>
  readonly before: Balances
  readonly after: Balances
}

/** What became of a simulated or sent transaction. Without metadata, it was refused before it ran. */
export interface Outcome {
  readonly error: TransactionErrorJson | null
  readonly meta: TransactionMetadata | undefined
}

export interface Simulation {
  readonly verifySignatures: boolean
  readonly checkBlockhash: boolean
}

/** Older transactions are forgotten. */
const maxTransactions = 100_000

/**
 * The Solana virtual machine with what it lacks: slots, blocks that expire, and the history of transactions.
 */
export class SolanaVm {
  readonly #slots: Slots
  readonly #finalitySlots: bigint
  #svm: LiteSVM
  /** Last valid block height of each blockhash. */
  #blockhashes = new Map<string, bigint>()
  #transactions = new Map<string, LandedTransaction>()
  #latestSlot = -1n
  /** Transactions that are accepted and then lost, as on a busy network. */
  dropsTransactions = false

  /** `finalitySlots`: slots after which a block is final. */
  constructor(slots: Slots, finalitySlots: number) {
    this.#slots = slots
    this.#finalitySlots = BigInt(finalitySlots)
    // Its own check knows only one blockhash at a time.
    this.#svm = new LiteSVM().withTransactionHistory(BigInt(maxTransactions)).withBlockhashCheck(false)
  }

  /** The slot at present. Each slot seen has a block with its own hash. */
  get slot(): bigint {
    const slot = this.#slots.now()
    if (slot === this.#latestSlot) return slot
    this.#latestSlot = slot
    const clock = this.#svm.getClock()
    clock.slot = slot
    clock.unixTimestamp = BigInt(this.secondsAt(slot))
    this.#svm.setClock(clock)
    this.#svm.expireBlockhash()
    const height = slot - slotsWithoutBlock
    this.#blockhashes.set(this.#svm.latestBlockhash(), height + blockhashLifetime)
    for (const [hash, lastValid] of this.#blockhashes) {
      if (lastValid >= height - this.#finalitySlots) break
      this.#blockhashes.delete(hash)
    }
    return slot
  }

  secondsAt(slot: bigint): number {
    return this.#slots.secondsAt(slot)
  }

  get blockHeight(): bigint {
    return this.slot - slotsWithoutBlock
  }

  /** The slot of the latest final block. */
  get finalSlot(): bigint {
    return this.slot - this.#finalitySlots
  }

  get latestBlockhash(): { readonly blockhash: string; readonly lastValidBlockHeight: bigint } {
    const lastValidBlockHeight = this.blockHeight + blockhashLifetime
    return { blockhash: this.#svm.latestBlockhash(), lastValidBlockHeight }
  }

  /** Whether the block after this height, by default the next one, accepts a blockhash. */
  isBlockhashValid(hash: string, height = this.blockHeight): boolean {
    const lastValid = this.#blockhashes.get(hash) ?? -1n
    return lastValid >= height && lastValid <= height + blockhashLifetime
  }

  /** An account; `undefined` if it doesn't exist. */
  account(address: Address): EncodedAccount | undefined {
    const account = this.#svm.getAccount(address)
    return account.exists && account.lamports > 0n ? account : undefined
  }

  accountsOf(program: Address): ReadonlyArray<EncodedAccount> {
    return this.#svm.getProgramAccounts(program)
  }

  setAccount(account: EncodedAccount): void {
    this.#svm.setAccount(account)
  }

  rentExemption(bytes: bigint): bigint {
    return this.#svm.minimumBalanceForRentExemption(bytes)
  }

  transaction(signature: string): LandedTransaction | undefined {
    return this.#transactions.get(signature)
  }

  /** All known transactions, oldest first. */
  transactions(): Iterable<LandedTransaction> {
    return this.#transactions.values()
  }

  simulate({ message, signature, transaction }: WireTransaction, options: Simulation): Outcome {
    if (signature !== undefined && this.#transactions.has(signature)) return refused("AlreadyProcessed")
    if (options.checkBlockhash && !this.isBlockhashValid(message.lifetimeToken)) {
      return refused("BlockhashNotFound")
    }
    this.#svm.withSigverify(options.verifySignatures)
    try {
      const result = this.#svm.simulateTransaction(transaction)
      const error = result instanceof FailedTransactionMetadata ? transactionErrorJson(result) : null
      return { error, meta: result.meta() }
    } finally {
      this.#svm.withSigverify(true)
    }
  }

  /** Runs a transaction, and puts it in a block if it may pay its fee. */
  send(wire: WireTransaction): Outcome {
    const { message, signature, transaction } = wire
    if (signature === undefined) return refused("SignatureFailure")
    if (this.#transactions.has(signature)) return refused("AlreadyProcessed")
    if (!this.isBlockhashValid(message.lifetimeToken)) return refused("BlockhashNotFound")
    if (this.dropsTransactions) return { error: null, meta: undefined }
    const loaded = loadedAddresses(message, (address) => this.account(address))
    const accounts = [...message.staticAccounts, ...loaded.writable, ...loaded.readonly]
    const before = this.#balances(accounts)
    const result = this.#svm.sendTransaction(transaction)
    const failed = result instanceof FailedTransactionMetadata
    const error = failed ? transactionErrorJson(result) : null
    const meta = failed ? result.meta() : result
    if (error !== null && !landsInBlock(error)) return { error, meta }
    this.#remember({
      signature,
      wire,
      slot: this.slot,
      blockTimeSeconds: this.secondsAt(this.slot),
      error,
      meta,
      loaded,
      accounts,
      before,
      after: this.#balances(accounts)
    })
    return { error, meta }
  }

  /** Gives lamports from the faucet; returns the transaction's signature. */
  airdrop(...[to, amount]: Parameters<LiteSVM["airdrop"]>): string | undefined {
    const result = this.#svm.airdrop(to, amount)
    if (result === null || result instanceof FailedTransactionMetadata) return undefined
    return getBase58Decoder().decode(result.signature())
  }

  /** Saves the state; the returned function brings it back, as if all later blocks were on a lost fork. */
  checkpoint(): () => void {
    const state = this.#svm.toBytes()
    const blockhashes = new Map(this.#blockhashes)
    const transactions = new Map(this.#transactions)
    return () => {
      this.#svm = LiteSVM.fromBytes(state).withBlockhashCheck(false).withSigverify(true)
      this.#blockhashes = new Map(blockhashes)
      this.#transactions = new Map(transactions)
      this.#latestSlot = -1n
    }
  }

  #remember(landed: LandedTransaction): void {
    this.#transactions.set(landed.signature, landed)
    if (this.#transactions.size <= maxTransactions) return
    for (const oldest of this.#transactions.keys()) {
      this.#transactions.delete(oldest)
      return
    }
  }

  #balances(accounts: ReadonlyArray<Address>): Balances {
    const found = accounts.map((address) => this.account(address))
    return {
      lamports: found.map((account) => account?.lamports ?? 0n),
      tokens: found.flatMap((account, accountIndex) => {
        const token = readTokenAccount(account)
        if (account === undefined || token === undefined) return []
        const { amount, mint, owner } = token
        return [{ accountIndex, mint, owner, program: account.programAddress, amount }]
      })
    }
  }
}

const refused = (error: TransactionErrorJson): Outcome => ({ error, meta: undefined })
