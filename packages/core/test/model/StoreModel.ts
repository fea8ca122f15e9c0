import { sampleCharge, sampleResponse } from "../../../testing/src/stores/records.ts"
import type { Charge } from "../../src/ports/Charge.ts"
import type { Receipt } from "../../src/domain/PaymentRequired.ts"
import {
  type ChargeWorldState,
  keyOfRecord,
  type Recorded,
  type Transaction,
  withRecord,
  withSeen
} from "./ChargeState.ts"
import { farMillis, minedAtSeconds, validBeforeSeconds, type World } from "./ChargeWorld.ts"

/*
 * The store's contract, as `ports/ChargeMethods.ts` and `ports/Refund.ts` state it, over the record of one payment.
 */

export const receiptOf = (transaction: Transaction): Receipt => ({
  success: true,
  transaction,
  network: sampleCharge().network,
  payer: sampleCharge().payer
})

const lapsedMillis = 1

const owedUntil = { no: undefined, yes: farMillis, lapsed: lapsedMillis }

/** Charges are made again and again, and never change. */
const charges = new Map<string, Charge>()

/** The charge as the store returns it. */
export const chargeOf = (record: Recorded, { settlesFirst }: World): Charge => {
  const key = `${settlesFirst ? "f" : "l"}${keyOfRecord(record)}`
  const known = charges.get(key)
  if (known !== undefined) return known
  const { exposure, held, owed, receipt, refund, response, signature, state } = record
  const charge: Charge = {
    ...sampleCharge({
      payloadDigest: signature,
      fingerprint: record.request,
      validBeforeSeconds,
      exposureAtomic: exposure ? "100" : "0",
      settlement: record.payment ? "{}" : "",
      settlesFirst: settlesFirst === true
    }),
    state,
    leaseOwner: `p${record.owner}`,
    leaseUntilMillis: held ? farMillis : 0,
    attempts: 0,
    checkAfterMillis: 0,
    response: response === "recorded" ? sampleResponse() : undefined,
    responseExpiredAtMillis: response === "expired" ? lapsedMillis : undefined,
    subject: record.subject ? { kind: "order", id: "1" } : undefined,
    effectPending: record.effectPending,
    receipt: receipt === "none" ? undefined : receiptOf(receipt),
    transferLogIndex: record.proven ? 0 : undefined,
    reportedBy: undefined,
    awaitsFinality: record.awaitsFinality,
    refusedDigest: record.refused === "none" ? "" : record.refused,
    reopenings: 0,
    responseOwedUntilMillis: owedUntil[owed],
    settledAtMillis: receipt === "none" ? undefined : minedAtSeconds * 1000,
    refund:
      refund === "none"
        ? undefined
        : refund === "due"
          ? { _tag: "Due", startedAtMillis: undefined }
          : { _tag: "Sent", transaction: "refund" }
  }
  charges.set(key, charge)
  return charge
}

/** Whether a new claim of a process may replace what the store has. */
export const isFree = (record: Recorded | undefined, owner: number): boolean => {
  if (record === undefined) return true
  if (record.state === "claimed") return !record.held
  return record.state === "voided" && record.owner === owner && record.refund === "none"
}

/** Whether a process holds the lease, by name, of a record in one of some states. */
export const isHeldBy = (
  record: Recorded | undefined,
  owner: number,
  ...states: ReadonlyArray<Recorded["state"]>
): boolean => record !== undefined && record.owner === owner && states.includes(record.state)

/** Ends a lease, if the process has it. */
export const yieldLease = (state: ChargeWorldState, owner: number): ChargeWorldState =>
  state.record?.owner === owner ? withRecord(state, { held: false }) : state

export interface Settling {
  readonly transaction: Transaction
  readonly proven: boolean
  readonly refundDue: boolean
  readonly isProvisional: boolean
  readonly isOwed: boolean
  readonly owner: number | undefined
}

/** `complete`; `undefined`: the record is not in a state that can settle. */
export const complete = (
  state: ChargeWorldState,
  { isOwed, isProvisional, owner, proven, refundDue, transaction }: Settling,
  { settlesFirst }: World
): ChargeWorldState | undefined => {
  const { record } = state
  if (record === undefined || (owner ?? record.owner) !== record.owner) return undefined
  const isRefunded = record.refund !== "none"
  const canSettle =
    record.state === "ready" || (record.state === "voided" && (refundDue || settlesFirst === true))
  if (!canSettle || (isRefunded && !refundDue)) return undefined
  const settled = withRecord(state, {
    state: "settled",
    payment: isProvisional && record.payment,
    effectPending: !refundDue && record.subject,
    receipt: transaction,
    proven,
    awaitsFinality: isProvisional,
    owed: isOwed ? "yes" : "no",
    refund: refundDue && !isRefunded ? "due" : record.refund
  })
  return withSeen(settled, { settlements: state.seen.settlements + 1 })
}

/** `reopen`; `undefined`: it may not be reopened. */
export const reopen = (
  state: ChargeWorldState,
  owner: number,
  { settlesFirst }: World
): ChargeWorldState | undefined => {
  const { record } = state
  if (record === undefined || !isHeldBy(record, owner, "settled") || !record.awaitsFinality) return undefined
  const isReady = settlesFirst === true || record.response !== "none"
  const reopened = withRecord(state, {
    state: isReady ? "ready" : "voided",
    payment: isReady && record.payment,
    effectPending: false,
    receipt: "none",
    proven: false,
    awaitsFinality: false,
    owed: "no",
    refund: record.refund === "sent" ? "sent" : "none"
  })
  return withSeen(reopened, { settlements: state.seen.settlements - 1 })
}
