import type { FulfilmentOptions } from "../../src/shop/ports/FulfilmentOptions.ts"
import type { FulfilmentStatus, Parcel } from "../../src/shop/goods/Order.ts"
import type { SeededRandom } from "./SeededRandom.ts"
import type { Link } from "./Link.ts"
import { drawDeliveryPlan, type DeliveryPlan, statusAt } from "./DeliveryPlan.ts"
import type { PlaceMode, UpstreamProfile, UpstreamBehavior } from "./UpstreamProfile.ts"

/** An upstream order. */
export interface UpstreamOrder {
  readonly orderId: string
  readonly reference: string
  readonly acceptedMillis: number
  readonly deliveryPlan: DeliveryPlan
}

/** Longest time until a late placement arrives. */
const maxTransitMillis = 60_000
/** Longer than the till's timeout. */
const slowResponseMillis: readonly [number, number] = [5_500, 20_000]

interface Placing {
  readonly response: { readonly reference: string } | undefined
  readonly fromMillis: number
}

const thrown = (tag: string, fields: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new Error(tag), { _tag: tag, ...fields })

/**
 * The upstream that orders are placed with. It outlives every process and counts placements. It may honor
 * idempotency keys, may support lookups, and loses responses.
 */
export class SimulatedUpstream {
  behavior: UpstreamBehavior
  readonly profile: UpstreamProfile
  private readonly orders = new Map<string, UpstreamOrder>()
  private readonly byReference = new Map<string, UpstreamOrder>()
  private readonly inFlight = new Map<string, number>()
  private readonly refusals = new Map<string, boolean>()
  private readonly unclear = new Set<string>()
  private readonly random: SeededRandom
  private readonly now: () => number
  private readonly after: (millis: number, action: () => void) => void
  private readonly placed: (orderId: string, times: number) => void
  private readonly count: (what: string) => void
  private readonly times = new Map<string, number>()

  constructor(options: {
    readonly random: SeededRandom
    readonly now: () => number
    readonly after: (millis: number, action: () => void) => void
    readonly profile: UpstreamProfile
    readonly behavior: UpstreamBehavior
    /** Called for each created order; `times` counts those with this id. */
    readonly placed: (orderId: string, times: number) => void
    readonly count: (what: string) => void
  }) {
    this.random = options.random
    this.now = options.now
    this.after = options.after
    this.profile = options.profile
    this.behavior = options.behavior
    this.placed = options.placed
    this.count = options.count
  }

  /** The upstream as a process calls it. */
  portOf({ call }: Link): Omit<FulfilmentOptions, "quote"> {
    const { canFind, honorsKeys, reports } = this.profile
    return {
      place: ({ orderId }) => {
        let fromMillis = 0
        const place = () => {
          const placing = this.place(orderId)
          fromMillis = placing.fromMillis
          return placing.response
        }
        return call("host.place", place, () => fromMillis)
      },
      placesOnce: honorsKeys,
      ...(canFind
        ? {
            find: (orderId: string) =>
              call("host.find", () => this.find(orderId)).then(({ found }) => found ?? null)
          }
        : {}),
      ...(reports === "no function"
        ? {}
        : {
            status: (reference: string) =>
              call("host.status", () => this.status(reference)).then(({ found }) => found)
          })
    }
  }

  /** The upstream order of an order id. */
  orderOf(orderId: string): UpstreamOrder | undefined {
    return this.orders.get(orderId)
  }

  /** Whether a placement has yet to arrive. */
  isInFlight(orderId: string): boolean {
    return (this.inFlight.get(orderId) ?? 0) > 0
  }

  /** Whether any response about its placement was lost or ambiguous. */
  wasAmbiguous(orderId: string): boolean {
    return this.unclear.has(orderId)
  }

  statusOf(order: UpstreamOrder): FulfilmentStatus {
    return statusAt(order.deliveryPlan, this.now() - order.acceptedMillis)
  }

  private get isDown(): boolean {
    const [from, until] = this.profile.outage
    return from <= this.now() && this.now() < until
  }

  private place(orderId: string): Placing {
    if (this.isDown) {
      this.count("upstream is notPlaced")
      throw thrown(
        "NotPlaced",
        this.random.chance(0.5) ? { retryAfterSeconds: this.random.between(1, 120) } : {}
      )
    }
    const mode = this.random.weighted(this.behavior.place)
    this.count(`upstream is ${mode}`)
    if (mode !== "clean" && mode !== "notPlaced") this.unclear.add(orderId)
    return this.placeWith(orderId, mode)
  }

  private placeWith(orderId: string, mode: PlaceMode): Placing {
    switch (mode) {
      case "clean":
        return { response: this.createOrder(orderId), fromMillis: 0 }
      case "notPlaced":
        throw thrown("NotPlaced")
      case "lostBefore":
        throw new Error("connection refused, or so it seems")
      case "silentBefore":
        return { response: undefined, fromMillis: 0 }
      case "lostAfter":
        this.createOrder(orderId)
        throw thrown("TemporarilyUnavailable", { retryAfterSeconds: 3 })
      case "silentAfter":
        this.createOrder(orderId)
        return { response: undefined, fromMillis: 0 }
      case "malformed":
        this.createOrder(orderId)
        return { response: { reference: "" }, fromMillis: 0 }
      case "throwsAnything":
        if (this.random.chance(0.5)) this.createOrder(orderId)
        throw this.random.pick<unknown>([
          undefined,
          "no",
          { _tag: "Whatever" },
          { _tag: "PlacementRefused?" }
        ])
      case "slow": {
        const response = this.createOrder(orderId)
        return { response, fromMillis: this.now() + this.random.between(...slowResponseMillis) }
      }
      case "late":
        this.createLater(orderId)
        if (this.random.chance(0.5)) throw new Error("504 Gateway Timeout")
        return { response: undefined, fromMillis: 0 }
    }
  }

  private createLater(orderId: string): void {
    this.inFlight.set(orderId, (this.inFlight.get(orderId) ?? 0) + 1)
    this.after(this.random.between(0, maxTransitMillis), () => {
      this.inFlight.set(orderId, this.inFlight.get(orderId)! - 1)
      try {
        this.createOrder(orderId)
      } catch {
        // The order is refused, and no caller waits for that.
      }
    })
  }

  /** Creates an order or refuses it; with keys, always with the same outcome. */
  private createOrder(orderId: string): { readonly reference: string } {
    const { honorsKeys, refusalChance } = this.profile
    const standing = this.orders.get(orderId)
    if (honorsKeys && standing !== undefined) return { reference: standing.reference }
    const isRefused = this.refusals.get(orderId) ?? this.random.chance(refusalChance)
    this.refusals.set(orderId, isRefused)
    if (isRefused) {
      this.count("upstream refuses")
      throw this.random.chance(0.5)
        ? thrown("PlacementRefused", { reason: "sold_out" })
        : thrown("ProductUnavailable", { reason: "out_of_stock" })
    }
    const times = (this.times.get(orderId) ?? 0) + 1
    this.times.set(orderId, times)
    const order: UpstreamOrder = {
      orderId,
      reference: `upstream-order-${this.byReference.size + 1}`,
      acceptedMillis: this.now(),
      deliveryPlan: drawDeliveryPlan(this.random, this.profile.isQuick)
    }
    this.orders.set(orderId, order)
    this.byReference.set(order.reference, order)
    this.placed(orderId, times)
    return { reference: order.reference }
  }

  private find(orderId: string): { readonly found: string | undefined } {
    if (this.isDown || this.random.chance(this.behavior.lookupFailureChance))
      throw new Error("503 Service Unavailable")
    if (this.isInFlight(orderId)) throw new Error("a placement is on its way")
    const found = this.orders.get(orderId)?.reference
    this.count(found === undefined ? "is not found upstream" : "is found upstream")
    return { found }
  }

  private status(reference: string): { readonly found: FulfilmentStatus | undefined } {
    if (this.isDown || this.random.chance(this.behavior.lookupFailureChance))
      throw new Error("503 Service Unavailable")
    const order = this.byReference.get(reference)
    if (order === undefined) throw new Error("404 Not Found")
    return { found: this.profile.reports === "nothing" ? undefined : this.statusOf(order) }
  }
}

export const numbersOf = (shipments: ReadonlyArray<Parcel>): ReadonlyArray<string> =>
  shipments.map(({ trackingNumber }) => trackingNumber)
