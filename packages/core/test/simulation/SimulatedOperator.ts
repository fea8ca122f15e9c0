import type { OperatorResult } from "../../src/shop/orders/OrderOperator.ts"
import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { Order } from "../../src/shop/ports/Orders.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import {
  canceledByOperatorReason,
  type OrderInvariantChecker,
  reversedReason
} from "./OrderInvariantChecker.ts"
import type { Server } from "./Server.ts"
import type { Economy } from "./Economy.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"

/** What the operator does, and how often. */
export interface OperatorBehavior {
  /** Probability that an order is processed early, when it changes or is inspected. */
  readonly processNowChance: number
  /** Probability that an inspected order is canceled. */
  readonly cancelOrderChance: number
  /** Whether refunds are sent by hand, without a wallet. */
  readonly sendsRefunds: boolean
}

/** The recipient and amount of a refund, as the ledger shows them. */
export interface RefundDue {
  readonly payer: string
  readonly amountAtomic: string
}

/**
 * The host's operator: checks upstream before resolving a parked order, sends refunds by hand if there is no
 * wallet, and sometimes triggers processing early.
 */
export class SimulatedOperator {
  behavior: OperatorBehavior
  private readonly random: SeededRandom
  private readonly checker: OrderInvariantChecker
  private readonly upstream: SimulatedUpstream
  private readonly economy: Economy
  private readonly after: (millis: number, action: () => void) => void
  private readonly server: () => Server | undefined
  private readonly refundFor: (chargeKey: string) => RefundDue | undefined
  private readonly areRefundsStopped: () => boolean
  private readonly note: (what: string) => void
  /** The operator's own record of refunds, by charge, which outlives every process. */
  private readonly paid = new Map<string, Authorization>()
  private readonly seen = new Map<string, Order["status"]>()

  constructor(options: {
    readonly random: SeededRandom
    readonly behavior: OperatorBehavior
    readonly checker: OrderInvariantChecker
    readonly upstream: SimulatedUpstream
    readonly economy: Economy
    readonly after: (millis: number, action: () => void) => void
    /** A running till to call, if any. */
    readonly server: () => Server | undefined
    readonly refundFor: (chargeKey: string) => RefundDue | undefined
    readonly areRefundsStopped: () => boolean
    readonly note: (what: string) => void
  }) {
    this.random = options.random
    this.behavior = options.behavior
    this.checker = options.checker
    this.upstream = options.upstream
    this.economy = options.economy
    this.after = options.after
    this.server = options.server
    this.refundFor = options.refundFor
    this.areRefundsStopped = options.areRefundsStopped
    this.note = options.note
  }

  /** Called for each changed order. Retries don't count as changes. */
  orderWritten({ id, status }: Order): void {
    if (this.seen.get(id) === status) return
    this.seen.set(id, status)
    if (!this.random.chance(this.behavior.processNowChance)) return
    this.after(this.random.between(0, 40), () => this.processNow(id))
  }

  /** Inspects all orders and acts on them. */
  inspectOrders(): void {
    for (const order of this.checker.latest.values()) {
      if (order.status === "needs_operator") this.resolveParked(order)
      else if (this.random.chance(this.behavior.cancelOrderChance)) this.giveUp(order)
      else if (this.random.chance(this.behavior.processNowChance)) this.processNow(order.id)
    }
    if (this.areRefundsStopped()) this.resumeRefunds()
    if (this.behavior.sendsRefunds) for (const key of this.checker.refundsDue) this.sendRefund(key)
  }

  private resumeRefunds(): void {
    this.note("resumes refunds")
    this.server()
      ?.resumeRefunds()
      .catch(() => undefined)
  }

  private processNow(id: string): void {
    const reference = this.checker.latest.get(id)?.upstreamReference
    const isByReference = reference !== undefined && this.random.chance(0.5)
    this.callTill(`hurries ${id}`, ({ orders }) =>
      isByReference ? orders.processNowByReference(reference) : orders.processNow(id)
    )
  }

  private resolveParked(order: Order): void {
    const { id } = order
    // A placement in flight isn't visible yet: wait for it.
    if (this.upstream.isInFlight(id)) return
    if (this.random.chance(0.1)) return this.giveUp(order)
    const standing = this.upstream.orderOf(id)
    // An order whose payment was reversed isn't placed again.
    if (standing === undefined && order.reason === reversedReason) return this.giveUp(order)
    if (standing === undefined) this.callTill(`retries ${id}`, ({ orders }) => orders.retry(id))
    else this.callTill(`resolves ${id}`, ({ orders }) => orders.resolve(id, standing.reference))
  }

  private giveUp({ id }: Order): void {
    this.callTill(`gives up ${id}`, ({ orders }) => orders.cancel(id, canceledByOperatorReason))
  }

  private sendRefund(chargeKey: string): void {
    const transaction = this.transactionFor(chargeKey)
    if (transaction === undefined) return
    const order = Array.from(this.checker.latest.values()).find(
      (each) => each.chargeKey === chargeKey && each.status === "refund_due"
    )
    if (order === undefined || this.random.chance(0.3)) {
      const server = this.server()
      this.note(`records the refund of ${chargeKey.slice(-12)}`)
      server?.recordRefund(chargeKey, transaction).catch(() => undefined)
    } else this.callTill(`refunded ${order.id}`, ({ orders }) => orders.markRefunded(order.id, transaction))
  }

  /** The transaction that refunds a charge, once no reorganization can undo it. */
  private transactionFor(chargeKey: string): string | undefined {
    const { chain, manualTransfers } = this.economy
    const before = this.paid.get(chargeKey)
    const isOver = before !== undefined && manualTransfers.isOver(before)
    const signed = before === undefined || isOver ? this.signFor(chargeKey) : before
    if (signed === undefined) return undefined
    this.paid.set(chargeKey, signed)
    const transfer = chain.transferOf(signed)
    if (transfer === undefined) {
      const { outcome, transaction } = manualTransfers.send(signed)
      this.note(`pays back ${chargeKey.slice(-12)}: ${outcome}`)
      return this.economy.isFinal(undefined) ? transaction : undefined
    }
    return this.economy.isFinal(transfer) ? transfer.transaction : undefined
  }

  private signFor(chargeKey: string): Authorization | undefined {
    const due = this.refundFor(chargeKey)
    if (due === undefined) return undefined
    return this.economy.manualTransfers.sign(due.payer, due.amountAtomic, this.random.hex(32))
  }

  /** Calls a till; gets no response if the till crashes. */
  private callTill(what: string, call: (server: Server) => Promise<OperatorResult>): void {
    const server = this.server()
    if (server === undefined) return
    this.note(what)
    call(server).then(
      ({ outcome }) => this.note(`${what}: ${outcome}`),
      () => this.note(`${what}: the till failed`)
    )
  }
}
