import type { Charge, LedgerEntry, LedgerKind, RefundAttempt, RefundStop } from "@till402/core/effect"
import { Rows } from "./ModelRows.ts"

/* Shared parts of the model of charges. */

/** Sorts rows by a text key, descending. */
export const descending = <Row>(rows: ReadonlyArray<Row>, nameOf: (row: Row) => string): ReadonlyArray<Row> =>
  rows.toSorted((left, right) => (nameOf(left) < nameOf(right) ? 1 : nameOf(left) > nameOf(right) ? -1 : 0))

export const padded = (millis: number): string => millis.toString().padStart(16, "0")
export const ageOf = ({ createdAtMillis, key }: Pick<Charge, "createdAtMillis" | "key">): string =>
  `${padded(createdAtMillis)} ${key}`
export const sumOf = (rows: ReadonlyArray<{ readonly amountAtomic: string }>): bigint =>
  rows.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n)

/** A started or sent refund, which counts toward limits. */
export interface Refunded {
  readonly key: string
  readonly startedAtMillis: number | undefined
}

/** The rows of the model, with the queries that its operations share. */
export const modelCharges = () => {
  const charges = new Rows<Charge>()
  const ledger = new Rows<LedgerEntry>()
  const refunds = new Rows<Refunded>()
  const attempts = new Rows<RefundAttempt>()
  const stops = new Rows<RefundStop>()
  const find = (key: string) => charges.first((charge) => charge.key === key)
  const lapsed = (charge: Charge, nowMillis: number) => nowMillis >= charge.leaseUntilMillis
  const held = (charge: Charge, owner: string, states: ReadonlyArray<string>) =>
    charge.leaseOwner === owner && states.includes(charge.state)
  const change = (key: string, when: (charge: Charge) => boolean, to: Partial<Charge>) =>
    charges.change((row) => row.key === key && when(row), to) === 1
  const enter = (key: string, kind: LedgerKind, atMillis: number, transaction?: string) => {
    const { amountAtomic, asset, network, operation, payTo, payer, transferLogIndex } = find(key)!
    const money = { operation, network, asset, payer, payTo, amountAtomic }
    const proof = ["settled", "reversed"].includes(kind) ? { transferLogIndex } : {}
    const reversals = ledger.all().filter((entry) => entry.chargeKey === key && entry.kind === "reversed")
    const round = reversals.length
    ledger.add({
      kind,
      chargeKey: key,
      atMillis,
      ...money,
      transaction,
      transferLogIndex: undefined,
      ...proof,
      round
    })
  }
  const quarterHourMillis = 900_000
  const isUnderway = (row: Charge, nowMillis: number) =>
    (row.state === "ready" && nowMillis < row.validBeforeSeconds * 1000 + quarterHourMillis) ||
    (row.state === "claimed" && !lapsed(row, nowMillis))
  return { charges, ledger, refunds, attempts, stops, find, lapsed, held, change, enter, isUnderway }
}
export type ModelCharges = ReturnType<typeof modelCharges>
