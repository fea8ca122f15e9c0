import type { SeededRandom } from "../SeededRandom.ts"
import { RpcFailure } from "./RpcFailure.ts"
import type { RelayFaults } from "./RelayFaults.ts"
import type { MinedTransaction, SimulatedChain } from "./SimulatedChain.ts"
import { intrinsicGas, type SignedTransaction } from "./SignedTransaction.ts"

/** Of one account, nodes keep this many transactions beyond the next one. */
const maxGap = 64
/** What most blocks ask for, in wei. */
const usualBaseFee = 1_000_000_000n
/** What wallets offer on top. */
export const usualTip = 100_000_000n

interface Pending {
  readonly transaction: SignedTransaction
  /** From then on, block builders have it. */
  readonly fromMillis: number
  /** When another node spreads it again, after this one has forgotten it. */
  readonly forgottenUntilMillis: number | undefined
}

/**
 * The relayer's transactions on their way into blocks, by the rules of Ethereum's nodes: one per number, numbers without
 * a gap, fees of the block, replacements for a tenth more.
 */
export class TransactionPool {
  /** Every transaction that is known anywhere, by hash: also replaced ones, which some builders still have. */
  private readonly all = new Map<string, Pending>()
  private readonly chain: SimulatedChain
  private readonly faults: RelayFaults
  private readonly random: SeededRandom
  private readonly now: () => number
  private readonly after: (millis: number, action: () => void) => void
  private readonly onPublic: (transaction: SignedTransaction) => void
  private readonly count: (what: string) => void
  private readonly note: (what: string) => void
  private faultsOverMillis = Infinity

  constructor(options: {
    readonly chain: SimulatedChain
    readonly faults: RelayFaults
    readonly random: SeededRandom
    readonly now: () => number
    readonly after: (millis: number, action: () => void) => void
    /** Called when a transaction becomes visible to everyone. */
    readonly onPublic: (transaction: SignedTransaction) => void
    readonly count: (what: string) => void
    readonly note: (what: string) => void
  }) {
    this.chain = options.chain
    this.faults = options.faults
    this.random = options.random
    this.now = options.now
    this.after = options.after
    this.onPublic = options.onPublic
    this.count = options.count
    this.note = options.note
    for (const millis of options.faults.changesMillis) this.after(millis - this.now(), () => this.fillBlock())
  }

  endFaults(): void {
    this.faultsOverMillis = this.now()
    this.fillBlock()
  }

  private get areFaultsOver(): boolean {
    return this.faultsOverMillis <= this.now()
  }

  /** What a block burns per unit of gas. */
  baseFeeOf(block: number): bigint {
    const millis = this.chain.millisOf(block)
    if (millis >= this.faultsOverMillis) return usualBaseFee
    const spike = this.faults.spikes.find(
      ({ fromMillis, untilMillis }) => fromMillis <= millis && millis < untilMillis
    )
    return spike?.baseFeeWei ?? usualBaseFee
  }

  /** Number of the relayer's transactions up to a block. */
  nonceAt(block: number): number {
    return this.chain.signedUpTo(block).length
  }

  /** The relayer's native coin after a block, in wei. */
  balanceAt(block: number): bigint {
    const { fundsWei, refillMillis, refillWei } = this.faults
    const isRefilled = this.chain.millisOf(block) >= Math.min(refillMillis, this.faultsOverMillis)
    const paid = this.chain
      .signedUpTo(block)
      .reduce((sum, mined) => sum + this.gasUsedBy(mined) * this.priceOf(mined), 0n)
    return fundsWei + (isRefilled ? refillWei : 0n) - paid
  }

  /** A reverted transaction pays for the work until then. */
  gasUsedBy({ revertReason, signed }: MinedTransaction): bigint {
    if (signed === undefined) return intrinsicGas
    return revertReason === undefined ? (signed.gas * 4n) / 5n : signed.gas / 2n
  }

  /** Takes a transaction as a node whose newest block this is; throws its refusal. */
  submit(transaction: SignedTransaction, latest: number): void {
    const refuse = (message: string): never => {
      this.count(`node: ${message.split(":")[0]!}`)
      throw new RpcFailure(-32_000, message)
    }
    const { gas, hash, maxFeePerGas, maxPriorityFeePerGas, nonce } = transaction
    if (maxPriorityFeePerGas > maxFeePerGas) refuse("max priority fee per gas higher than max fee per gas")
    if (gas < intrinsicGas) refuse("intrinsic gas too low")
    const next = this.nonceAt(latest)
    if (nonce < next) refuse("nonce too low")
    if (nonce > next + maxGap) refuse("nonce too high")
    const known = this.best().filter((each) => each.nonce >= next)
    const before = known.find((each) => each.nonce === nonce)
    if (before?.hash === hash) refuse("already known")
    const queuedWei = known.reduce((sum, each) => sum + (each.nonce === nonce ? 0n : costOf(each)), 0n)
    if (this.balanceAt(latest) < queuedWei + costOf(transaction))
      refuse("insufficient funds for gas * price + value")
    const isTenthMore = (fee: bigint, old: bigint) => fee > old && fee * 10n >= old * 11n
    if (
      before !== undefined &&
      !(
        isTenthMore(maxFeePerGas, before.maxFeePerGas) &&
        isTenthMore(maxPriorityFeePerGas, before.maxPriorityFeePerGas)
      )
    )
      refuse("replacement transaction underpriced")
    if (before !== undefined) this.count("transaction replaced")
    this.admit(transaction)
  }

  /** Takes the transactions of lost blocks back. */
  readmit(transactions: ReadonlyArray<SignedTransaction>): void {
    for (const transaction of transactions) {
      this.count("relayer's transaction is out of its block")
      this.admit(transaction)
    }
  }

  private admit(transaction: SignedTransaction): void {
    const { faults, now, random } = this
    const isForgotten = !this.areFaultsOver && random.chance(faults.forgetChance)
    const transitMillis = random.between(0, this.areFaultsOver ? 500 : faults.maxTransitMillis)
    const forgottenMillis = isForgotten ? random.pick([8_000, 40_000, 150_000, Infinity]) : 0
    if (isForgotten) this.count("transaction forgotten")
    this.all.set(transaction.hash, {
      transaction,
      fromMillis: now() + transitMillis + forgottenMillis,
      forgottenUntilMillis: isForgotten ? now() + forgottenMillis : undefined
    })
    this.note(`${transaction.hash.slice(0, 10)} is pending with number ${transaction.nonce}`)
    this.onPublic(transaction)
    if (forgottenMillis < Infinity) this.after(transitMillis + forgottenMillis, () => this.fillBlock())
  }

  /** The transactions that the nodes have: of each number, the one that pays most. */
  private best(): ReadonlyArray<SignedTransaction> {
    const byNonce = new Map<number, SignedTransaction>()
    for (const { forgottenUntilMillis = 0, transaction } of this.all.values()) {
      const other = byNonce.get(transaction.nonce)
      const paysMore = other === undefined || transaction.maxFeePerGas > other.maxFeePerGas
      if (forgottenUntilMillis <= this.now() && paysMore) byNonce.set(transaction.nonce, transaction)
    }
    return [...byNonce.values()]
  }

  /** Puts into the next block what can be in it, in the order of numbers. */
  private fillBlock(): void {
    for (;;) {
      const block = this.chain.latest + 1
      const transaction = this.choose(this.nonceAt(Infinity), block)
      if (transaction === undefined) return
      const { revertReason } = this.chain.include(transaction.hash, transaction.calls, block, transaction)
      this.count(`relayer's transaction ${revertReason === undefined ? "succeeds" : "reverts"}`)
      this.note(`${transaction.hash.slice(0, 10)} is mined: ${revertReason ?? "succeeds"}`)
    }
  }

  private choose(nonce: number, block: number): SignedTransaction | undefined {
    const baseFee = this.baseFeeOf(block)
    const balance = this.balanceAt(block)
    const candidates = [...this.all.values()]
      .filter(({ fromMillis, transaction }) => fromMillis <= this.now() && transaction.nonce === nonce)
      .map(({ transaction }) => transaction)
      .filter((each) => each.maxFeePerGas >= baseFee && costOf(each) <= balance)
      .toSorted((left, right) => (left.maxFeePerGas < right.maxFeePerGas ? 1 : -1))
    if (candidates.length < 2 || !this.random.chance(this.faults.oldVariantChance)) return candidates[0]
    this.count("replaced transaction mined")
    return candidates.at(-1)
  }

  private priceOf({ block, signed }: MinedTransaction): bigint {
    const price = this.baseFeeOf(block) + (signed?.maxPriorityFeePerGas ?? 0n)
    const most = signed?.maxFeePerGas ?? price
    return price < most ? price : most
  }
}

const costOf = ({ gas, maxFeePerGas }: SignedTransaction): bigint => gas * maxFeePerGas
