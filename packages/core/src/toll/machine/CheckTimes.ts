import { backoff } from "../../runtime/backoff.ts"

/*
 * When a charge of unknown outcome is checked again, and when an operator is notified. Pure.
 */

const pauseMillis = backoff(15_000, 60 * 60_000)

/** Attempts after which an operator is notified: with the pauses between them, some five hours. */
export const patience = 12

/** The time of the next attempt: exponential backoff from 15 s to one hour. `attempts`: failed ones so far. */
export const checkAgainMillis = (attempts: number, nowMillis: number): number =>
  nowMillis + pauseMillis(attempts)

/** Whether to notify an operator after this failed attempt: every twelfth, so that no charge is forgotten. */
export const isBeyondPatience = (attempts: number): boolean => (attempts + 1) % patience === 0

/** Seconds by which a chain's clock may lag behind ours, and its node behind the chain. */
const chainLagSeconds = 60

/**
 * Until when a voided payment could still move, reorganizations included. A query of the chain after it is the last.
 */
export const watchUntilMillis = (validBefore: string, finalitySeconds: number): number =>
  (Number(validBefore) + finalitySeconds + chainLagSeconds) * 1000
