import type { OrderVerdict } from "../../src/orders/OrderApi.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { Order } from "../../src/ports/Orders.ts"
import type { Fate } from "./Fate.ts"
import { givenUpReason, type OrderWitness, reversedReason } from "./OrderWitness.ts"
import { operatorAddress } from "./RefundWallet.ts"
import type { Server } from "./Server.ts"
import type { SimulatedChain } from "./chain/SimulatedChain.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"

/** How long the operator's own authorizations are valid. */
const paybackSeconds = 2_592_000

/** How an operator goes about it. */
export interface OperatorTemper {
  /** How likely an order is hurried when it changes, and when the operator looks around. */
  readonly hurryChance: number
  /** How likely an order is given up, of each that is looked at. */
  readonly givingUpChance: number
  /** Refunds are sent by hand: there is no wallet. */
  readonly paysBack: boolean
}

/** What a charge pays and to whom, as an operator reads it off the books. */
export interface Owed {
  readonly payer: string
  readonly amountAtomic: string
}

/**
 * The host's operator: looks upstream before a parked order is placed again, found or given up, pays back by hand
 * where there is no wallet, and sometimes hurries things.
 */
export class SimulatedOperator {
  temper: OperatorTemper
  private readonly fate: Fate
  private readonly witness: OrderWitness
  private readonly upstream: SimulatedUpstream
  private readonly chain: SimulatedChain
  private readonly finalityMillis: number
  private readonly now: () => number
  private readonly after: (millis: number, happen: () => void) => void
  private readonly server: () => Server | undefined
  private readonly owedFor: (chargeKey: string) => Owed | undefined
  private readonly areRefundsStopped: () => boolean
  private readonly note: (what: string) => void
  /** The operator's own list of what was paid back, by charge: kept whatever dies. */
  private readonly paid = new Map<string, Authorization>()
  private readonly seen = new Map<string, Order["status"]>()

  constructor(options: {
    readonly fate: Fate
    readonly temper: OperatorTemper
    readonly witness: OrderWitness
    readonly upstream: SimulatedUpstream
    readonly chain: SimulatedChain
    /** How long after its block a transfer is waited for, before it is recorded. */
    readonly finalityMillis: number
    readonly now: () => number
    readonly after: (millis: number, happen: () => void) => void
    /** A till to speak to, if one is up. */
    readonly server: () => Server | undefined
    readonly owedFor: (chargeKey: string) => Owed | undefined
    readonly areRefundsStopped: () => boolean
    readonly note: (what: string) => void
  }) {
    this.fate = options.fate
    this.temper = options.temper
    this.witness = options.witness
    this.upstream = options.upstream
    this.chain = options.chain
    this.finalityMillis = options.finalityMillis
    this.now = options.now
    this.after = options.after
    this.server = options.server
    this.owedFor = options.owedFor
    this.areRefundsStopped = options.areRefundsStopped
    this.note = options.note
  }

  /** Told of an order that has changed. What only tried again, perhaps as it was hurried, is no news. */
  sees({ id, status }: Order): void {
    if (this.seen.get(id) === status) return
    this.seen.set(id, status)
    if (!this.fate.chance(this.temper.hurryChance)) return
    this.after(this.fate.between(0, 40), () => this.hurry(id))
  }

  /** Looks around, and does what is to be done. */
  round(): void {
    for (const order of this.witness.standing.values()) {
      if (order.status === "needs_operator") this.unpark(order)
      else if (this.fate.chance(this.temper.givingUpChance)) this.giveUp(order)
      else if (this.fate.chance(this.temper.hurryChance)) this.hurry(order.id)
    }
    if (this.areRefundsStopped()) this.resumeRefunds()
    if (this.temper.paysBack) for (const key of this.witness.owed) this.payBack(key)
  }

  private resumeRefunds(): void {
    this.note("resumes refunds")
    this.server()
      ?.resumeRefunds()
      .catch(() => undefined)
  }

  private hurry(id: string): void {
    const reference = this.witness.standing.get(id)?.upstreamReference
    const isByReference = reference !== undefined && this.fate.chance(0.5)
    this.tell(`hurries ${id}`, ({ orders }) =>
      isByReference ? orders.hurryReference(reference) : orders.hurry(id)
    )
  }

  private unpark(order: Order): void {
    const { id } = order
    // What is on its way can't be seen; it is waited for.
    if (this.upstream.isUnderWay(id)) return
    if (this.fate.chance(0.1)) return this.giveUp(order)
    const standing = this.upstream.orderOf(id)
    // What is not paid for any more isn't placed again.
    if (standing === undefined && order.reason === reversedReason) return this.giveUp(order)
    if (standing === undefined) this.tell(`retries ${id}`, ({ orders }) => orders.retry(id))
    else this.tell(`resolves ${id}`, ({ orders }) => orders.resolve(id, standing.reference))
  }

  private giveUp({ id }: Order): void {
    this.tell(`gives up ${id}`, ({ orders }) => orders.cancel(id, givenUpReason))
  }

  private payBack(chargeKey: string): void {
    const transaction = this.transactionFor(chargeKey)
    if (transaction === undefined) return
    const order = Array.from(this.witness.standing.values()).find(
      (each) => each.chargeKey === chargeKey && each.status === "refund_due"
    )
    if (order === undefined || this.fate.chance(0.3)) {
      const server = this.server()
      this.note(`records the refund of ${chargeKey.slice(-12)}`)
      server?.recordRefund(chargeKey, transaction).catch(() => undefined)
    } else this.tell(`refunded ${order.id}`, ({ orders }) => orders.markRefunded(order.id, transaction))
  }

  /** The transaction that pays back for a charge, once no reorganization can undo it. */
  private transactionFor(chargeKey: string): string | undefined {
    const signed = this.paid.get(chargeKey) ?? this.signFor(chargeKey)
    if (signed === undefined) return undefined
    this.paid.set(chargeKey, signed)
    const transfer = this.chain.transferOf(signed)
    if (transfer === undefined) {
      const { outcome, transaction } = this.chain.send(signed)
      this.note(`pays back ${chargeKey.slice(-12)}: ${outcome}`)
      return this.finalityMillis === 0 ? transaction : undefined
    }
    return transfer.minedMillis + this.finalityMillis <= this.now() || this.finalityMillis === 0
      ? transfer.transaction
      : undefined
  }

  private signFor(chargeKey: string): Authorization | undefined {
    const owed = this.owedFor(chargeKey)
    if (owed === undefined) return undefined
    return {
      from: operatorAddress,
      to: owed.payer,
      value: owed.amountAtomic,
      validAfter: "0",
      validBefore: String(Math.floor(this.now() / 1000) + paybackSeconds),
      nonce: this.fate.hex(32)
    }
  }

  /** Speaks to a till; of one that dies meanwhile nothing is heard. */
  private tell(what: string, say: (server: Server) => Promise<OrderVerdict>): void {
    const server = this.server()
    if (server === undefined) return
    this.note(what)
    say(server).then(
      ({ outcome }) => this.note(`${what}: ${outcome}`),
      () => this.note(`${what}: the till could not`)
    )
  }
}
