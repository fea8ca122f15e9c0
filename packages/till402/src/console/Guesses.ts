/** What wrong passwords are counted in. */
const windowMillis = 60_000
/** Wrong passwords of an address within the window. */
export const maxWrong = 20
/** Addresses that are counted apart. More share one count, so that many addresses give no more tries. */
export const maxAddresses = 100

/** Counts wrong passwords by the address that they come from. Bounded. */
export class Guesses {
  private readonly wrong = new Map<string, number>()
  private startedMillis = Number.NEGATIVE_INFINITY
  private readonly now: () => number

  constructor(now: () => number) {
    this.now = now
  }

  /** Whether an address has no more tries: then the right password isn't told from a wrong one either. */
  areSpent(address: string): boolean {
    const nowMillis = this.now()
    // A clock that is set back must not lengthen the window.
    if (Math.abs(nowMillis - this.startedMillis) >= windowMillis) {
      this.wrong.clear()
      this.startedMillis = nowMillis
    }
    return (this.wrong.get(this.countOf(address)) ?? 0) >= maxWrong
  }

  add(address: string): void {
    const count = this.countOf(address)
    this.wrong.set(count, (this.wrong.get(count) ?? 0) + 1)
  }

  private countOf(address: string): string {
    return this.wrong.has(address) || this.wrong.size < maxAddresses ? address : "others"
  }
}
