import { Effect } from "effect"
import { BoundedMap } from "../runtime/BoundedMap.ts"
import { report } from "../runtime/events.ts"

/** Changes of a route's price without a sale between them, until they are reported. */
const maxChanges = 3
const maxShown = 100
/** Characters of a request whose price is remembered. */
const maxRequest = 4_000

/** The price in the last 402 of a request. */
interface Shown {
  readonly atomic: bigint
  /** How often the route's price had changed by then. */
  readonly changes: number
}

interface RouteChanges {
  changes: number
  /** Of these, those since the last sale. */
  unsold: number
}

/**
 * Finds prices of a host that are other ones for each payment than in its 402, as by a clock or a live rate, so that nobody
 * can pay. A price that changes now and then refuses those who were shown the one before: they count as one change.
 */
export class PriceChanges {
  private readonly shown = new BoundedMap<string, Shown>(maxShown)
  private readonly routes = new Map<string, RouteChanges>()

  private routeOf(id: string): RouteChanges {
    const route = this.routes.get(id) ?? { changes: 0, unsold: 0 }
    this.routes.set(id, route)
    return route
  }

  show(id: string, canonical: string, atomic: bigint): void {
    if (canonical.length <= maxRequest)
      this.shown.set(canonical, { atomic, changes: this.routeOf(id).changes })
  }

  sold(id: string): void {
    const route = this.routeOf(id)
    // What is reported isn't reported again.
    if (route.unsold < maxChanges) route.unsold = 0
  }

  /** The price of a payment that was refused. */
  refused(id: string, canonical: string, atomic: bigint): Effect.Effect<void> {
    const before = this.shown.get(canonical)
    const route = this.routeOf(id)
    if (before === undefined || before.atomic === atomic || before.changes < route.changes) return Effect.void
    route.changes++
    if (++route.unsold !== maxChanges) return Effect.void
    return report(
      "Warn",
      "price_changes",
      `price.of of operation ${id} returned another price for each of ${maxChanges} payments than for its 402, and none was sold: return the same for the same request, such as a rate that is kept for an hour`,
      { operation: id }
    )
  }
}
