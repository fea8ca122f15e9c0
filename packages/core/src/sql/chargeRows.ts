import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Charge, ChargeState, Lease, LedgerEntry, LedgerKind, NewCharge } from "../ports/Charges.ts"

/*
 * Charges and ledger entries as rows. PostgreSQL answers a BIGINT as text.
 */

type Whole = number | string

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
  readonly created_at: Whole
  readonly first_claimed_at: Whole
  readonly state: ChargeState
  readonly lease_owner: string
  readonly lease_until: Whole
  readonly attempts: Whole
  readonly check_after: Whole
  readonly answer: string | null
  readonly answer_expired_at: Whole | null
  readonly subject: string | null
  readonly effect_pending: Whole
  readonly receipt: string | null
  readonly settled_at: Whole | null
  readonly refund_due_at: Whole | null
  readonly refunded_at: Whole | null
  readonly refund_transaction: string | null
}

const parse = <A>(text: string | null): A | undefined => (text === null ? undefined : (JSON.parse(text) as A))
const whole = (value: Whole | null): number | undefined => (value === null ? undefined : Number(value))

const refundOf = ({ refund_due_at, refund_transaction, refunded_at }: ChargeRow): Charge["refund"] => {
  if (refund_due_at === null) return undefined
  return refunded_at === null ? { _tag: "Due" } : { _tag: "Sent", transaction: refund_transaction! }
}

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
  createdAtMillis: Number(row.created_at),
  firstClaimedAtMillis: Number(row.first_claimed_at),
  state: row.state,
  leaseOwner: row.lease_owner,
  leaseUntilMillis: Number(row.lease_until),
  attempts: Number(row.attempts),
  checkAfterMillis: Number(row.check_after),
  answer: parse(row.answer),
  answerExpiredAtMillis: whole(row.answer_expired_at),
  subject: parse(row.subject),
  effectPending: Number(row.effect_pending) === 1,
  receipt: parse(row.receipt),
  settledAtMillis: whole(row.settled_at),
  refund: refundOf(row)
})

export const findCharge = (
  sql: SqlClient.SqlClient,
  key: string
): Effect.Effect<Charge | undefined, SqlError.SqlError> =>
  Effect.map(sql<ChargeRow>`SELECT * FROM till_charges WHERE key = ${key}`, ([row]) =>
    row === undefined ? undefined : toCharge(row)
  )

interface Column {
  readonly name: string
  readonly type: "TEXT" | "BIGINT"
  readonly value: (charge: NewCharge, lease: Lease) => string | number
}

const text = (name: string, value: Column["value"]): Column => ({ name, type: "TEXT", value })
const integer = (name: string, value: Column["value"]): Column => ({ name, type: "BIGINT", value })

/** The columns that a claim writes; the others start empty. */
export const newChargeColumns: ReadonlyArray<Column> = [
  text("key", ({ key }) => key),
  text("payload_digest", ({ payloadDigest }) => payloadDigest),
  text("fingerprint", ({ fingerprint }) => fingerprint),
  text("operation", ({ operation }) => operation),
  text("network", ({ network }) => network),
  text("asset", ({ asset }) => asset),
  text("payer", ({ payer }) => payer),
  text("pay_to", ({ payTo }) => payTo),
  text("amount", ({ amountAtomic }) => amountAtomic),
  integer("valid_before", ({ validBeforeSeconds }) => validBeforeSeconds),
  integer("x402_version", ({ x402Version }) => x402Version),
  text("settlement", ({ settlement }) => settlement),
  integer("created_at", ({ createdAtMillis }) => createdAtMillis),
  integer("first_claimed_at", ({ createdAtMillis }) => createdAtMillis),
  text("state", () => "claimed"),
  text("lease_owner", (_, { owner }) => owner),
  integer("lease_until", (_, { untilMillis }) => untilMillis)
]

export const newChargeValues = (charge: NewCharge, lease: Lease): ReadonlyArray<string | number> =>
  newChargeColumns.map(({ value }) => value(charge, lease))

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
}

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
  transaction: row.transaction_hash ?? undefined
})
