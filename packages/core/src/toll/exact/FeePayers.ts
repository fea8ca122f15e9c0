/** Addresses kept besides the current one: a facilitator has a few. */
const maxKnown = 64

/**
 * The addresses from which the facilitator pays the fees of one Solana network. Empty until `/supported` has named one:
 * until then the network can't be offered.
 */
export class FeePayers {
  private offered: string | undefined = undefined
  private readonly known = new Set<string>()

  /** The address that offers name. */
  get current(): string | undefined {
    return this.offered
  }

  /**
   * Learns the addresses of each facilitator, preferred first. One of the first facilitator is offered from now on.
   * Earlier ones stay known, since payments made for them may be on their way.
   */
  learn(facilitators: ReadonlyArray<ReadonlyArray<string>>): void {
    const [preferred = []] = facilitators
    const [first] = preferred
    if (first === undefined) return
    // Facilitators name one of theirs at random: the offered one stays while it is among them.
    if (this.offered === undefined || !preferred.includes(this.offered)) this.offered = first
    for (const address of facilitators.flat()) {
      this.known.delete(address)
      this.known.add(address)
    }
    for (const address of this.known) {
      if (this.known.size <= maxKnown) break
      this.known.delete(address)
    }
  }

  /** Whether the facilitator pays fees from this address, or did. */
  has(address: string): boolean {
    return this.known.has(address)
  }
}
