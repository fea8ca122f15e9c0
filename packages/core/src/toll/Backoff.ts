/*
 * When a charge of unknown outcome is looked at again, and when an operator is told. Pure.
 */

const firstMillis = 15_000
const longestMillis = 60 * 60_000

/** Attempts after which an operator is told: with the pauses between them, some five hours. */
export const patience = 12

/** The next attempt, after so many in vain: twice as far off each time, an hour at most. */
export const checkAgainMillis = (attempts: number, nowMillis: number): number =>
  nowMillis + Math.min(firstMillis * 2 ** Math.min(attempts, 20), longestMillis)

/** Whether this attempt in vain is the one that an operator is told of: every twelfth, so that none is forgotten. */
export const isBeyondPatience = (attempts: number): boolean => (attempts + 1) % patience === 0

/** Seconds by which a chain's clock may be behind ours, and its node behind the chain. */
const chainLagSeconds = 60

/** Until when a voided payment could still move, reorganizations included: then one look at the chain is the last. */
export const watchUntilMillis = (validBefore: string, finalitySeconds: number): number =>
  (Number(validBefore) + finalitySeconds + chainLagSeconds) * 1000
