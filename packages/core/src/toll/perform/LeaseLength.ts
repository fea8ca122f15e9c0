import { storeMarginMillis } from "../../ports/StoreClock.ts"
import { queryMillis } from "./queryChain.ts"

/** Deadlines of the steps that a lease has to cover. */
export interface LeasedDeadlines {
  /** Of one call to the facilitator's `/settle`. */
  readonly settleMillis: number
  /** Of the paid work. */
  readonly workMillis: number
  /** A network's chain can be read. Otherwise no query takes time under the lease. */
  readonly readsChain: boolean
}

/** Queries of the chain under one lease: before a payment is settled again, and for the proof that it settled. */
const maxQueries = 2

/**
 * Length of a charge's lease: longer than the longest steps that may follow one another under it, so that no other
 * process takes the charge over meanwhile and does its work as well. And no longer: without a chain to read, a payment
 * whose process died can only be settled again before it expires.
 */
export const leaseLengthMillis = ({ readsChain, settleMillis, workMillis }: LeasedDeadlines): number =>
  (readsChain ? maxQueries * queryMillis : 0) + settleMillis + workMillis + storeMarginMillis
