import type { HttpClient } from "effect/http"
import { rpcClientOf } from "../chain/rpcClientOf.ts"
import type { RpcRequest } from "../chain/RpcNode.ts"
import type { NodeCondition } from "../chain/RpcNode.ts"
import type { Link } from "../Link.ts"
import type { SeededRandom } from "../SeededRandom.ts"
import type { SolanaChain } from "./SolanaChain.ts"
import type { SolanaFaults } from "./SolanaFaults.ts"
import { SolanaRpc } from "./SolanaRpc.ts"
import { feePayer } from "./SolanaWallets.ts"
import { readWire, type WireTransaction } from "./WireTransaction.ts"

/** Changes a request to a node, or its response. */
export type NodeChange = (request: RpcRequest, respond: (request: RpcRequest) => unknown) => unknown

/** How long a sender waits before it sends a transaction again. */
const resendMillis = 2_000

/** The ways to a Solana chain: transactions travel to its leaders, and requests to nodes behind one address. */
export class SolanaNetwork {
  /** Called when a signed transaction becomes visible to everyone. */
  onPublic: (wire: WireTransaction) => void = () => undefined
  private readonly chain: SolanaChain
  private readonly random: SeededRandom
  private readonly faults: SolanaFaults
  private readonly now: () => number
  private readonly after: (millis: number, action: () => void) => void
  private readonly note: (what: string) => void
  private readonly count: (what: string) => void
  private condition: NodeCondition
  private areFaultsOver = false

  constructor(options: {
    readonly chain: SolanaChain
    readonly random: SeededRandom
    readonly faults: SolanaFaults
    readonly condition: NodeCondition
    readonly now: () => number
    readonly after: (millis: number, action: () => void) => void
    readonly note: (what: string) => void
    readonly count: (what: string) => void
  }) {
    this.chain = options.chain
    this.random = options.random
    this.faults = options.faults
    this.condition = options.condition
    this.now = options.now
    this.after = options.after
    this.note = options.note
    this.count = options.count
  }

  /** Sends a transaction until it is in a block, or as often as the sender cares to. */
  broadcast(wire: WireTransaction, times: number): void {
    this.submit(wire)
    if (times > 1)
      this.after(resendMillis, () => {
        if (this.chain.landedAs(wire.digest) === undefined) this.broadcast(wire, times - 1)
      })
  }

  submit(wire: WireTransaction): void {
    this.onPublic(wire)
    if (this.lacksFee(wire)) return this.count("transaction without a fee")
    if (!this.areFaultsOver && this.random.chance(this.faults.dropChance)) {
      this.count("transaction dropped")
      return
    }
    const transitMillis = this.random.between(50, this.areFaultsOver ? 600 : this.faults.maxTransitMillis)
    this.after(transitMillis, () => {
      if (this.lacksFee(wire)) return this.count("transaction without a fee")
      const inclusion = this.chain.include(wire)
      const error = this.chain.landedAs(wire.digest)?.error
      const outcome = inclusion === "landed" && error !== undefined ? `failed: ${error}` : inclusion
      this.note(`${wire.digest.slice(0, 8)} ${outcome}`)
      this.count(`transaction ${outcome}`)
    })
  }

  /** Whether its fee payer has no funds: then no leader takes the transaction. */
  private lacksFee({ accounts: [payer] }: WireTransaction): boolean {
    const { withoutFunds } = this.faults
    if (withoutFunds === undefined || this.areFaultsOver || payer !== feePayer.address) return false
    return withoutFunds.fromMillis <= this.now() && this.now() < withoutFunds.untilMillis
  }

  /** How far the slowest node is behind. */
  get lagMillis(): number {
    return this.areFaultsOver ? 0 : Math.max(...this.faults.lagsMillis)
  }

  endFaults(condition: NodeCondition): void {
    this.areFaultsOver = true
    this.condition = condition
  }

  /** Responds as one of the nodes. */
  respond(request: RpcRequest): unknown {
    const nowMillis = this.now()
    if (this.condition.down.some(([from, until]) => from <= nowMillis && nowMillis < until))
      throw new Error("503 Service Unavailable")
    const { forgetsAtMillis = Infinity, lagsMillis } = this.faults
    const node = this.random.between(0, lagsMillis.length - 1)
    const lagMillis = this.areFaultsOver ? 0 : lagsMillis[node]!
    const { slots } = this.chain
    // All of them: of several, nobody can tell which one has responded.
    const hasForgotten = !this.areFaultsOver && forgetsAtMillis <= nowMillis
    const view = {
      latest: slots.blockAt(slots.slotAt(nowMillis - lagMillis)),
      firstSlot: hasForgotten ? slots.slotAt(forgetsAtMillis) : 0
    }
    const submit = (bytes: Uint8Array) => this.broadcast(readWire(bytes), 3)
    const response = new SolanaRpc(this.chain, view, submit).respond(request)
    if (request.method !== "simulateTransaction") return response
    const [wire] = request.params as readonly [string]
    return this.lacksFee(readWire(Buffer.from(wire, "base64")))
      ? { ...(response as object), value: { err: "InsufficientFundsForFee" } }
      : response
  }

  /** The HTTP client of a process, which reaches the nodes over its link. */
  clientOf(link: Link, change: NodeChange = (request, respond) => respond(request)): HttpClient.HttpClient {
    return rpcClientOf(link, (call) => change(call, (changed) => this.respond(changed)))
  }
}
