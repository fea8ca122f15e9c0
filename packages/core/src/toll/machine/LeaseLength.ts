import { storeMarginMillis } from "../../ports/Stores.ts"
import { queryMillis } from "./queryChain.ts"

/** Deadlines of the steps that a lease has to cover. */
export interface LeasedDeadlines {
  /** Of one call to the facilitator's `/settle`. */
  readonly settleMillis: number
  /** Of the paid work. */
  readonly workMillis: number
}

/** Queries of the chain under one lease: before a payment is settled again, and for the proof that it settled. */
const maxQueries = 2

/**
 * Length of a charge's lease: longer than the longest steps that may follow one another under it, so that no other
 * process takes the charge over meanwhile and does its work as well.
 */
export const leaseLengthMillis = ({ settleMillis, workMillis }: LeasedDeadlines): number =>
  maxQueries * queryMillis + settleMillis + workMillis + storeMarginMillis
