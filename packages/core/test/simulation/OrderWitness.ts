import type { OrderStatus } from "../../src/domain/Order.ts"
import type { Order } from "../../src/ports/Orders.ts"
import type { SimulatedUpstream } from "./SimulatedUpstream.ts"

/** How long placing is tried before an order may be left to an operator, whatever its upstream can do. */
const patienceMillis = 24 * 3_600_000

/** Why an operator gives an order up: tells it from one that upstream cancelled. */
export const givenUpReason = "given_up"

/** Why an order is parked whose payment a reorganization undid. */
export const reversedReason = "payment_reversed"

/** Statuses in which nothing is left to do for anybody. */
const ended: ReadonlySet<OrderStatus> = new Set(["abandoned", "delivered", "refunded"])

/** Sees every order as it is written, and what is owed for which charge; says what must not be. */
export class OrderWitness {
  /** Every order as it was written last, by id. */
  readonly standing = new Map<string, Order>()
  /** Orders that an operator gave up. */
  readonly givenUp = new Set<string>()
  /** Keys of charges that are owed back and not recorded as sent. */
  readonly owed = new Set<string>()
  /** Told of each order that is written. */
  onWritten: (order: Order) => void = () => undefined
  private readonly upstream: SimulatedUpstream
  private readonly violation: (what: string) => void
  private readonly count: (what: string) => void
  private readonly now: () => number
  private readonly hasMisfortune: () => boolean
  private readonly isReversed: (chargeKey: string) => boolean

  constructor(options: {
    readonly upstream: SimulatedUpstream
    readonly violation: (what: string) => void
    readonly count: (what: string) => void
    readonly now: () => number
    /** Whether anything has befallen a process or a store yet that could make a placing unclear. */
    readonly hasMisfortune: () => boolean
    /** Whether a reorganization undid the payment of a charge. */
    readonly isReversed: (chargeKey: string) => boolean
  }) {
    this.upstream = options.upstream
    this.violation = options.violation
    this.count = options.count
    this.now = options.now
    this.hasMisfortune = options.hasMisfortune
    this.isReversed = options.isReversed
  }

  written(order: Order): void {
    const before = this.standing.get(order.id)
    this.standing.set(order.id, order)
    if (before?.status !== order.status) {
      this.count(`order is ${order.status}`)
      if (order.status === "needs_operator") this.parked(order)
      // The one before is the very one that was seen: orders are written by version.
      if (order.status === "cancelled" && order.reason === givenUpReason)
        this.gaveUp(order.id, before!.status)
    }
    this.onWritten(order)
  }

  /** Two orders of one id stand upstream. */
  placed(orderId: string, times: number): void {
    if (times > 1) this.violation(`order ${orderId} was placed ${times} times upstream`)
    if (this.givenUp.has(orderId)) this.violation(`order ${orderId} was placed after it was given up`)
  }

  private gaveUp(orderId: string, before: OrderStatus): void {
    this.givenUp.add(orderId)
    this.count(`given up when ${before}`)
    const isUpstream = this.upstream.orderOf(orderId) !== undefined || this.upstream.isUnderWay(orderId)
    if (before === "processing" && isUpstream)
      this.violation(`order ${orderId} is given up as not yet placed, and stands upstream`)
  }

  /** Nothing is left to do by itself. */
  isAtRest({ dueAtMillis, mails, status }: Order): boolean {
    const isUntold =
      this.upstream.character.tells !== "status" && (status === "placed" || status === "shipped")
    return mails.length === 0 && (ended.has(status) || (isUntold && dueAtMillis === undefined))
  }

  get isAllAtRest(): boolean {
    return this.owed.size === 0 && Array.from(this.standing.values()).every((order) => this.isAtRest(order))
  }

  private parked({ chargeKey, createdAtMillis, id, reason, upstreamReference }: Order): void {
    if (reason === reversedReason) {
      this.count("order is parked: reversed")
      if (!this.isReversed(chargeKey)) this.violation(`order ${id} is parked, and its payment stands`)
      return
    }
    if (reason !== "placement_unknown") return this.violation(`order ${id} is parked: ${reason}`)
    if (upstreamReference !== undefined) this.violation(`order ${id} is parked, and is known upstream`)
    const { canBeAsked, honoursKeys } = this.upstream.character
    // Clocks differ by seconds.
    const isYoung = this.now() - createdAtMillis < patienceMillis - 60_000
    if ((canBeAsked || honoursKeys) && isYoung)
      this.violation(`order ${id} is parked, and upstream could be asked`)
    if (!this.upstream.wasUnclear(id) && !this.hasMisfortune())
      this.violation(`order ${id} is parked, and nothing about it was unclear`)
  }
}
