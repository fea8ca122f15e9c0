import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type {
  Charge,
  ChargeState,
  Lease,
  LedgerEntry,
  LedgerKind,
  NewCharge,
  SettledCharge
} from "../../ports/Charges.ts"
import { type NewChargeColumn, newChargeColumns } from "../schema/claimStatement.ts"

/*
 * Charges and ledger entries as rows. PostgreSQL returns a BIGINT as text.
 */

type Whole = number | string

/** A row of `till_charges`. */
export interface ChargeRow {
  readonly key: string
  readonly payload_digest: string
  readonly fingerprint: string
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly pay_to: string
  readonly amount: string
  readonly valid_before: Whole
  readonly x402_version: Whole
  readonly settlement: string
  readonly exposure: string
  readonly settles_first: Whole
  readonly repeat_key: string
  readonly payment_id: string
  readonly created_at: Whole
  readonly claimed_after: string
  readonly state: ChargeState
  readonly lease_owner: string
  readonly lease_until: Whole
  readonly attempts: Whole
  readonly check_after: Whole
  readonly response: string | null
  readonly response_expired_at: Whole | null
  readonly subject: string | null
  readonly effect_pending: Whole
  readonly receipt: string | null
  readonly transfer_log_index: Whole | null
  readonly reported_by: string | null
  readonly awaits_finality: Whole
  readonly refused_digest: string
  readonly reopenings: Whole
  readonly response_owed_until: Whole | null
  readonly settled_at: Whole | null
  readonly refund_due_at: Whole | null
  readonly refund_started_at: Whole | null
  readonly refunded_at: Whole | null
  readonly refund_transaction: string | null
}

const columns: ReadonlyArray<keyof ChargeRow> = [
  ...newChargeColumns,
  "attempts",
  "check_after",
  "response",
  "response_expired_at",
  "subject",
  "effect_pending",
  "receipt",
  "transfer_log_index",
  "reported_by",
  "awaits_finality",
  "refused_digest",
  "reopenings",
  "response_owed_until",
  "settled_at",
  "refund_due_at",
  "refund_started_at",
  "refunded_at",
  "refund_transaction"
]

/** The columns that a statement selects. Exposure as text: in tokens of 18 decimals it exceeds 2^53. */
export const chargeColumns = columns
  .map((name) => (name === "exposure" ? "CAST(exposure AS TEXT) AS exposure" : name))
  .join(", ")

/** The columns of a settled charge that an audit reads. */
export const settledColumns = `key, network, asset, payer, pay_to, amount, valid_before, reopenings, receipt,
  transfer_log_index, reported_by, response_owed_until, settled_at, refund_due_at, refund_started_at, refunded_at, refund_transaction,
  CASE WHEN response IS NULL AND response_expired_at IS NULL THEN 0 ELSE 1 END AS has_response`

/** A row of those columns. */
export interface SettledRow extends Pick<
  ChargeRow,
  | "key"
  | "network"
  | "asset"
  | "payer"
  | "pay_to"
  | "amount"
  | "valid_before"
  | "reopenings"
  | "receipt"
  | "transfer_log_index"
  | "reported_by"
  | "response_owed_until"
  | "settled_at"
  | "refund_due_at"
  | "refund_started_at"
  | "refunded_at"
  | "refund_transaction"
> {
  readonly has_response: Whole
}

const parse = <A>(text: string | null): A | undefined => (text === null ? undefined : (JSON.parse(text) as A))
const whole = (value: Whole | null): number | undefined => (value === null ? undefined : Number(value))

type RefundColumns = Pick<
  ChargeRow,
  "refund_due_at" | "refund_started_at" | "refunded_at" | "refund_transaction"
>

const refundOf = (row: RefundColumns): Charge["refund"] => {
  if (row.refund_due_at === null) return undefined
  return row.refunded_at === null
    ? { _tag: "Due", startedAtMillis: whole(row.refund_started_at) }
    : { _tag: "Sent", transaction: row.refund_transaction! }
}

/** Reads a row as a charge. */
export const toCharge = (row: ChargeRow): Charge => ({
  key: row.key,
  payloadDigest: row.payload_digest,
  fingerprint: row.fingerprint,
  operation: row.operation,
  network: row.network,
  asset: row.asset,
  payer: row.payer,
  payTo: row.pay_to,
  amountAtomic: row.amount,
  validBeforeSeconds: Number(row.valid_before),
  x402Version: Number(row.x402_version) as NewCharge["x402Version"],
  settlement: row.settlement,
  exposureAtomic: row.exposure,
  settlesFirst: Number(row.settles_first) === 1,
  repeatKey: row.repeat_key,
  paymentId: row.payment_id,
  createdAtMillis: Number(row.created_at),
  claimedAfterBlock: row.claimed_after,
  state: row.state,
  leaseOwner: row.lease_owner,
  leaseUntilMillis: Number(row.lease_until),
  attempts: Number(row.attempts),
  checkAfterMillis: Number(row.check_after),
  response: parse(row.response),
  responseExpiredAtMillis: whole(row.response_expired_at),
  subject: parse(row.subject),
  effectPending: Number(row.effect_pending) === 1,
  receipt: parse(row.receipt),
  transferLogIndex: whole(row.transfer_log_index),
  reportedBy: row.reported_by ?? undefined,
  awaitsFinality: Number(row.awaits_finality) === 1,
  refusedDigest: row.refused_digest,
  reopenings: Number(row.reopenings),
  responseOwedUntilMillis: whole(row.response_owed_until),
  settledAtMillis: whole(row.settled_at),
  refund: refundOf(row)
})

/** Reads a row as a settled charge. */
export const toSettledCharge = (row: SettledRow): SettledCharge => ({
  key: row.key,
  network: row.network,
  asset: row.asset,
  payer: row.payer,
  payTo: row.pay_to,
  amountAtomic: row.amount,
  validBeforeSeconds: Number(row.valid_before),
  reopenings: Number(row.reopenings),
  receipt: parse(row.receipt),
  transferLogIndex: whole(row.transfer_log_index),
  reportedBy: row.reported_by ?? undefined,
  responseOwedUntilMillis: whole(row.response_owed_until),
  settledAtMillis: Number(row.settled_at),
  refund: refundOf(row),
  hasResponse: Number(row.has_response) === 1
})

/** Reads the charges that a statement selects. */
export const toCharges = (
  rows: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<ReadonlyArray<Charge>, SqlError.SqlError> =>
  Effect.map(rows, (found) => (found as ReadonlyArray<ChargeRow>).map(toCharge))

/** Finds a charge by its key. */
export const findCharge = (
  sql: SqlClient.SqlClient,
  key: string
): Effect.Effect<Charge | undefined, SqlError.SqlError> =>
  Effect.map(
    sql<ChargeRow>`SELECT ${sql.literal(chargeColumns)} FROM till_charges WHERE key = ${key}`,
    ([row]) => (row === undefined ? undefined : toCharge(row))
  )

/** The values of the columns that a claim writes. */
const newChargeValue: Readonly<
  Record<NewChargeColumn, (charge: NewCharge, lease: Lease) => string | number>
> = {
  key: ({ key }) => key,
  payload_digest: ({ payloadDigest }) => payloadDigest,
  fingerprint: ({ fingerprint }) => fingerprint,
  operation: ({ operation }) => operation,
  network: ({ network }) => network,
  asset: ({ asset }) => asset,
  payer: ({ payer }) => payer,
  pay_to: ({ payTo }) => payTo,
  amount: ({ amountAtomic }) => amountAtomic,
  valid_before: ({ validBeforeSeconds }) => validBeforeSeconds,
  x402_version: ({ x402Version }) => x402Version,
  settlement: ({ settlement }) => settlement,
  exposure: ({ exposureAtomic }) => exposureAtomic,
  settles_first: ({ settlesFirst }) => (settlesFirst ? 1 : 0),
  repeat_key: ({ repeatKey }) => repeatKey,
  payment_id: ({ paymentId }) => paymentId,
  created_at: ({ createdAtMillis }) => createdAtMillis,
  claimed_after: ({ claimedAfterBlock }) => claimedAfterBlock,
  state: () => "claimed",
  lease_owner: (_, { owner }) => owner,
  lease_until: (_, { untilMillis }) => untilMillis
}

/** The values of a new charge, by `newChargeColumns`. */
export const newChargeValues = (charge: NewCharge, lease: Lease): ReadonlyArray<string | number> =>
  newChargeColumns.map((name) => newChargeValue[name](charge, lease))

/** A row of them, as JSON. */
export const newChargeJson = (charge: NewCharge, lease: Lease): string =>
  JSON.stringify(
    Object.fromEntries(newChargeColumns.map((name) => [name, newChargeValue[name](charge, lease)]))
  )

/** A row of `till_ledger`. */
export interface EntryRow {
  readonly charge_key: string
  readonly kind: LedgerKind
  readonly at: Whole
  readonly operation: string
  readonly network: string
  readonly asset: string
  readonly payer: string
  readonly pay_to: string
  readonly amount: string
  readonly transaction_hash: string | null
  readonly transfer_log_index: Whole | null
  readonly round: Whole
}

/** Reads a row as a ledger entry. */
export const toEntry = (row: EntryRow): LedgerEntry => ({
  kind: row.kind,
  chargeKey: row.charge_key,
  atMillis: Number(row.at),
  operation: row.operation,
  network: row.network,
  asset: row.asset,
  payer: row.payer,
  payTo: row.pay_to,
  amountAtomic: row.amount,
  transaction: row.transaction_hash ?? undefined,
  transferLogIndex: whole(row.transfer_log_index),
  round: Number(row.round)
})
