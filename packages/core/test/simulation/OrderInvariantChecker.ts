import type { OrderStatus } from "../../src/shop/goods/Order.ts"
import type { Order } from "../../src/shop/ports/Orders.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"

/** Minimum time that placing is retried before an order may be parked. */
const placementDeadlineMillis = 24 * 3_600_000

/** Reason of orders that the operator canceled, in contrast to upstream cancellations. */
export const canceledByOperatorReason = "given_up"

/** Reason of orders parked because a reorganization undid their payment. */
export const reversedReason = "payment_reversed"

/** Final statuses. */
const ended: ReadonlySet<OrderStatus> = new Set(["abandoned", "delivered", "refunded"])

/** Observes every stored order and due refund, and records violated invariants. */
export class OrderInvariantChecker {
  /** The latest version of every order, by id. */
  readonly latest = new Map<string, Order>()
  /** Ids of orders that the operator canceled. */
  readonly canceledByOperator = new Set<string>()
  /** Keys of charges with a refund that is due but not recorded as sent. */
  readonly refundsDue = new Set<string>()
  /** Called for each stored order. */
  onWritten: (order: Order) => void = () => undefined
  private readonly upstream: SimulatedUpstream
  private readonly violation: (what: string) => void
  private readonly count: (what: string) => void
  private readonly now: () => number
  private readonly hasFault: () => boolean
  private readonly isReversed: (chargeKey: string) => boolean

  constructor(options: {
    readonly upstream: SimulatedUpstream
    readonly violation: (what: string) => void
    readonly count: (what: string) => void
    readonly now: () => number
    /** Whether any fault so far could have made a placement ambiguous. */
    readonly hasFault: () => boolean
    /** Whether a reorganization undid the payment of a charge. */
    readonly isReversed: (chargeKey: string) => boolean
  }) {
    this.upstream = options.upstream
    this.violation = options.violation
    this.count = options.count
    this.now = options.now
    this.hasFault = options.hasFault
    this.isReversed = options.isReversed
  }

  orderWritten(order: Order): void {
    const before = this.latest.get(order.id)
    this.latest.set(order.id, order)
    if (before?.status !== order.status) {
      this.count(`order is ${order.status}`)
      if (order.status === "needs_operator") this.checkParked(order)
      // Orders are written by version, so this is the previous version.
      if (order.status === "cancelled" && order.reason === canceledByOperatorReason)
        this.checkCanceled(order.id, before!.status)
    }
    this.onWritten(order)
  }

  /** Upstream created an order. */
  orderPlaced(orderId: string, times: number): void {
    if (times > 1) this.violation(`order ${orderId} was placed ${times} times upstream`)
    if (this.canceledByOperator.has(orderId))
      this.violation(`order ${orderId} was placed after the operator canceled it`)
  }

  private checkCanceled(orderId: string, before: OrderStatus): void {
    this.canceledByOperator.add(orderId)
    this.count(`canceled by the operator when ${before}`)
    const isUpstream = this.upstream.orderOf(orderId) !== undefined || this.upstream.isInFlight(orderId)
    if (before === "processing" && isUpstream)
      this.violation(`the operator canceled order ${orderId} as not placed, but it exists upstream`)
  }

  /** Nothing more happens to it without intervention. */
  isFinished({ dueAtMillis, mails, status }: Order): boolean {
    const isUntold =
      this.upstream.profile.reports !== "status" && (status === "placed" || status === "shipped")
    return mails.length === 0 && (ended.has(status) || (isUntold && dueAtMillis === undefined))
  }

  get areAllFinished(): boolean {
    return (
      this.refundsDue.size === 0 && Array.from(this.latest.values()).every((order) => this.isFinished(order))
    )
  }

  private checkParked({ chargeKey, createdAtMillis, id, reason, upstreamReference }: Order): void {
    if (reason === reversedReason) {
      this.count("order is parked: reversed")
      if (!this.isReversed(chargeKey))
        this.violation(`order ${id} is parked as reversed, but its payment is not`)
      return
    }
    if (reason !== "placement_unknown") return this.violation(`order ${id} is parked: ${reason}`)
    if (upstreamReference !== undefined)
      this.violation(`order ${id} is parked, but has an upstream reference`)
    const { canFind, honorsKeys } = this.upstream.profile
    // Allows for clock skew.
    const isYoung = this.now() - createdAtMillis < placementDeadlineMillis - 60_000
    if ((canFind || honorsKeys) && isYoung)
      this.violation(`order ${id} is parked, but upstream supports lookups or keys`)
    if (!this.upstream.wasAmbiguous(id) && !this.hasFault())
      this.violation(`order ${id} is parked, but its placement was not ambiguous`)
  }
}
