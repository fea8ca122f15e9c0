import { Effect } from "effect"
import { HttpClient } from "effect/http"
import type { Authorization } from "../../../src/domain/PaymentPayload.ts"
import { readChains } from "../../../src/toll/evidence/ChainFamilies.ts"
import { devnet, memo, type SolanaWallet } from "../../toll/solana.ts"
import type { SolanaRefunds } from "../../../src/ports/SolanaRefunds.ts"
import type { Transfer } from "../chain/MoneyChain.ts"
import {
  type Economy,
  type EconomyOptions,
  type FacilitatorChange,
  type ManualTransfers,
  plentyAtomic,
  priceAtomic
} from "../Economy.ts"
import type { FaultPlan } from "../FaultPlan.ts"
import type { Link } from "../Link.ts"
import type { Challenge, Payment, PaymentForm, PayOptions, SignedPayment } from "../Payment.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import type { SentPayment } from "../SimulatedFacilitator.ts"
import { localFacilitatorOver } from "./LocalFacilitator.ts"
import type { FacilitatorClient } from "../../../src/toll/facilitator/FacilitatorOptions.ts"
import type { ChainEnvironment, Environment } from "../Server.ts"
import type { Simulation } from "../Simulation.ts"
import { attackerAccounts, SolanaAttacker } from "./SolanaAttacker.ts"
import { maxBlockhashAge, SolanaChain } from "./SolanaChain.ts"
import type { SolanaFaults } from "./SolanaFaults.ts"
import { type RefundJournal, solanaRefundsOver } from "./SolanaRefundSender.ts"
import { type NodeChange, SolanaNetwork } from "./SolanaNetwork.ts"
import { SolanaSettlement } from "./SolanaSettlement.ts"
import {
  attackerNamed,
  operatorWallet,
  payerNamed,
  paymentInstructions,
  paymentOf,
  payTo,
  refundWallets,
  secondAccountOf,
  selfPaid,
  signedBy,
  tokenAccountOf,
  transferOf,
  walletNamed,
  walletOf
} from "./SolanaWallets.ts"
import { Slots } from "./Slots.ts"
import { TokenAccounts } from "./TokenAccounts.ts"
import type { WireTransaction } from "./WireTransaction.ts"

const rpcUrl = "https://solana.invalid"
/** Where a payer puts its money aside. */
const savings = walletNamed("savings").address
/** Longest delay until a transaction of a lost fork is sent again. */
const maxResubmitDelayMillis = 60_000

/** An economy on a Solana chain. */
export class SolanaEconomy implements Economy {
  readonly chain: SolanaChain
  readonly accounts = {
    payTo,
    wallets: refundWallets.map(({ address }) => address),
    operator: operatorWallet.address,
    sendsForeign: (address: string) => this.attackerAddresses.has(address)
  }
  readonly honest = new Set<string>()
  readonly readingMillis = 40_000
  readonly network: SolanaNetwork
  private readonly attackers: Array<SolanaAttacker> = []
  private readonly attackerAddresses = new Set<string>()
  /** What payers signed, by digest, with their transactions and those of the operator. */
  private readonly signed = new Map<string, Authorization>()
  private readonly wires = new Map<string, WireTransaction>()
  /** Transactions with all signatures that everyone has seen. */
  private readonly completed = new Map<string, WireTransaction>()
  /** The journals of refund wallets, by address. */
  private readonly refundAttempts = new Map<string, RefundJournal>()
  private readonly settlementAttempts: RefundJournal = []
  private readonly faults: SolanaFaults
  private readonly options: EconomyOptions
  private readonly random: SeededRandom
  private readonly memos: SeededRandom
  private readonly facilitator: SolanaSettlement

  constructor(options: EconomyOptions, startMillis: number, faults: SolanaFaults) {
    const { after, count, faultPlan, note, now, random } = options
    this.options = options
    this.random = random
    this.memos = random.stream("memos")
    this.faults = faults
    const { confirmedDepth, driftSeconds, halts, slotMillis } = this.faults
    this.chain = new SolanaChain({
      now,
      random: random.branch(),
      slots: new Slots(startMillis, slotMillis, halts),
      accounts: new TokenAccounts(devnet.asset),
      driftSeconds,
      confirmedDepth
    })
    const { chain } = this
    const condition = faultPlan.node
    this.network = new SolanaNetwork({
      chain,
      random: random.branch(),
      faults,
      condition,
      now,
      after,
      note,
      count
    })
    this.network.onPublic = (wire) => this.seen(wire)
    this.facilitator = this.settlement(random.branch())
  }

  get lagMillis(): number {
    return this.network.lagMillis
  }

  fund(payers: number): void {
    const { faultPlan } = this.options
    const { hasSecondAccounts } = this.faults
    const open = (owner: string, value: bigint, account = tokenAccountOf(owner)) =>
      this.chain.accounts.open(account, owner, value)
    const openSecond = (owner: string) => open(owner, plentyAtomic, secondAccountOf(owner))
    for (let index = 1; index <= payers; index++) {
      const isPoor = this.random.chance(faultPlan.poorChance)
      open(this.payerAddress(index), isPoor ? this.random.pick([0n, 1n, 2n]) * priceAtomic : plentyAtomic)
      this.honest.add(this.payerAddress(index))
      if (hasSecondAccounts) openSecond(this.payerAddress(index))
    }
    for (let index = 0; index < faultPlan.attackers; index++)
      for (let account = 1; account <= attackerAccounts; account++) {
        const { address } = attackerNamed(index, account)
        open(address, account === 1 ? this.random.pick([1n, 1n, 2n, 3n, 8n]) * priceAtomic : 0n)
        this.attackerAddresses.add(address)
        if (account === 1 && hasSecondAccounts) openSecond(address)
      }
    for (const { address } of [...refundWallets, operatorWallet]) open(address, plentyAtomic)
    for (const address of [payTo, savings]) open(address, 0n)
  }

  payerAddress(index: number): string {
    return payerNamed(index).address
  }

  /** A wallet takes the hash of a new block, or signed a while ago. */
  pay(challenge: Challenge, options: PayOptions): SignedPayment {
    const { amount, extra, payTo: to } = challenge.accepts[0]!
    const memos = this.memosFor(extra["memo"], options.nonce)
    const instructions = paymentInstructions(options.from, to, BigInt(amount), ...memos)
    const wire = signedBy(walletOf(options.from), this.blockhashFor(options.validSeconds), instructions)
    return this.paymentOf(challenge, wire, options)
  }

  /** The memo that the 402 names, or one of the client's own or none, as clients do that don't know it. */
  private memosFor(offered: string | undefined, own: string): ReadonlyArray<string> {
    const form = this.memos.weighted({ known: 4, own: 2, none: 3 })
    this.options.count(`pays with memo: ${form}`)
    return form === "none" ? [] : [form === "known" && offered !== undefined ? offered : own]
  }

  /** A payment with any transaction. */
  paymentOf(challenge: Challenge, wire: WireTransaction, options: PaymentForm): SignedPayment {
    const payment = paymentOf(challenge, wire, options)
    this.signed.set(wire.digest, payment.authorization)
    this.wires.set(wire.digest, wire)
    return payment
  }

  /** A blockhash that is valid for about this long. */
  blockhashFor(validSeconds: number): string {
    const { slots } = this.chain
    const commitment = this.random.pick(["processed", "confirmed", "finalized"] as const)
    const newest = slots.heightOf(this.chain.blockOf(commitment))
    const life = Math.min(maxBlockhashAge, Math.ceil((validSeconds * 1_000) / slots.slotMillis))
    return this.chain.hashOf(slots.slotOf(newest - maxBlockhashAge + life))
  }

  settlement(random: SeededRandom): SolanaSettlement {
    const { chain, faults, network: solana, signed } = this
    const { after, readsNonces } = this.options
    return new SolanaSettlement({ chain, solana, faults, random, after, readsNonces, signed })
  }

  openAttackers(simulation: Simulation, random: (index: number) => SeededRandom): void {
    for (let index = 0; index < this.options.faultPlan.attackers; index++)
      this.attackers.push(new SolanaAttacker(simulation, this, random(index), index))
    for (const attacker of this.attackers) void attacker.attack()
  }

  /** The payment with a message. */
  paymentOfDigest(digest: string): Payment | undefined {
    return Array.from(this.options.payments()).find(({ authorization }) => digestOf(authorization) === digest)
  }

  /** Sends any transaction again that everyone has seen. */
  resendAny(random: SeededRandom): void {
    if (this.completed.size > 0) this.network.submit(random.pick(Array.from(this.completed.values())))
  }

  scheduleReorganizations(isActive: () => boolean): void {
    const { after, faultPlan } = this.options
    const { activeMillis, reorganizationDepth, reorganizations } = faultPlan
    const schedule = (maxDepth: number) =>
      after(this.random.between(4_000, activeMillis), () => {
        if (isActive()) this.reorganize(this.random.between(1, maxDepth))
      })
    for (let count = 0; count < reorganizations; count++) schedule(reorganizationDepth)
    for (let count = 0; count < this.faults.smallForks; count++) schedule(this.faults.confirmedDepth)
  }

  environmentOf(link: Link): ChainEnvironment {
    const network = { network: "solana-devnet", payTo, rpcUrl }
    const readThrough = (change?: NodeChange) =>
      Effect.runSync(
        Effect.provideService(
          readChains([{ ...devnet, rpcUrl }]),
          HttpClient.HttpClient,
          this.network.clientOf(link, change)
        )
      )
    return {
      chain: readThrough(),
      readThrough,
      walletThrough: (change) => this.wallet(link, refundWallets[0]!, change),
      node: (request) => this.network.respond(request),
      network
    }
  }

  walletOf(link: Link): Pick<Environment["ports"], "solanaRefunds"> {
    return { solanaRefunds: this.wallet(link, this.options.pickWallet(refundWallets)) }
  }

  localFacilitator(link: Link, change?: FacilitatorChange): FacilitatorClient | undefined {
    if (!this.faults.isLocal) return undefined
    return localFacilitatorOver(link, {
      client: this.network.clientOf(link, change?.node),
      rpcUrl,
      attempts: this.settlementAttempts,
      count: this.options.count,
      isSigned: (payment) => this.facilitator.isSigned(payment as SentPayment)
    })
  }

  private wallet(link: Link, wallet: SolanaWallet, change?: NodeChange): SolanaRefunds {
    const { count } = this.options
    const client = this.network.clientOf(link, change)
    const attempts = this.refundAttempts.get(wallet.address) ?? []
    this.refundAttempts.set(wallet.address, attempts)
    const isSignedElsewhere = (key: string) =>
      Array.from(this.refundAttempts.values()).some(
        (journal) => journal !== attempts && journal.some((attempt) => attempt.key === key)
      )
    return solanaRefundsOver(link, { wallet, client, rpcUrl, attempts, isSignedElsewhere, count })
  }

  /** Only the facilitator can complete a payment; what it has completed, anyone can send again. */
  sendByThirdParty({ authorization }: Payment): string {
    const digest = digestOf(authorization)
    const completed = this.completed.get(digest)
    if (completed === undefined && this.faults.isLocal) return "lacks a signature"
    if (completed === undefined) this.facilitator.sendWire(this.wires.get(digest)!)
    else this.network.submit(completed)
    return completed === undefined ? "given to the facilitator" : "sent again"
  }

  /** The payer takes its money away. */
  cancel({ authorization: { from } }: Payment): boolean {
    const balance = this.chain.accounts.balanceOf(tokenAccountOf(from))
    const instructions = [transferOf(from, savings, balance)]
    this.network.submit(selfPaid(walletOf(from), this.blockhashFor(60), instructions))
    return true
  }

  readonly manualTransfers: ManualTransfers = {
    sign: (to, value, nonce) => {
      const from = operatorWallet.address
      const instructions = [transferOf(from, to, BigInt(value)), memo(nonce)]
      const wire = selfPaid(operatorWallet, this.blockhashFor(60), instructions)
      this.wires.set(wire.digest, wire)
      return {
        from,
        to,
        value,
        validAfter: "0",
        validBefore: "0",
        nonce: `${wire.blockhash}.${wire.digest}`
      }
    },
    send: ({ nonce }) => {
      const wire = this.wires.get(digestOf({ nonce }))!
      this.network.broadcast(wire, 3)
      return { outcome: "sent", transaction: wire.signature }
    },
    isOver: (signed) => {
      const { blockhash, digest } = this.wires.get(digestOf(signed))!
      return this.chain.landedAs(digest) === undefined && this.chain.isOver(blockhash)
    }
  }

  isFinal(mined: Pick<Transfer, "minedMillis"> | undefined): boolean {
    return (
      mined !== undefined && this.chain.slots.slotAt(mined.minedMillis) <= this.chain.blockOf("finalized")
    )
  }

  /** A fee payer pays for a transaction that has failed. Of one payment, another transaction has another message. */
  relayerFaults(): ReadonlyArray<string> {
    return []
  }

  endFaults({ node }: FaultPlan): void {
    this.network.endFaults(node)
  }

  /** A transaction became visible: from now on, anyone can send it. */
  private seen(wire: WireTransaction): void {
    const { blockhash, digest } = wire
    if (this.completed.has(digest)) return
    this.completed.set(digest, wire)
    for (const attacker of this.attackers) attacker.onPublic(wire)
    if (!this.random.chance(this.faults.lastMomentChance)) return
    const { after, count, now } = this.options
    const expiryMillis = this.chain.expiryMillisOf(blockhash) ?? 0
    after(expiryMillis - now() - this.random.between(0, 8_000), () => {
      if (this.chain.landedAs(digest) !== undefined) return
      count("sent again at the last moment")
      this.network.submit(wire)
    })
  }

  private reorganize(depth: number): void {
    const { after, count, note } = this.options
    note(`the latest ${depth} blocks are on a lost fork`)
    count("reorganization")
    const { dropped, kept, undone } = this.chain.reorganize(depth)
    for (let index = 0; index < kept; index++) count("transaction of a lost fork is in another block")
    for (let index = 0; index < undone; index++) count("confirmed transfer undone")
    for (const wire of dropped)
      if (this.random.chance(0.6))
        after(this.random.between(1, maxResubmitDelayMillis), () => {
          count("resubmitted")
          this.network.submit(wire)
        })
  }
}

const digestOf = ({ nonce }: Pick<Authorization, "nonce">): string => nonce.split(".")[1]!
