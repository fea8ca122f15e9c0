import { describe, it } from "vitest"

/** One attack, tried on a vulnerable server and on Till402. */
export interface Pair {
  /** Describes the naive server. */
  readonly on: string
  /** Resolves if the attack succeeds: a naive server that resists fails the test. */
  readonly lands: () => Promise<void>
  /** Resolves if the attack gains nothing. */
  readonly fails: () => Promise<void>
  /** Till402 is still vulnerable: the second half is expected to fail, and reports when it passes. */
  readonly open?: boolean
}

/** Declares an attack. A test compares the names with the tables of `docs/threats`, so a name must be a literal. */
export const attack = (name: string, { fails, lands, on, open = false }: Pair): void => {
  describe(name, () => {
    it(`lands on ${on}`, lands)
    if (open) it.fails("fails on ours", fails)
    else it("fails on ours", fails)
  })
}
