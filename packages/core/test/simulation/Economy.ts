import { Context, Effect } from "effect"
import type { FaultPlan } from "./FaultPlan.ts"
import { type Attacker, attackerAddress } from "./Attacker.ts"
import { cancellationSignatureOf } from "./chain/Calls.ts"
import { chainOfNode } from "./chain/chainOfNode.ts"
import { RpcNode } from "./chain/RpcNode.ts"
import { SimulatedChain } from "./chain/SimulatedChain.ts"
import { WalletSignatures } from "./chain/WalletSignatures.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { Chain } from "../../src/toll/evidence/Chain.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Link } from "./Link.ts"
import { checkBalances } from "./BalanceChecks.ts"
import { operatorAddress, walletAddress } from "./RefundWallet.ts"
import { network, payerAddress } from "./Shopper.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { Storage } from "./Storage.ts"
import type { InvariantChecker } from "./InvariantChecker.ts"
import { authorizationOf, type Payment } from "./Payment.ts"

/** The price of everything, and a balance larger than any payer can spend. */
const priceAtomic = 5_000_000n
const plentyAtomic = 1_000n * priceAtomic
/** Longest delay until a transaction that a reorganization dropped is submitted again. */
const maxResubmitDelayMillis = 60_000

/** The money of all participants: the chain, the node that serves it, initial and final balances. */
export class Economy {
  readonly chain: SimulatedChain
  readonly node: RpcNode
  /** Attackers, which see pending transactions and influence reorganizations. */
  attackers: ReadonlyArray<Attacker> = []
  private readonly honest = new Set<string>()
  private readonly random: SeededRandom
  private readonly faultPlan: FaultPlan
  private readonly after: (millis: number, action: () => void) => void
  private readonly note: (what: string) => void
  private readonly count: (what: string) => void

  constructor(options: {
    readonly random: SeededRandom
    readonly faultPlan: FaultPlan
    readonly now: () => number
    readonly after: (millis: number, action: () => void) => void
    /** Every payment signed so far. */
    readonly payments: () => Iterable<Payment>
    readonly note: (what: string) => void
    readonly count: (what: string) => void
  }) {
    const { faultPlan, now, payments } = options
    this.random = options.random
    this.faultPlan = faultPlan
    this.after = options.after
    this.note = options.note
    this.count = options.count
    this.chain = new SimulatedChain(now, this.random.branch())
    const wallets = new WalletSignatures(network, () => Array.from(payments(), authorizationOf))
    this.node = new RpcNode({
      chain: this.chain,
      now,
      condition: faultPlan.node,
      asset: network.asset,
      chainId: network.chainId,
      acceptsSignature: (address, hash, signature) => wallets.accepts(address, hash, signature)
    })
  }

  /** Gives all accounts their initial tokens. */
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
    for (const address of [walletAddress, operatorAddress]) chain.token.mint(address, plentyAtomic)
  }

  /** Schedules reorganizations, each shallower than the finality depth. */
  scheduleReorganizations(isActive: () => boolean): void {
    const { activeMillis, reorganizationDepth, reorganizations } = this.faultPlan
    for (let count = 0; count < reorganizations; count++) {
      this.after(this.random.between(4_000, activeMillis), () => {
        if (isActive()) this.reorganize(this.random.between(1, reorganizationDepth))
      })
    }
  }

  /** The chain as one process reads it. */
  portOf(link: Link): Chain["Service"] {
    const { confirmations, finalitySeconds } = this.faultPlan
    return chainOfNode({ ...network, confirmations, finalitySeconds }, (request) =>
      link.rpc(request.method, () => this.node.respond(request))
    )
  }

  /** A transaction with this authorization is about to be submitted. */
  beforeSend(authorization: Authorization): void {
    for (const attacker of this.attackers) attacker.onPending(authorization)
  }

  /** The payer cancels an authorization; returns whether its nonce was unused. */
  cancel({ from, nonce }: Authorization): boolean {
    const signature = cancellationSignatureOf(from, nonce)
    const { revertReason } = this.chain.submit([
      { sender: from, call: { _tag: "cancelAuthorization", from, nonce, signature } }
    ])
    return revertReason === undefined
  }

  /** Checks the final balances. */
  async checkBalances(options: {
    readonly storage: Storage
    readonly checker: InvariantChecker
    readonly upstream: SimulatedUpstream
  }): Promise<void> {
    const { storage, upstream, checker } = options
    const charges = Context.get(await storage.stores(), Charges)
    const totals = await Effect.runPromise(charges.totals(0, 8e15))
    const sumOf = (kind: string): bigint =>
      totals
        .filter((total) => total.kind === kind)
        .reduce((sum, total) => sum + BigInt(total.amountAtomic), 0n)
    const ledger = {
      settledAtomic: sumOf("settled"),
      reversedAtomic: sumOf("reversed"),
      refundedAtomic: sumOf("refunded")
    }
    const { chain, honest } = this
    const state = { chain, checker, upstream, honest, refundFunds: 2n * plentyAtomic }
    for (const fault of checkBalances(state, ledger)) checker.violation(undefined, fault)
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
