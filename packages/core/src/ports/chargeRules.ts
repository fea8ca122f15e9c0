import type {
  Charge,
  ChargeState,
  CompletedSettlement,
  Lease,
  NewCharge,
  RepeatRule,
  SettledCharge
} from "./Charge.ts"

/*
 * Rules of charges that stores share. Pure.
 */

/** Whether a charge is unfinished: see `takeOver`. */
export const isUnfinished = ({
  awaitsFinality,
  effectPending,
  responseOwedUntilMillis,
  state
}: Charge): boolean =>
  state !== "settled" || effectPending || awaitsFinality || responseOwedUntilMillis !== undefined

/** Whether the response of a charge is recorded, or was until it expired. */
export const hasResponse = ({
  response,
  responseExpiredAtMillis
}: Pick<Charge, "response" | "responseExpiredAtMillis">): boolean =>
  response !== undefined || responseExpiredAtMillis !== undefined

/** Whether the response of a charge can't be returned without a key of the host: see `countUnderKey`. */
export const needsKey = (
  { fingerprint, response, responseOwedUntilMillis = 0, settledAtMillis = 0, state }: Charge,
  keyId: string,
  { nowMillis, sinceMillis }: { readonly nowMillis: number; readonly sinceMillis: number }
): boolean =>
  fingerprint.startsWith(`${keyId}:`) &&
  (state === "ready" ||
    responseOwedUntilMillis > nowMillis ||
    (state === "settled" && response !== undefined && settledAtMillis >= sinceMillis))

/** Whether the lease of a charge has expired. */
export const hasExpired = ({ leaseUntilMillis }: Charge, nowMillis: number): boolean =>
  leaseUntilMillis <= nowMillis

/**
 * How long after its authorization expired a `ready` charge still counts for its payer: it can't move any more, so its
 * unknown outcome must not refuse the payer's next payments for good.
 */
export const expiredMarginMillis = 15 * 60_000

/** Whether a `ready` charge still counts for its payer. */
export const mayStillMove = ({ validBeforeSeconds }: Charge, nowMillis: number): boolean =>
  validBeforeSeconds * 1000 + expiredMarginMillis > nowMillis

/** Whether a new claim may replace an existing charge. */
export const isFree = (existing: Charge, lease: Lease, nowMillis: number): boolean =>
  existing.state === "claimed"
    ? hasExpired(existing, nowMillis)
    : existing.state === "voided" && existing.leaseOwner === lease.owner && existing.refund === undefined

/** Whether the client gave a charge's payment this id for this operation. */
export const isNamedSo = (charge: Charge, named: RepeatRule["named"]): boolean =>
  named !== undefined &&
  named.paymentId !== "" &&
  charge.paymentId === named.paymentId &&
  charge.operation === named.operation

/** Whether a new charge would repeat an existing one of its payer. */
export const isRepeatOf = (
  first: Charge,
  { key }: Pick<NewCharge, "key">,
  { named, repeatKeys, sinceMillis }: RepeatRule
): boolean =>
  first.key !== key &&
  first.state !== "voided" &&
  first.refund === undefined &&
  (isNamedSo(first, named) ||
    (first.repeatKey !== "" && first.createdAtMillis >= sinceMillis && repeatKeys.includes(first.repeatKey)))

/**
 * Whether a charge can settle. A voided one has no response, so it must be owed one, or a refund. One whose refund was
 * sent buys nothing any more.
 */
export const canSettle = (
  { leaseOwner, refund, settlesFirst, state }: Charge,
  { owner = leaseOwner, refundDue }: Pick<CompletedSettlement, "owner" | "refundDue">
): boolean => {
  if (owner !== leaseOwner) return false
  if (refundDue) return state === "ready" || state === "voided"
  return refund === undefined && (state === "ready" || (state === "voided" && settlesFirst))
}

/** Tests whether an owner holds the lease of a charge in one of some states. */
export const isHeldBy =
  (owner: string, ...states: ReadonlyArray<ChargeState>) =>
  ({ leaseOwner, state }: Charge): boolean =>
    leaseOwner === owner && states.includes(state)

/** When a settled charge is checked again: the earlier of two times, 0 if there is none. */
export const earlierCheck = (one: number | undefined, other: number | undefined): number =>
  Math.min(one ?? other ?? 0, other ?? one ?? 0)

/** Whether a voided charge is cleared in bulk, rather than by itself. */
export const isClearedInBulk = ({ refund, state, subject }: Charge): boolean =>
  state === "voided" && subject === undefined && refund === undefined

/** A settled charge as an audit reads it; `undefined`: it is not settled. */
export const settledChargeOf = (charge: Charge): SettledCharge | undefined => {
  const { key, amountAtomic, asset, network, payer, payTo, validBeforeSeconds } = charge
  const { receipt, refund, reopenings, reportedBy, responseOwedUntilMillis, transferLogIndex } = charge
  const { settledAtMillis, state } = charge
  if (state !== "settled" || settledAtMillis === undefined) return undefined
  return {
    key,
    network,
    asset,
    payer,
    payTo,
    amountAtomic,
    validBeforeSeconds,
    reopenings,
    receipt,
    transferLogIndex,
    reportedBy,
    responseOwedUntilMillis,
    refund,
    settledAtMillis,
    hasResponse: hasResponse(charge)
  }
}

/** Orders text by code units, as a database compares keys: independent of any language. */
export const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0)

type Age = Pick<NewCharge, "createdAtMillis" | "key">

/** Orders charges by creation, then key. */
export const byAge = (left: Age, right: Age): number =>
  left.createdAtMillis - right.createdAtMillis || compareText(left.key, right.key)
