import { findNetwork } from "../../src/domain/Network.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import { chargeKey } from "../../src/toll/request/ChargeKey.ts"
import { Attacker, attackerAddress, sendsForeign } from "./Attacker.ts"
import { cancellationSignatureOf } from "./chain/Calls.ts"
import { chainOfNode } from "./chain/chainOfNode.ts"
import type { Transfer } from "./chain/MoneyChain.ts"
import type { RelayFaults } from "./chain/RelayFaults.ts"
import { type NodeCondition, RpcNode } from "./chain/RpcNode.ts"
import { SimulatedChain } from "./chain/SimulatedChain.ts"
import { TransactionPool } from "./chain/TransactionPool.ts"
import { WalletSignatures } from "./chain/WalletSignatures.ts"
import {
  type Economy,
  type EconomyOptions,
  type FacilitatorChange,
  type ManualTransfers,
  plentyAtomic,
  priceAtomic
} from "./Economy.ts"
import { evmLocalFacilitatorOver } from "./EvmLocalFacilitator.ts"
import { EvmSettlement } from "./EvmSettlement.ts"
import type { FaultPlan } from "./FaultPlan.ts"
import type { Link } from "./Link.ts"
import {
  authorizationOf,
  type Challenge,
  headersOf,
  payChallenge,
  type Payment,
  type PayOptions,
  type SignedPayment
} from "./Payment.ts"
import { relayerFaults } from "./RelayerChecks.ts"
import { operatorAddress, simulatedWallet, walletAddresses } from "./RefundWallet.ts"
import { memorySettlementJournal } from "../../../providers/src/facilitator/SettlementJournal.ts"
import type { FacilitatorClient } from "../../src/toll/facilitator/FacilitatorOptions.ts"
import type { SignedTransaction } from "./chain/SignedTransaction.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import { type ChainEnvironment, type Environment, evmPayTo } from "./Server.ts"
import type { Simulation } from "./Simulation.ts"

export const network = findNetwork("base-sepolia")!
/** How long the operator's own authorizations are valid. */
const refundValiditySeconds = 2_592_000
/** The address of an honest payer. */
const payerAddress = (index: number): string => `0x${index.toString(16).padStart(40, "a")}`
/** Longest delay until a transaction that a reorganization dropped is submitted again. */
const maxResubmitDelayMillis = 60_000

/** What goes wrong with the relayer's transactions, apart from all else. */
interface Relay {
  readonly faults: RelayFaults
  readonly random: SeededRandom
}

/** An economy on an EVM chain. */
export class EvmEconomy implements Economy {
  readonly chain: SimulatedChain
  readonly accounts = {
    payTo: evmPayTo,
    wallets: walletAddresses,
    operator: operatorAddress,
    sendsForeign
  }
  readonly honest = new Set<string>()
  readonly readingMillis = 2_000
  readonly node: RpcNode
  /** The transactions of tills that settle by themselves; `undefined`: a facilitator elsewhere settles. */
  private readonly pool: TransactionPool | undefined
  /** The nodes behind the address that a till's own facilitator calls. */
  private readonly relayNodes: ReadonlyArray<RpcNode> = []
  private readonly pickRelayNode: () => RpcNode = () => this.node
  private readonly settlements = memorySettlementJournal()
  /** Attackers, which see pending transactions and influence reorganizations. */
  private attackers: ReadonlyArray<Attacker> = []
  private isActive: () => boolean = () => true
  private readonly options: EconomyOptions
  private readonly random: SeededRandom
  private readonly faultPlan: FaultPlan
  private readonly now: () => number
  private readonly after: (millis: number, action: () => void) => void
  private readonly note: (what: string) => void
  private readonly count: (what: string) => void

  /** `relay`: tills settle by themselves. */
  constructor(options: EconomyOptions, relay: Relay | undefined) {
    const { faultPlan, now, payments } = options
    this.options = options
    this.random = options.random
    this.faultPlan = faultPlan
    this.now = now
    this.after = options.after
    this.note = options.note
    this.count = options.count
    this.chain = new SimulatedChain(now, this.random.branch())
    this.pool = relay && this.poolOf(relay)
    const wallets = new WalletSignatures(network, () => Array.from(payments(), authorizationOf))
    const nodeWith = (condition: NodeCondition) =>
      new RpcNode({
        chain: this.chain,
        now,
        condition,
        asset: network.asset,
        chainId: network.chainId,
        acceptsSignature: (address, hash, signature) => wallets.accepts(address, hash, signature),
        pool: this.pool
      })
    this.node = nodeWith(faultPlan.node)
    const lagMillis = relay?.faults.secondLagMillis
    if (relay === undefined) return
    const relayNodes = lagMillis === undefined ? [this.node] : [this.node, nodeWith({ lagMillis, down: [] })]
    this.relayNodes = relayNodes
    this.pickRelayNode = () => relay.random.pick(relayNodes)
  }

  private poolOf({ faults, random }: Relay): TransactionPool {
    const { after, chain, count, note, now } = this
    const onPublic = ({ calls }: SignedTransaction) => {
      for (const { call } of calls) if ("authorization" in call) this.becamePublic(call.authorization)
    }
    const pool = new TransactionPool({ chain, faults, random, now, after, onPublic, count, note })
    chain.onOrphaned = (transactions) => pool.readmit(transactions)
    return pool
  }

  fund(payers: number): void {
    const { faultPlan, chain, random } = this
    for (let index = 1; index <= payers; index++) {
      const isPoor = random.chance(faultPlan.poorChance)
      chain.token.mint(payerAddress(index), isPoor ? random.pick([0n, 1n, 2n]) * priceAtomic : plentyAtomic)
      this.honest.add(payerAddress(index))
    }
    for (let index = 0; index < faultPlan.attackers; index++) {
      chain.token.mint(attackerAddress(index, 1), random.pick([1n, 1n, 2n, 3n, 8n]) * priceAtomic)
    }
    for (const address of [...walletAddresses, operatorAddress]) chain.token.mint(address, plentyAtomic)
  }

  get lagMillis(): number {
    return this.node.condition.lagMillis
  }

  payerAddress(index: number): string {
    return payerAddress(index)
  }

  pay(challenge: Challenge, options: PayOptions): SignedPayment {
    const payload = payChallenge(challenge, options)
    return {
      key: chargeKey(network, payload),
      payload,
      authorization: payload.payload.authorization,
      ...headersOf(payload, options)
    }
  }

  settlement(random: SeededRandom, note: (what: string) => void): EvmSettlement {
    const beforeSend = (authorization: Authorization) => this.becamePublic(authorization)
    const { chain, now } = this
    return new EvmSettlement({
      chain,
      now,
      random,
      readsNonces: this.options.readsNonces,
      beforeSend,
      note
    })
  }

  /** Attackers see what is sent. */
  private becamePublic(authorization: Authorization): void {
    if (!this.isActive()) return
    for (const attacker of this.attackers) attacker.onPending(authorization)
  }

  openAttackers(simulation: Simulation, random: (index: number) => SeededRandom): void {
    const open = (index: number) => new Attacker(simulation, this.chain, random(index), index)
    this.attackers = Array.from({ length: this.faultPlan.attackers }, (_, index) => open(index))
    for (const attacker of this.attackers) void attacker.attack()
  }

  /** Each is shallower than the finality depth. */
  scheduleReorganizations(isActive: () => boolean): void {
    this.isActive = isActive
    const { activeMillis, reorganizationDepth, reorganizations } = this.faultPlan
    for (let count = 0; count < reorganizations; count++) {
      this.after(this.random.between(4_000, activeMillis), () => {
        if (isActive()) this.reorganize(this.random.between(1, reorganizationDepth))
      })
    }
  }

  environmentOf(link: Link): ChainEnvironment {
    const { confirmations, finalitySeconds } = this.faultPlan
    const chain = chainOfNode({ ...network, confirmations, finalitySeconds }, (request) =>
      link.rpc(request.method, () => this.node.respond(request))
    )
    return {
      chain,
      node: (request) => this.node.respond(request),
      network: {
        network: "base-sepolia",
        payTo: evmPayTo,
        rpcUrl: "http://chain.invalid",
        confirmations,
        finalitySeconds
      }
    }
  }

  localFacilitator(link: Link, change?: FacilitatorChange): FacilitatorClient | undefined {
    if (this.pool === undefined) return undefined
    return evmLocalFacilitatorOver(link, {
      journal: change?.journal?.(this.settlements) ?? this.settlements,
      confirmations: this.faultPlan.confirmations,
      respond: (request) => this.pickRelayNode().respond(request),
      chain: this.environmentOf(link).chain
    })
  }

  walletOf(link: Link): Pick<Environment["ports"], "refundWallet"> {
    return { refundWallet: simulatedWallet(link, this.options.pickWallet(walletAddresses)) }
  }

  sendByThirdParty({ authorization }: Payment): string {
    return this.chain.send(authorization).outcome
  }

  /** Whether its nonce was unused. */
  cancel({ authorization: { from, nonce } }: Payment): boolean {
    const signature = cancellationSignatureOf(from, nonce)
    const { revertReason } = this.chain.submit([
      { sender: from, call: { _tag: "cancelAuthorization", from, nonce, signature } }
    ])
    return revertReason === undefined
  }

  readonly manualTransfers: ManualTransfers = {
    sign: (to, value, nonce) => ({
      from: operatorAddress,
      to,
      value,
      validAfter: "0",
      validBefore: String(Math.floor(this.now() / 1000) + refundValiditySeconds),
      nonce
    }),
    send: (signed) => this.chain.send(signed),
    isOver: () => false
  }

  isFinal(mined: Pick<Transfer, "minedMillis"> | undefined): boolean {
    const { finalitySeconds, reorganizations } = this.faultPlan
    if (reorganizations === 0) return true
    return mined !== undefined && mined.minedMillis + finalitySeconds * 1_000 <= this.now()
  }

  relayerFaults(): ReadonlyArray<string> {
    return relayerFaults(this.chain)
  }

  endFaults({ node }: FaultPlan): void {
    for (const each of [this.node, ...this.relayNodes]) each.condition = node
    this.pool?.endFaults()
  }

  private reorganize(depth: number): void {
    this.note(`the latest ${depth} blocks are replaced`)
    this.count("reorganization")
    const orphans = this.chain.reorganize(depth, () =>
      this.attackers.flatMap((attacker) => attacker.atReorganization())
    )
    for (const orphan of orphans)
      this.after(this.random.between(1, maxResubmitDelayMillis), () => {
        const { revertReason } = this.chain.resubmit(orphan)
        this.count("resubmitted")
        this.note(`${orphan.hash.slice(0, 10)} is submitted again: ${revertReason ?? "succeeds"}`)
      })
  }
}
