import type { FulfilmentOptions } from "../../src/ProviderOptions.ts"
import type { FulfilmentStatus, Parcel } from "../../src/domain/Order.ts"
import type { Fate } from "./Fate.ts"
import type { Link } from "./Link.ts"
import { courseOf, type Course, standingOf } from "./Course.ts"
import type { PlaceManner, UpstreamCharacter, UpstreamTemper } from "./UpstreamCharacter.ts"

/** An order as it stands upstream. */
export interface UpstreamOrder {
  readonly orderId: string
  readonly reference: string
  readonly acceptedMillis: number
  readonly course: Course
}

/** Longest that a placement is on its way after it was sent. */
const longestWayMillis = 60_000
/** Longer than the till waits for an answer. */
const slowAnswersMillis: readonly [number, number] = [5_500, 20_000]

interface Placing {
  readonly answer: { readonly reference: string } | undefined
  readonly fromMillis: number
}

const thrown = (tag: string, fields: Readonly<Record<string, unknown>> = {}): Error =>
  Object.assign(new Error(tag), { _tag: tag, ...fields })

/**
 * The upstream that orders are placed with: it outlives every process, counts what it was made to do, honours keys or
 * does not, can be asked or can't, and loses answers on the way.
 */
export class SimulatedUpstream {
  temper: UpstreamTemper
  readonly character: UpstreamCharacter
  private readonly orders = new Map<string, UpstreamOrder>()
  private readonly byReference = new Map<string, UpstreamOrder>()
  private readonly underWay = new Map<string, number>()
  private readonly refusals = new Map<string, boolean>()
  private readonly unclear = new Set<string>()
  private readonly fate: Fate
  private readonly now: () => number
  private readonly after: (millis: number, happen: () => void) => void
  private readonly placed: (orderId: string, times: number) => void
  private readonly count: (what: string) => void
  private readonly times = new Map<string, number>()

  constructor(options: {
    readonly fate: Fate
    readonly now: () => number
    readonly after: (millis: number, happen: () => void) => void
    readonly character: UpstreamCharacter
    readonly temper: UpstreamTemper
    /** An order was made: the first of its id, the second… */
    readonly placed: (orderId: string, times: number) => void
    readonly count: (what: string) => void
  }) {
    this.fate = options.fate
    this.now = options.now
    this.after = options.after
    this.character = options.character
    this.temper = options.temper
    this.placed = options.placed
    this.count = options.count
  }

  /** What a process sees of it. */
  portOf({ call }: Link): Omit<FulfilmentOptions, "quote"> {
    const { canBeAsked, honoursKeys, tells } = this.character
    return {
      place: ({ orderId }) => {
        let fromMillis = 0
        const place = () => {
          const placing = this.place(orderId)
          fromMillis = placing.fromMillis
          return placing.answer
        }
        return call("host.place", place, () => fromMillis)
      },
      placesOnce: honoursKeys,
      ...(canBeAsked
        ? {
            find: (orderId: string) => call("host.find", () => this.find(orderId)).then(({ found }) => found)
          }
        : {}),
      ...(tells === "no function"
        ? {}
        : {
            status: (reference: string) =>
              call("host.status", () => this.status(reference)).then(({ found }) => found)
          })
    }
  }

  /** The order of an id as it stands, by upstream's own books. */
  orderOf(orderId: string): UpstreamOrder | undefined {
    return this.orders.get(orderId)
  }

  /** Whether a placement of it has yet to arrive. */
  isUnderWay(orderId: string): boolean {
    return (this.underWay.get(orderId) ?? 0) > 0
  }

  /** Whether ever an answer about its placing was lost or said nothing. */
  wasUnclear(orderId: string): boolean {
    return this.unclear.has(orderId)
  }

  standing(order: UpstreamOrder): FulfilmentStatus {
    return standingOf(order.course, this.now() - order.acceptedMillis)
  }

  private get isDown(): boolean {
    const [from, until] = this.character.outage
    return from <= this.now() && this.now() < until
  }

  private place(orderId: string): Placing {
    if (this.isDown) {
      this.count("upstream is notPlaced")
      throw thrown("NotPlaced", this.fate.chance(0.5) ? { retryAfterSeconds: this.fate.between(1, 120) } : {})
    }
    const manner = this.fate.weighted(this.temper.place)
    this.count(`upstream is ${manner}`)
    if (manner !== "clean" && manner !== "notPlaced") this.unclear.add(orderId)
    return this.placeSo(orderId, manner)
  }

  private placeSo(orderId: string, manner: PlaceManner): Placing {
    switch (manner) {
      case "clean":
        return { answer: this.accept(orderId), fromMillis: 0 }
      case "notPlaced":
        throw thrown("NotPlaced")
      case "lostBefore":
        throw new Error("connection refused, or so it seems")
      case "silentBefore":
        return { answer: undefined, fromMillis: 0 }
      case "lostAfter":
        this.accept(orderId)
        throw thrown("TemporarilyUnavailable", { retryAfterSeconds: 3 })
      case "silentAfter":
        this.accept(orderId)
        return { answer: undefined, fromMillis: 0 }
      case "malformed":
        this.accept(orderId)
        return { answer: { reference: "" }, fromMillis: 0 }
      case "throwsAnything":
        if (this.fate.chance(0.5)) this.accept(orderId)
        throw this.fate.pick<unknown>([undefined, "no", { _tag: "Whatever" }, { _tag: "PlacementRefused?" }])
      case "slow": {
        const answer = this.accept(orderId)
        return { answer, fromMillis: this.now() + this.fate.between(...slowAnswersMillis) }
      }
      case "late":
        this.arriveLater(orderId)
        if (this.fate.chance(0.5)) throw new Error("504 Gateway Timeout")
        return { answer: undefined, fromMillis: 0 }
    }
  }

  private arriveLater(orderId: string): void {
    this.underWay.set(orderId, (this.underWay.get(orderId) ?? 0) + 1)
    this.after(this.fate.between(0, longestWayMillis), () => {
      this.underWay.set(orderId, this.underWay.get(orderId)! - 1)
      try {
        this.accept(orderId)
      } catch {
        // It is refused, and nobody is there to hear of it.
      }
    })
  }

  /** Makes an order, or refuses it; with keys, once and for all. */
  private accept(orderId: string): { readonly reference: string } {
    const { honoursKeys, refusalChance } = this.character
    const standing = this.orders.get(orderId)
    if (honoursKeys && standing !== undefined) return { reference: standing.reference }
    const isRefused = this.refusals.get(orderId) ?? this.fate.chance(refusalChance)
    this.refusals.set(orderId, isRefused)
    if (isRefused) {
      this.count("upstream refuses")
      throw this.fate.chance(0.5)
        ? thrown("PlacementRefused", { reason: "sold_out" })
        : thrown("ProductUnavailable", { reason: "out_of_stock" })
    }
    const times = (this.times.get(orderId) ?? 0) + 1
    this.times.set(orderId, times)
    const order: UpstreamOrder = {
      orderId,
      reference: `upstream-order-${this.byReference.size + 1}`,
      acceptedMillis: this.now(),
      course: courseOf(this.fate, this.character.isQuick)
    }
    this.orders.set(orderId, order)
    this.byReference.set(order.reference, order)
    this.placed(orderId, times)
    return { reference: order.reference }
  }

  private find(orderId: string): { readonly found: string | undefined } {
    if (this.isDown || this.fate.chance(this.temper.askChance)) throw new Error("503 Service Unavailable")
    if (this.isUnderWay(orderId)) throw new Error("a placement is on its way")
    const found = this.orders.get(orderId)?.reference
    this.count(found === undefined ? "is not found upstream" : "is found upstream")
    return { found }
  }

  private status(reference: string): { readonly found: FulfilmentStatus | undefined } {
    if (this.isDown || this.fate.chance(this.temper.askChance)) throw new Error("503 Service Unavailable")
    const order = this.byReference.get(reference)
    if (order === undefined) throw new Error("404 Not Found")
    return { found: this.character.tells === "nothing" ? undefined : this.standing(order) }
  }
}

export const numbersOf = (shipments: ReadonlyArray<Parcel>): ReadonlyArray<string> =>
  shipments.map(({ trackingNumber }) => trackingNumber)
