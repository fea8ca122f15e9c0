import type { Authorization, PaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { Order } from "../../src/ports/Orders.ts"
import type { OrderWitness } from "./OrderWitness.ts"
import type { VaultPurchase } from "../../src/ports/VaultPurchases.ts"
import { blockMillis, type SimulatedChain } from "./chain/SimulatedChain.ts"
import { definiteRefusals } from "../../src/toll/Facilitator.ts"
import type { Settled, SettleManner } from "./SimulatedFacilitator.ts"

export type RouteName = "search" | "buy" | "vaultBuy"

/** A request of a client, before anybody pays. */
export interface Call {
  /** Another for each request that differs. */
  readonly name: string
  readonly route: RouteName
  readonly path: string
  /** With it the call is a POST. */
  readonly body?: unknown
}

/** An answer as it left the process. */
export interface Reply {
  readonly status: number
  readonly text: string
  /** What stands in `PAYMENT-RESPONSE` and in `PAYMENT-REQUIRED`. */
  readonly receipt: string | null
  readonly required: string | null
}

/** A signed payment, and all that became of it. */
export interface Payment {
  readonly name: string
  /** Its charge's key. */
  readonly key: string
  readonly payload: PaymentPayload
  readonly header: string
  /** The request that it was signed for. */
  readonly own: Call
  /** When it first arrived at a process, in true time. */
  presentedMillis: number | undefined
  /** When it was first claimed, in true time. */
  claimedMillis: number | undefined
  /** The facilitator said once that it had settled it, and had not. */
  lied: boolean
  /** The facilitator said that it had settled it, and a reorganization may have undone that. */
  isReported: boolean
  /** The facilitator was asked to settle it, and has not refused to: it may move. */
  isOpen: boolean
  /** When the facilitator last refused to settle it, true or not. */
  rejectedMillis: number
  /** It was refused afresh while it might move. */
  refusedOpen: string | undefined
  /** The first answer that it bought, and for which request. */
  answer: { readonly reply: Reply; readonly call: string } | undefined
  /** Every request that it was presented for. */
  readonly calls: Map<string, Call>
  /** What it was answered when it was presented last, for each of them, after the world had healed. */
  readonly last: Map<string, Reply | undefined>
  /** Orders placed and purchases granted for it. */
  readonly effects: Set<string>
  /** Requests for which it was given a paid response, and those for which one reached the client. */
  readonly delivered: Set<string>
  readonly received: Set<string>
}

/** A payment that was signed just now. */
export const newPayment = (
  options: Pick<Payment, "name" | "key" | "payload" | "header" | "own">
): Payment => ({
  ...options,
  presentedMillis: undefined,
  claimedMillis: undefined,
  lied: false,
  isReported: false,
  isOpen: false,
  rejectedMillis: -Infinity,
  refusedOpen: undefined,
  answer: undefined,
  calls: new Map([[options.own.name, options.own]]),
  last: new Map(),
  effects: new Set(),
  delivered: new Set(),
  received: new Set()
})

export const authorizationOf = (payment: Payment): Authorization => payment.payload.payload.authorization

/** What is presented: the payment itself, or a copy with a signature that nobody made. */
export type Copy = "authentic" | "forged"

/** Sees everything that leaves a process or is written, and says what must not be. */
export class Witness {
  readonly payments = new Map<string, Payment>()
  readonly violations: Array<string> = []
  readonly counts = new Map<string, number>()
  private readonly chain: SimulatedChain
  /** Until an operator resumes them. */
  areRefundsStopped = false
  private readonly lagMillis: () => number
  private readonly now: () => number
  /** Sees to orders beyond their payment; given once their upstream is there. */
  orders!: OrderWitness
  private readonly chargeOfOrder = new Map<string, string>()
  private readonly chargeOfPurchase = new Map<string, string>()
  private readonly note: (what: string) => void

  constructor(options: {
    readonly chain: SimulatedChain
    /** How far the node's view is behind. */
    readonly lagMillis: () => number
    readonly now: () => number
    readonly note: (what: string) => void
  }) {
    this.chain = options.chain
    this.lagMillis = options.lagMillis
    this.now = options.now
    this.note = options.note
  }

  signed(payment: Payment): void {
    this.payments.set(payment.key, payment)
  }

  /** Counts that something came about, for the proof that runs are not vacuous. */
  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  violation(payment: Payment | undefined, what: string): void {
    const text = payment === undefined ? what : `${payment.name}: ${what}`
    this.violations.push(text)
    this.note(`VIOLATION ${text}`)
  }

  claimed(key: string): void {
    const payment = this.payments.get(key)
    if (payment !== undefined) payment.claimedMillis ??= this.now()
  }

  /** The facilitator is asked to settle. */
  asked(authorization: Authorization, manner: SettleManner): void {
    this.count(`is ${manner}`)
    for (const payment of this.paymentsOf(authorization)) {
      if (manner === "liesSuccess") payment.lied = true
      payment.isOpen = manner !== "rejects" && manner !== "liesRefusal"
      if (!payment.isOpen) payment.rejectedMillis = this.now()
    }
  }

  /** The facilitator has responded to that. */
  told(authorization: Authorization, { errorReason, success, transaction }: Settled): void {
    for (const payment of this.paymentsOf(authorization)) {
      if (success) payment.isReported = true
      else if (transaction === "" && definiteRefusals.has(errorReason ?? "")) {
        payment.isOpen = false
        payment.rejectedMillis = this.now()
      }
    }
  }

  private paymentsOf({ from, nonce }: Authorization): ReadonlyArray<Payment> {
    return Array.from(this.payments.values()).filter((payment) => {
      const authorization = authorizationOf(payment)
      return authorization.nonce === nonce && authorization.from === from
    })
  }

  /** The payment of an authorization, by payer and nonce. */
  paymentOf(authorization: Authorization): Payment | undefined {
    return this.paymentsOf(authorization)[0]
  }

  /** A process stops all refunds, which is right only where money was entered that never came. */
  refundsStopped(reason: string): void {
    this.areRefundsStopped = true
    this.count("refunds stopped")
    const isExplained = Array.from(this.payments.values()).some((payment) =>
      this.isTakenIn(payment, "search")
    )
    if (!isExplained) this.violation(undefined, `refunds are stopped, and nothing is wrong: ${reason}`)
  }

  ordered(order: Order): void {
    this.chargeOfOrder.set(order.id, order.chargeKey)
    this.orders.written(order)
  }

  reserved({ chargeKey, id }: Omit<VaultPurchase, "status">): void {
    this.chargeOfPurchase.set(id, chargeKey)
  }

  /** A verb `grant` took effect. */
  granted(purchaseId: string): void {
    this.effect(this.chargeOfPurchase.get(purchaseId), `purchase ${purchaseId}`)
  }

  /** An order is made upstream, for the so manieth time. */
  placed(orderId: string, times: number): void {
    this.orders.placed(orderId, times)
    this.effect(this.chargeOfOrder.get(orderId), `order ${orderId}`)
  }

  /** An answer leaves a process. `arrivedMillis`: when its request came in. */
  released(
    payment: Payment,
    presented: { copy: Copy; call: Call; arrivedMillis: number },
    reply: Reply
  ): void {
    this.count(`${reply.status}${codeOf(reply)}`)
    if (reply.status === 200) this.answered(payment, presented, reply)
    else if (reply.status === 402) this.refused(payment, presented, reply)
  }

  /** Whether the money has moved, by the chain's own books. */
  hasMoved(payment: Payment): boolean {
    const transfer = this.chain.transferOf(authorizationOf(payment))
    return (
      (transfer !== undefined && transfer.minedMillis <= this.now()) ||
      // It stood there until a reorganization, which may have come this very moment.
      this.chain.hasEverMoved(authorizationOf(payment))
    )
  }

  /** Whether the money of a charge moved, and a reorganization undid that. */
  isReversed(chargeKey: string): boolean {
    const payment = this.payments.get(chargeKey)
    if (payment === undefined) return false
    const authorization = authorizationOf(payment)
    return this.chain.hasEverMoved(authorization) && this.chain.transferOf(authorization) === undefined
  }

  /** Whether an operation takes a facilitator's word, and that was a lie. */
  isTakenIn(payment: Payment, operation: string): boolean {
    return operation === "search" && (payment.lied || (payment.isReported && this.chain.isReorganized))
  }

  /** Whether everybody could read it off the chain for a while before it was presented. */
  wasPublic(payment: Payment): boolean {
    const transfer = this.chain.transferOf(authorizationOf(payment))
    return (
      transfer !== undefined &&
      payment.presentedMillis !== undefined &&
      transfer.visibleMillis < payment.presentedMillis - publicMillis
    )
  }

  private answered(
    payment: Payment,
    { call, copy }: { readonly copy: Copy; readonly call: Call },
    reply: Reply
  ): void {
    if (copy === "forged") this.violation(payment, "a forged copy is answered")
    if (!this.hasMoved(payment) && !this.isTakenIn(payment, call.route)) {
      this.violation(payment, "is answered although no money has moved")
    }
    payment.delivered.add(call.name)
    const before = payment.answer
    if (before === undefined) {
      payment.answer = { reply, call: call.name }
      return
    }
    this.count("replayed")
    if (before.call !== call.name) this.violation(payment, `buys ${before.call} and ${call.name}`)
    // A reorganization may leave the same response with another transaction.
    else if (
      before.reply.text !== reply.text ||
      (before.reply.receipt !== reply.receipt && !this.chain.hasEverMoved(authorizationOf(payment)))
    ) {
      this.violation(payment, `is answered anew: ${before.reply.text} then ${reply.text}`)
    }
  }

  private refused(
    payment: Payment,
    {
      arrivedMillis,
      call,
      copy
    }: { readonly copy: Copy; readonly call: Call; readonly arrivedMillis: number },
    reply: Reply
  ): void {
    if (copy === "forged" || call.name !== payment.own.name || namesItsUse(reply)) return
    // Who was told by the facilitator that nothing was sent says so, however late its own answer is.
    const isTold = payment.rejectedMillis >= arrivedMillis
    if (payment.isOpen && !isTold) payment.refusedOpen ??= errorOf(reply)
    const { claimedMillis } = payment
    const transfer = this.chain.transferOf(authorizationOf(payment))
    // What moved before it was presented here, or while the refusal was made, or further on than the node's
    // view goes, nobody could know of.
    const isKnowable =
      transfer !== undefined &&
      claimedMillis !== undefined &&
      transfer.minedMillis >= claimedMillis &&
      transfer.visibleMillis < arrivedMillis - this.lagMillis() - blockMillis
    if (isKnowable)
      this.violation(payment, `its money has moved, and it is refused afresh: ${errorOf(reply)}`)
  }

  private effect(key: string | undefined, what: string): void {
    const payment = key === undefined ? undefined : this.payments.get(key)
    if (payment === undefined) return this.violation(undefined, `${what} belongs to no payment`)
    this.count(what.split(" ")[0]!)
    if (!this.hasMoved(payment)) this.violation(payment, `${what} although no money has moved`)
    payment.effects.add(what)
    if (payment.effects.size > 1) {
      this.violation(payment, `more than one effect: ${Array.from(payment.effects).join(", ")}`)
    }
  }
}

/** A transfer that is older than this buys nothing: more than the clocks of payers and processes may differ. */
const publicMillis = 45_000

export const errorOf = ({ text }: Reply): string => String((JSON.parse(text) as { error?: unknown }).error)

const codeOf = (reply: Reply): string => {
  if (reply.status === 200) return ""
  const { code, error } = JSON.parse(reply.text) as { readonly code?: string; readonly error?: string }
  return ` ${code ?? error?.split(":")[0]}`
}

/** A refusal that says what became of the payment, so that no client pays again for want of knowing. */
const namesItsUse = (reply: Reply): boolean =>
  /^(?:payment_already_used|payment_refund_due): /.test(errorOf(reply))
