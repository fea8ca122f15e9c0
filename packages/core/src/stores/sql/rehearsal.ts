import { Clock, Effect, Predicate } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { ConfigurationError, StoreError } from "../../domain/Errors.ts"
import { Charges, type LedgerKind, type NewCharge } from "../../ports/Charges.ts"
import { causeName } from "../../runtime/causeName.ts"
import { report } from "../../runtime/events.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { Orders } from "../../shop/ports/Orders.ts"
import { Quotes } from "../../shop/ports/Quotes.ts"
import { VaultItems } from "../../shop/ports/VaultItems.ts"
import { VaultPurchases } from "../../shop/ports/VaultPurchases.ts"
import { explainRights } from "../schema/migrations.ts"
import * as records from "./rehearsedRecords.ts"

/*
 * A rehearsed sale. What a host added to the till's tables, or its role lacks, would show itself once money has moved. So a
 * till lives through made-up sales at its start, by its own statements, in a transaction that is always taken back: nobody
 * else sees their rows, and nobody waits long for their locks.
 */

/** Where what was found lacks something of what was expected, as paths; none: it has all. Values are never shown. */
const differences = (expected: unknown, found: unknown, path = ""): ReadonlyArray<string> => {
  if (!Predicate.isObjectOrArray(expected) || !Predicate.isObjectOrArray(found))
    return expected === found ? [] : [path]
  return Object.keys({ ...expected, ...(Array.isArray(found) ? found : {}) }).flatMap((name) =>
    differences(Reflect.get(expected, name), Reflect.get(found, name), path === "" ? name : `${path}.${name}`)
  )
}

/** A method of a store with what it must return, and where it is wrong if it doesn't: a table, or the method. */
type Step = readonly [place: string, method: Effect.Effect<unknown, StoreError>, returns: unknown]

const inTurn = (steps: ReadonlyArray<Step>) =>
  Effect.forEach(
    steps,
    ([place, method, returns]) =>
      Effect.flatMap(method, (found) => {
        const paths = differences(returns, found)
        if (paths.length === 0) return Effect.void
        const words =
          paths[0] === "" ? "nothing was changed or found" : `other than written: ${paths.join(", ")}`
        return Effect.fail(new StoreError({ operation: place, cause: new Error(words) }))
      }),
    { discard: true }
  )

/** Runs work in a transaction, or in a savepoint of one, and takes it back. Returns its failure as well. */
const takenBack = <A, E, R>(sql: SqlClient.SqlClient, work: Effect.Effect<A, E, R>) =>
  Effect.flip(sql.withTransaction(Effect.flatMap(work, Effect.fail)))

type Made = records.Made

/** A payment that is refunded, one that differs only in what payments always differ in, and one that is refused. */
const payments = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, made: Made) {
  const charges = yield* Charges
  const { id: owner, nowMillis } = made
  const [first, second] = [records.chargeOf(made, 1), records.chargeOf(made, 2)]
  const refused = { ...records.chargeOf(made, 3), exposureAtomic: "0" }
  const { key, operation, paymentId, repeatKey } = first
  const repeats = { repeatKeys: [repeatKey], sinceMillis: nowMillis, named: { operation, paymentId } }
  const claim = (charge: NewCharge, more = {}): Step => {
    const limits = { maxUnsettled: 10, maxExposureAtomic: "9000000000000000000", ...more }
    const lease = { owner, untilMillis: nowMillis + 60_000 }
    return ["charges.claim", charges.claim(charge, lease, nowMillis, limits), { _tag: "Claimed" }]
  }
  const paid = records.settlementOf(first, 1)
  const { receipt, reportedBy, transferLogIndex } = paid
  const again = takenBack(sql, charges.complete(second.key, paid, nowMillis))
  const other = records.settlementOf(second, 2)
  const voided = { keepExposure: true, checkAfterMillis: nowMillis }
  const sold = { ...first, ...records.outcome, receipt, reportedBy, transferLogIndex, leaseOwner: owner }
  const refund = { _tag: "Sent", transaction: receipt.transaction }
  yield* inTurn([
    claim(first, { repeats }),
    ["charges.advance", charges.advance(key, owner, records.outcome), true],
    claim(second),
    ["charges.advance", charges.advance(second.key, owner, records.outcome), true],
    ["charges.complete", charges.complete(key, paid, nowMillis), { _tag: "Completed" }],
    ["the unique index till_charges_transfer", again, { _tag: "TransferTaken" }],
    ["charges.complete", charges.complete(second.key, other, nowMillis), { _tag: "Completed" }],
    ["charges.markApplied", charges.markApplied(key), true],
    claim(refused),
    ["charges.void", charges.void(refused.key, owner, voided), true],
    ["charges.release", charges.release(refused.key, owner), true]
  ])
  yield* refunds(first, receipt.transaction, nowMillis)
  yield* inTurn([
    ["till_charges", charges.find(key), { ...sold, state: "settled", settledAtMillis: nowMillis, refund }],
    // Last: here, one of two rehearsals waits until the other is taken back.
    ["charges.stopRefunds", Effect.asVoid(charges.stopRefunds("rehearsal", nowMillis)), undefined],
    ["till_refund_stop", Effect.map(charges.refundStop(), Predicate.isNotUndefined), true]
  ])
})

/** The refund of a payment, and the ledger. */
const refunds = Effect.fnUntraced(function* (charge: NewCharge, transaction: string, nowMillis: number) {
  const charges = yield* Charges
  const { amountAtomic, asset, key, network, operation, payer, payTo, validBeforeSeconds } = charge
  const limit = { sinceMillis: nowMillis, maxAtomic: amountAtomic }
  const numbers = { refundNumber: 1, sequence: 1, notBefore: 1, validBefore: validBeforeSeconds }
  const payout = { chargeKey: key, wallet: payer, amountAtomic, nonce: transaction, atMillis: nowMillis }
  const attempt = { ...numbers, ...payout }
  const paid = { chargeKey: key, operation, network, asset, payer, payTo, amountAtomic }
  const entry = (kind: LedgerKind, after: number, by?: string) => {
    return { ...paid, kind, atMillis: nowMillis + after, transaction: by }
  }
  const entries = charges.entries({ limit: 9, chargeKeys: [key] })
  const settled = entry("settled", 0, transaction)
  const [due, sent] = [entry("refund_due", 1), entry("refunded", 2, transaction)]
  yield* inTurn([
    ["till_ledger", entries, [settled]],
    ["charges.markRefundDue", charges.markRefundDue(key, nowMillis + 1, undefined), true],
    ["charges.startRefund", charges.startRefund(key, limit, nowMillis), { _tag: "Started" }],
    ["charges.recordRefundAttempt", charges.recordRefundAttempt(attempt), true],
    ["till_refund_attempts", charges.refundAttempts([key]), [attempt]],
    ["charges.endRefundAttempt", charges.endRefundAttempt(attempt), true],
    ["charges.recordRefund", charges.recordRefund(key, transaction, nowMillis + 2), true],
    ["till_ledger", entries, [sent, due, settled]]
  ])
})

/** Two orders of one buyer for the same. */
const orders = Effect.fnUntraced(function* (made: Made, otherId: string) {
  const [quotes, store] = [yield* Quotes, yield* Orders]
  const { nowMillis } = made
  const [{ fingerprint, key }, second] = [records.chargeOf(made, 1), records.chargeOf(made, 2)]
  const [quote, next] = [records.quoteOf(made, made.id), records.quoteOf(made, otherId)]
  const consumed = { ...quote, consumedBy: key }
  const ordered = (order: ReturnType<typeof records.orderOf>): ReadonlyArray<Step> => [
    [
      "orders.create",
      store.create({ ...order, status: "awaiting_payment", shipments: [], mails: [] }),
      undefined
    ],
    ["orders.replace", store.replace(order), true],
    ["till_orders", store.find(order.id), { ...order, version: 2 }]
  ]
  yield* inTurn([
    ["quotes.put", quotes.put(quote, nowMillis), quote],
    ["the unique index till_quotes_live", quotes.put(next, nowMillis), quote],
    ["quotes.consume", quotes.consume(quote.id, key, nowMillis), true],
    ["till_quotes", quotes.findConsumed(fingerprint, key, nowMillis), consumed],
    ["quotes.put", quotes.put(next, nowMillis), next],
    // None has expired for so long: whether it may delete.
    ["quotes.expire", Effect.asVoid(quotes.expire(1, 1)), undefined],
    ...ordered(records.orderOf(made, made.id, key)),
    ...ordered(records.orderOf(made, otherId, second.key))
  ])
})

/** Two purchases of one buyer, and their downloads. */
const purchases = Effect.fnUntraced(function* (made: Made, otherId: string) {
  const [items, store] = [yield* VaultItems, yield* VaultPurchases]
  const { id, nowMillis } = made
  const [item, archive] = [records.itemOf(made), { digest: "a".repeat(64), size: 2 ** 40 }]
  const purchase = records.purchaseOf(made, id, records.chargeOf(made, 1).key)
  const other = records.purchaseOf(made, otherId, records.chargeOf(made, 2).key)
  const { chargeKey, dueAtMillis, keyId } = purchase
  const proof = { purchaseId: id, nonce: keyId, atMillis: nowMillis, bytes: archive.size }
  const since = { sinceMillis: nowMillis - 1, max: 1, maxBytes: archive.size }
  yield* inTurn([
    ["vaultItems.publish", items.publish(item, archive, nowMillis), { _tag: "Added", version: 1 }],
    ["till_vault_archives", items.versions(item.slug, 9), [archive]],
    ["vaultItems.countDownload", items.countDownload(item.slug), undefined],
    ["till_vault_items", items.findBySlug(item.slug), { ...item, downloads: 1 }],
    ["vaultPurchases.reserve", store.reserve(purchase), undefined],
    ["vaultPurchases.reserve", store.reserve(other), undefined],
    ["till_vault_purchases", store.find(otherId), { ...other, status: "reserved" }],
    ["vaultPurchases.cancel", store.cancel(otherId), undefined],
    ["vaultPurchases.grant", store.grant(id, dueAtMillis), true],
    ["vaultPurchases.countDownload", store.countDownload(id, chargeKey, 1), true],
    ["till_purchase_downloads", store.countDownload(id, other.chargeKey, 1), false],
    ["vaultPurchases.releaseDownload", store.releaseDownload(id, chargeKey), undefined],
    ["vaultPurchases.redeem", store.redeem(proof, since), "Redeemed"],
    ["till_free_downloads", store.renewToken({ ...proof, dueAtMillis, keyId }, since), { _tag: "Used" }]
  ])
})

/** Of PostgreSQL: no room, no memory, a server that ends, or a disk that fails. */
const outage = /^(?:53|57|58)/
/** Of SQLite: a disk that fails, or is full. */
const diskErrors: ReadonlySet<number> = new Set([10, 13])

/** Whether an error says nothing about the tables: the database is busy, or can't work now. */
const isPassing = ({ isRetryable, reason: { cause } }: SqlError.SqlError): boolean =>
  isRetryable ||
  (Predicate.hasProperty(cause, "code") && outage.test(String(cause.code))) ||
  (Predicate.hasProperty(cause, "errcode") && diskErrors.has(Number(cause.errcode) & 0xff))

/** Says why a rehearsal failed. */
const explain = (sql: SqlClient.SqlClient, operation: string, cause: unknown) => {
  const error = cause instanceof SqlError.SqlError ? cause : undefined
  if (error !== undefined && isPassing(error))
    return Effect.fail(new StoreError({ operation: `rehearsal of ${operation}`, cause }))
  const source = error?.reason.cause ?? cause
  const message = Predicate.hasProperty(source, "message") ? source.message : source
  // Long values are made up.
  const words = String(message)
    .replaceAll(/\S{66,}/g, "…")
    .slice(0, 300)
  // SQLite opens a file that its process may only read.
  if (/readonly database/.test(words))
    return Effect.fail(
      new ConfigurationError({
        message: `storage: the till may not write to its database: ${words}. Give the user of this process the file, its -wal and -shm, and their folder: they may belong to root, as which it was started once`
      })
    )
  const refused = new ConfigurationError({
    message: `storage: a sale was rehearsed on this database and taken back. It failed at ${operation}: ${words}. A constraint, a unique index, a trigger, a rule, a policy or the type of a column refuses, changes or hides rows of Till402's: remove it. Columns that may be empty, other indexes, and triggers that leave these rows alone may stay`
  })
  const [, kind = "table", name = "…"] = /\bfor (\w+) "?(\w+)/.exec(words) ?? []
  const rights = kind === "function" ? "EXECUTE ON FUNCTION" : "SELECT, INSERT, UPDATE, DELETE ON"
  return explainRights(sql, Effect.fail(error ?? refused), (role) =>
    words.includes("row-level security")
      ? `As the owner of ${name}: ALTER TABLE ${name} DISABLE ROW LEVEL SECURITY, or CREATE POLICY of all rows for ${role}`
      : `As the owner of ${name}: GRANT ${rights} ${name} TO ${role}`
  ).pipe(Effect.catchTag("SqlError", () => Effect.fail(refused)))
}

/** A till far from its database takes seconds. */
const longestMillis = 30_000
/** It takes milliseconds on a file, whose other processes wait for five seconds to write. A busy event loop takes longer. */
const longestOnFileMillis = 3_000

/**
 * Rehearses payments on a network, and what the routes of a till store beside them, by the kinds of `KeyedRecords`. Fails
 * with `ConfigurationError` where a sale would fail, or would not be kept as it was written.
 */
export const rehearse = Effect.fnUntraced(function* (
  kinds: ReadonlySet<string>,
  network = records.longNetwork,
  maxMillis = longestMillis
) {
  const sql = yield* SqlClient.SqlClient
  const { uuid } = yield* Identifiers
  const [made, otherId] = [{ id: uuid(), nowMillis: yield* Clock.currentTimeMillis, network }, uuid()]
  const sale = Effect.gen(function* () {
    if (kinds.has("quotes")) yield* orders(made, otherId)
    if (kinds.has("purchases")) yield* purchases(made, otherId)
    yield* payments(sql, made)
    // What PostgreSQL compares only at the end of a transaction.
    yield* sql.onDialectOrElse({ pg: () => sql`SET CONSTRAINTS ALL IMMEDIATE`, orElse: () => Effect.void })
  })
  const late = new StoreError({ operation: "rehearsal", cause: new Error(`no end within ${maxMillis} ms`) })
  const failure = yield* takenBack(sql, sale).pipe(
    Effect.timeoutOrElse({ duration: maxMillis, orElse: () => Effect.fail(late) })
  )
  if (failure === undefined) return
  yield* failure instanceof StoreError
    ? explain(sql, failure.operation, failure.cause)
    : explain(sql, "its transaction", failure)
})

/**
 * Rehearses where a till starts. A database that can't do it now keeps no till from starting, which may have sold well until
 * then: it is an event.
 */
export const rehearseAtStart = Effect.fnUntraced(
  function* (kinds: ReadonlySet<string>, network: string | undefined) {
    const sql = yield* SqlClient.SqlClient
    yield* rehearse(
      kinds,
      network,
      sql.onDialectOrElse({ pg: () => longestMillis, orElse: () => longestOnFileMillis })
    )
  },
  Effect.catchTag("StoreError", ({ cause, operation }) =>
    report(
      "Warn",
      "storage_failed",
      "The database is busy or fails, so that no sale was rehearsed on it. Start the till again once it is well",
      { operation, error: causeName(cause) }
    )
  )
)
