import { Context, Effect } from "effect"
import type { Adversity } from "./Adversity.ts"
import { type Attacker, attackerAddress } from "./Attacker.ts"
import { cancellationSignatureOf } from "./chain/Calls.ts"
import { chainOfNode } from "./chain/chainOfNode.ts"
import { RpcNode } from "./chain/RpcNode.ts"
import { SimulatedChain } from "./chain/SimulatedChain.ts"
import { WalletSignatures } from "./chain/WalletSignatures.ts"
import { Charges } from "../../src/ports/Charges.ts"
import type { Chain } from "../../src/toll/Chain.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { Fate } from "./Fate.ts"
import type { Link } from "./Link.ts"
import { judgeMoney } from "./Oracle.ts"
import { operatorAddress, walletAddress } from "./RefundWallet.ts"
import { network, payerAddress } from "./Shopper.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"
import type { Storage } from "./Storage.ts"
import { authorizationOf, type Payment, type Witness } from "./Witness.ts"

/** The price of everything, and more than anybody can spend. */
const priceAtomic = 5_000_000n
const plentyAtomic = 1_000n * priceAtomic
/** Longest after which a transaction that a reorganization left out is submitted again. */
const latestResubmitMillis = 60_000

/** Everybody's money: the chain, the node that shows it, what everybody begins with and ends up with. */
export class Economy {
  readonly chain: SimulatedChain
  readonly node: RpcNode
  /** Those who see transactions on their way, and rewrite blocks. */
  attackers: ReadonlyArray<Attacker> = []
  private readonly honest = new Set<string>()
  private readonly fate: Fate
  private readonly adversity: Adversity
  private readonly after: (millis: number, happen: () => void) => void
  private readonly note: (what: string) => void
  private readonly count: (what: string) => void

  constructor(options: {
    readonly fate: Fate
    readonly adversity: Adversity
    readonly now: () => number
    readonly after: (millis: number, happen: () => void) => void
    /** Every payment that was signed so far. */
    readonly payments: () => Iterable<Payment>
    readonly note: (what: string) => void
    readonly count: (what: string) => void
  }) {
    const { adversity, now, payments } = options
    this.fate = options.fate
    this.adversity = adversity
    this.after = options.after
    this.note = options.note
    this.count = options.count
    this.chain = new SimulatedChain(now, this.fate.branch())
    const wallets = new WalletSignatures(network, () => Array.from(payments(), authorizationOf))
    this.node = new RpcNode({
      chain: this.chain,
      now,
      condition: adversity.node,
      asset: network.asset,
      chainId: network.chainId,
      acceptsSignature: (address, hash, signature) => wallets.accepts(address, hash, signature)
    })
  }

  /** Gives everybody the tokens that they begin with. */
  fund(payers: number): void {
    const { adversity, chain, fate } = this
    for (let index = 1; index <= payers; index++) {
      const isPoor = fate.chance(adversity.poorChance)
      chain.token.mint(payerAddress(index), isPoor ? fate.pick([0n, 1n, 2n]) * priceAtomic : plentyAtomic)
      this.honest.add(payerAddress(index))
    }
    for (let index = 0; index < adversity.attackers; index++) {
      chain.token.mint(attackerAddress(index, 1), fate.pick([1n, 1n, 2n, 3n, 8n]) * priceAtomic)
    }
    for (const address of [walletAddress, operatorAddress]) chain.token.mint(address, plentyAtomic)
  }

  /** Replaces the latest blocks now and then, fewer of them than it takes for a transfer to be final. */
  scheduleReorganizations(isActive: () => boolean): void {
    const { activeMillis, reorganizationDepth, reorganizations } = this.adversity
    for (let count = 0; count < reorganizations; count++) {
      this.after(this.fate.between(4_000, activeMillis), () => {
        if (isActive()) this.reorganize(this.fate.between(1, reorganizationDepth))
      })
    }
  }

  /** The chain as one process reads it. */
  portOf(link: Link): Chain["Service"] {
    const { confirmations, finalitySeconds } = this.adversity
    return chainOfNode({ ...network, confirmations, finalitySeconds }, (request) =>
      link.rpc(request.method, () => this.node.respond(request))
    )
  }

  /** A transaction with this authorization is about to be submitted. */
  beforeSend(authorization: Authorization): void {
    for (const attacker of this.attackers) attacker.seesPending(authorization)
  }

  /** The payer cancels an authorization; returns whether its nonce was unused. */
  cancel({ from, nonce }: Authorization): boolean {
    const signature = cancellationSignatureOf(from, nonce)
    const { revertReason } = this.chain.submit([
      { sender: from, call: { _tag: "cancelAuthorization", from, nonce, signature } }
    ])
    return revertReason === undefined
  }

  /** Judges the run by its money. */
  async judge(options: {
    readonly storage: Storage
    readonly witness: Witness
    readonly upstream: SimulatedUpstream
  }): Promise<void> {
    const { storage, upstream, witness } = options
    const charges = Context.get(await storage.look(), Charges)
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
    const judged = { chain, witness, upstream, honest, refundFunds: 2n * plentyAtomic }
    for (const fault of judgeMoney(judged, ledger)) witness.violation(undefined, fault)
  }

  private reorganize(depth: number): void {
    this.note(`the latest ${depth} blocks are replaced`)
    this.count("reorganization")
    const orphans = this.chain.reorganize(depth, () =>
      this.attackers.flatMap((attacker) => attacker.atReorganization())
    )
    for (const orphan of orphans)
      this.after(this.fate.between(1, latestResubmitMillis), () => {
        const { revertReason } = this.chain.resubmit(orphan)
        this.count("resubmitted")
        this.note(`${orphan.hash.slice(0, 10)} is submitted anew: ${revertReason ?? "succeeds"}`)
      })
  }
}
