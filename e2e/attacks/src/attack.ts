import { describe, it } from "vitest"

/** One attack, tried on a server that falls to it and on ours. */
export interface Pair {
  /** The naive server: what it is. */
  readonly on: string
  /** Succeeds when the attack does: a baseline that resists fails the test. */
  readonly lands: () => Promise<void>
  /** Succeeds when the attack gets nothing. */
  readonly fails: () => Promise<void>
  /** Ours falls to it too, so far: the second half is known to fail, and says so when it no longer does. */
  readonly open?: boolean
  /** Milliseconds for each half. */
  readonly timeout?: number
}

/**
 * Declares an attack. Its name stands in the table of `docs/threats.md`, and a test compares the two, so it has to be a
 * literal.
 */
export const attack = (name: string, { fails, lands, on, open = false, timeout = 15_000 }: Pair): void => {
  describe(name, () => {
    it(`lands on ${on}`, { timeout }, lands)
    if (open) it.fails("fails on ours", { timeout }, fails)
    else it("fails on ours", { timeout }, fails)
  })
}
