/**
 * What a call may hold of the limits, in the order in which it takes it: the guard of its payment, whose copies wait
 * meanwhile; a place among its payer's open calls; a slot for the verification; a place among the unsettled charges; and
 * a stake in the money that may be lost.
 */
export type Holding = "guard" | "openCall" | "slot" | "place" | "stake"

/** Work that was done, or has failed, and isn't paid for yet. */
export interface UnpaidWork {
  readonly hasFailed: boolean
  /** A payment that settled first pays for the work by the delivery of its response. */
  readonly paidBy: "settlement" | "delivery"
  /** What it cost, if that is known: else as much as its price. */
  readonly costAtomic?: bigint | undefined
  /**
   * Who loses it if nobody pays. `stranger`: the payment had moved before it was presented here, so anyone may have copied
   * it from the chain.
   */
  readonly lostBy: "payer" | "stranger"
}

/** Gives a part back; `lost` is the work for which nobody has paid, if any. */
export type Release = (lost: UnpaidWork | undefined) => void

/** What one call holds of the limits. Each part is given back once, at the latest when the call ends. */
export class Releases {
  private readonly releases = new Map<Holding, Release | undefined>()

  /** Holds a part from now on. `release` gives it back. */
  hold(name: Holding, release: Release): void {
    if (this.holds(name)) throw new Error(`a call holds its ${name} already`)
    this.releases.set(name, release)
  }

  holds(name: Holding): boolean {
    return this.releases.get(name) !== undefined
  }

  /** Whether the call holds a part, or has held it. */
  hasHeld(name: Holding): boolean {
    return this.releases.has(name)
  }

  /** Gives a part back. Returns whether the call held it until now. */
  release(name: Holding, lost?: UnpaidWork): boolean {
    const release = this.releases.get(name)
    if (release === undefined) return false
    this.releases.set(name, undefined)
    release(lost)
    return true
  }

  /** Gives everything back. */
  releaseAll(lost: UnpaidWork | undefined): void {
    for (const name of this.releases.keys()) this.release(name, lost)
  }
}
