/**
 * What a call may hold of the limits, in the order in which it takes it: the guard of its payment, whose copies wait
 * meanwhile; a place among its payer's open calls; a slot for the verification; a place among the unsettled charges; and
 * a stake in the money that may be lost.
 */
export type Holding = "guard" | "openCall" | "slot" | "place" | "stake"

/**
 * Who answers for unpaid work. `stranger`: the payment had moved before it was presented here, so anyone may have copied
 * it from the chain.
 */
export type Loss = "none" | "payer" | "stranger"

export type Release = (loss: Loss) => void

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
  release(name: Holding, loss: Loss = "none"): boolean {
    const release = this.releases.get(name)
    if (release === undefined) return false
    this.releases.set(name, undefined)
    release(loss)
    return true
  }

  /** Gives everything back. */
  releaseAll(loss: Loss): void {
    for (const name of this.releases.keys()) this.release(name, loss)
  }
}
