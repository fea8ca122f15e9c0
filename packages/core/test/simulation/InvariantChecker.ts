import type { Authorization } from "../../src/domain/PaymentPayload.ts"
import type { Order } from "../../src/shop/ports/Orders.ts"
import type { VaultPurchase } from "../../src/shop/ports/VaultPurchases.ts"
import { definiteRefusals } from "../../src/toll/facilitator/FacilitatorVerdicts.ts"
import type { MoneyChain } from "./chain/MoneyChain.ts"
import type { Economy } from "./Economy.ts"
import type { OrderInvariantChecker } from "./OrderInvariantChecker.ts"
import { authorizationOf, type Call, type Copy, errorOf, type Payment, type Reply } from "./Payment.ts"
import type { Settled, SettleMode } from "./SimulatedFacilitator.ts"

/** Observes everything that is sent or stored, and records violated invariants. */
export class InvariantChecker {
  readonly payments = new Map<string, Payment>()
  readonly violations: Array<string> = []
  readonly counts = new Map<string, number>()
  private readonly chain: MoneyChain
  private readonly isFinal: Economy["isFinal"]
  /** True until an operator resumes refunds. */
  areRefundsStopped = false
  private readonly lagMillis: () => number
  private readonly now: () => number
  private orderChecker: OrderInvariantChecker | undefined
  private readonly chargeOfOrder = new Map<string, string>()
  private readonly chargeOfPurchase = new Map<string, string>()
  private readonly note: (what: string) => void

  constructor(options: {
    readonly chain: MoneyChain
    readonly isFinal: Economy["isFinal"]
    /** How far the node lags behind the chain. */
    readonly lagMillis: () => number
    readonly now: () => number
    readonly note: (what: string) => void
  }) {
    this.chain = options.chain
    this.isFinal = options.isFinal
    this.lagMillis = options.lagMillis
    this.now = options.now
    this.note = options.note
  }

  /** Checks orders beyond their payment. Set once, when the upstream exists. */
  get orders(): OrderInvariantChecker {
    if (this.orderChecker === undefined) throw new Error("the order checker is not set")
    return this.orderChecker
  }

  set orders(orderChecker: OrderInvariantChecker) {
    this.orderChecker = orderChecker
  }

  paymentSigned(payment: Payment): void {
    this.payments.set(payment.key, payment)
  }

  /** Counts an event, to prove that runs are not vacuous. */
  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  violation(payment: Payment | undefined, what: string): void {
    const text = payment === undefined ? what : `${payment.name}: ${what}`
    this.violations.push(text)
    this.note(`VIOLATION ${text}`)
  }

  chargeClaimed(key: string): void {
    const payment = this.payments.get(key)
    if (payment !== undefined) payment.claimedMillis ??= this.now()
  }

  /** The database lost a claim with its power: nothing of this payment is known any more. */
  claimLost(key: string): void {
    const payment = this.payments.get(key)
    if (payment !== undefined) payment.claimedMillis = undefined
  }

  /** The facilitator was called to settle. */
  settleRequested(authorization: Authorization, mode: SettleMode): void {
    this.count(`facilitator is ${mode}`)
    for (const payment of this.paymentsOf(authorization)) {
      if (mode === "liesSuccess") payment.facilitatorLied = true
      payment.mayMove = mode !== "rejects" && mode !== "liesRefusal"
      if (!payment.mayMove) payment.rejectedMillis = this.now()
    }
  }

  /** A payment reached one of two facilitators to be settled. */
  settleGiven(authorization: Authorization, facilitator: number): void {
    for (const payment of this.paymentsOf(authorization)) {
      // From here on the till must know of it, whatever its database lost before.
      payment.claimedMillis ??= this.now()
      const before = payment.givenTo
      if (before !== undefined && before !== facilitator) {
        this.count("given to another facilitator")
        if (payment.mayMove && !this.isSpent(authorization))
          this.violation(
            payment,
            "is given to a second facilitator while its outcome at the first is unknown"
          )
      }
      payment.givenTo = facilitator
      this.count(`settled by facilitator ${facilitator}`)
    }
  }

  /** The facilitator responded. */
  settleResponded(authorization: Authorization, { errorReason, success, transaction }: Settled): void {
    for (const payment of this.paymentsOf(authorization)) {
      if (success) payment.isReportedSettled = true
      // It found the payment in an old block. Cheap routes believe it ("What no server can promise", docs/threats/limits.md).
      if (success && this.wasPublic(payment)) payment.facilitatorLied = true
      else if (transaction === "" && definiteRefusals.has(errorReason ?? "")) {
        payment.mayMove = false
        payment.rejectedMillis = this.now()
      }
    }
  }

  /** The till's own facilitator is called; returns what to report of its response, `undefined` if there was none. */
  ownSettlementCalled(authorization: Authorization): (settled: Settled | undefined) => void {
    const payments = this.paymentsOf(authorization)
    for (const payment of payments) {
      payment.settlingCalls++
      payment.isDenied = false
    }
    return (settled) => {
      for (const payment of payments) {
        payment.settlingCalls--
        const isDenied =
          settled?.success === false &&
          settled.transaction === "" &&
          !openOutcomes.has(settled.errorReason ?? "")
        // Another call may have sent it meanwhile.
        if (payment.settlingCalls === 0) payment.isDenied = isDenied
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

  /** A process stopped all refunds: correct only if the ledger records money that never moved. */
  refundsStopped(reason: string): void {
    this.areRefundsStopped = true
    this.count("refunds stopped")
    const isExplained = Array.from(this.payments.values()).some((payment) =>
      this.isDeceived(payment, "search")
    )
    if (!isExplained) this.violation(undefined, `refunds are stopped without a reason: ${reason}`)
  }

  orderCreated(order: Order): void {
    this.chargeOfOrder.set(order.id, order.chargeKey)
    this.orders.orderWritten(order)
  }

  purchaseReserved({ chargeKey, id }: Omit<VaultPurchase, "status">): void {
    this.chargeOfPurchase.set(id, chargeKey)
  }

  /** A purchase was granted. */
  purchaseGranted(purchaseId: string): void {
    this.recordEffect(this.chargeOfPurchase.get(purchaseId), `purchase ${purchaseId}`)
  }

  /** Upstream created an order; `times` counts those with this id. */
  orderPlaced(orderId: string, times: number): void {
    this.orders.orderPlaced(orderId, times)
    this.recordEffect(this.chargeOfOrder.get(orderId), `order ${orderId}`)
  }

  /** A response leaves a process. `arrivedMillis`: when its request arrived. */
  responseSent(
    payment: Payment,
    presented: { copy: Copy; call: Call; arrivedMillis: number },
    reply: Reply
  ): void {
    this.count(`${reply.status}${codeOf(reply)}`)
    if (reply.status === 200) this.checkPaidResponse(payment, presented, reply)
    else if (reply.status === 402) this.checkRefusal(payment, presented, reply)
    else if (presented.call.route === "download") this.checkFailedDownload(payment, presented.call, reply)
  }

  /** Whether the money has moved, according to the chain. */
  hasMoved(payment: Payment): boolean {
    const transfer = this.chain.transferOf(authorizationOf(payment))
    return (
      (transfer !== undefined && transfer.visibleMillis <= this.now()) ||
      // It had moved until a reorganization, which may have happened just now.
      this.chain.hasEverMoved(authorizationOf(payment))
    )
  }

  /** Whether the money of a charge moved and a reorganization undid that. */
  isReversed(chargeKey: string): boolean {
    const payment = this.payments.get(chargeKey)
    if (payment === undefined) return false
    const authorization = authorizationOf(payment)
    return this.chain.hasEverMoved(authorization) && this.chain.transferOf(authorization) === undefined
  }

  /** Whether an operation relies on the facilitator's report and the report was false. */
  isDeceived(payment: Payment, operation: string): boolean {
    return (
      trusting.has(operation) &&
      (payment.facilitatorLied || (payment.isReportedSettled && this.chain.isReorganized))
    )
  }

  /** Whether the chain shows for good that the payment moves no more money, whatever a facilitator does with it. */
  private isSpent(authorization: Authorization): boolean {
    const minedMillis =
      this.chain.wastedMillis(authorization) ?? this.chain.transferOf(authorization)?.minedMillis
    return minedMillis !== undefined && this.isFinal({ minedMillis })
  }

  /** Whether the transfer was publicly visible for a while before the payment was presented. */
  wasPublic(payment: Payment): boolean {
    const transfer = this.chain.transferOf(authorizationOf(payment))
    return (
      transfer !== undefined &&
      payment.presentedMillis !== undefined &&
      transfer.visibleMillis < payment.presentedMillis - publicMillis
    )
  }

  private checkPaidResponse(
    payment: Payment,
    { call, copy }: { readonly copy: Copy; readonly call: Call },
    reply: Reply
  ): void {
    if (copy === "forged") this.violation(payment, "a forged copy got a paid response")
    if (!this.hasMoved(payment) && !this.isDeceived(payment, call.route)) {
      this.violation(payment, "got a paid response although no money has moved")
    }
    payment.delivered.add(call.name)
    if (call.route === "download") this.count("download")
    const before = payment.firstResponse
    if (before === undefined) {
      payment.firstResponse = { reply, call: call.name }
      return
    }
    this.count("replayed")
    if (before.call !== call.name) this.violation(payment, `buys ${before.call} and ${call.name}`)
    // After a reorganization, the same response may name another transaction.
    else if (
      before.reply.text !== reply.text ||
      (before.reply.receipt !== reply.receipt && !this.chain.hasEverMoved(authorizationOf(payment)))
    ) {
      this.violation(payment, `got a different response: ${before.reply.text} then ${reply.text}`)
    }
  }

  private checkRefusal(
    payment: Payment,
    {
      arrivedMillis,
      call,
      copy
    }: { readonly copy: Copy; readonly call: Call; readonly arrivedMillis: number },
    reply: Reply
  ): void {
    if (copy === "forged" || call.name !== payment.ownCall.name || explainsOutcome(reply)) return
    // A definite refusal by the facilitator after this request arrived explains the response.
    const isRejected = payment.rejectedMillis >= arrivedMillis
    if (payment.mayMove && !isRejected) payment.refusalWhileOpen ??= errorOf(reply)
    const { claimedMillis } = payment
    const transfer = this.chain.transferOf(authorizationOf(payment))
    // Transfers before the claim, during this request, or beyond the node's view could not be known.
    const isKnowable =
      transfer !== undefined &&
      claimedMillis !== undefined &&
      transfer.minedMillis >= claimedMillis &&
      transfer.visibleMillis < arrivedMillis - this.lagMillis() - this.chain.visibilityMillis
    if (isKnowable) this.violation(payment, `its money has moved, but it is refused: ${errorOf(reply)}`)
  }

  /** Only the buyer of an item has its token, after the item's payment settled: the purchase can't be unknown. */
  private checkFailedDownload(payment: Payment, { path }: Call, reply: Reply): void {
    const purchaseId = /download\/([^?]+)/.exec(path)?.[1] ?? ""
    const isReversed = this.isReversed(this.chargeOfPurchase.get(purchaseId) ?? "")
    if (reply.status < 500 && !hasToWait(reply) && !isReversed)
      this.violation(
        payment,
        `a bought item can't be downloaded: ${reply.status} ${reply.text.slice(0, 150)}`
      )
  }

  private recordEffect(key: string | undefined, what: string): void {
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

/** Operations and routes for which the facilitator's report is enough. */
const trusting: ReadonlySet<string> = new Set(["search", "download", "vaultDownload"])

/** Reasons of the till's own facilitator that don't say that nothing has moved or can move. */
const openOutcomes: ReadonlySet<string> = new Set([
  "unexpected_settle_error",
  "invalid_exact_evm_nonce_already_used"
])

/** Transfers older than this buy nothing: exceeds the clock skew between payers and processes. */
const publicMillis = 45_000

/** A response that has the caller wait. */
const hasToWait = ({ status }: Reply): boolean => status === 409 || status === 429

const codeOf = (reply: Reply): string => {
  if (reply.status === 200) return ""
  const { code, error } = JSON.parse(reply.text) as { readonly code?: string; readonly error?: string }
  return ` ${code ?? error?.split(":")[0]}`
}

/** A refusal that names the payment's outcome, so that no client pays again. */
const explainsOutcome = (reply: Reply): boolean =>
  /^(?:payment_already_used|payment_refund_due): /.test(errorOf(reply))
