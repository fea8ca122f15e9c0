import { Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import {
  type FreeBudget,
  type FreeDownload,
  type NewToken,
  type NewVaultPurchase,
  type Redemption,
  type TokenLimit,
  type TokenRenewal,
  type VaultPurchase,
  VaultPurchases
} from "../../shop/ports/VaultPurchases.ts"
import { type CountRow, countOf, earliestDueOf, skippingLocked, storing, tookEffect } from "./statements.ts"

interface Row {
  readonly id: string
  readonly key_id: string
  readonly status: VaultPurchase["status"]
  readonly created_at: number | string
  readonly due_at: number | string | null
  readonly attempts: number | string
  readonly token_number: number | string
  /** Until it is erased. */
  readonly email: string | null
  /** The agreed facts, which never change. */
  readonly document: string
}

const documentOf = ({ chargeKey, slug, walletAddress }: NewVaultPurchase): string =>
  JSON.stringify({ chargeKey, slug, walletAddress })

const toPurchase = (row: Row): VaultPurchase => ({
  ...JSON.parse(row.document),
  id: row.id,
  keyId: row.key_id,
  status: row.status,
  createdAtMillis: Number(row.created_at),
  dueAtMillis: row.due_at === null ? undefined : Number(row.due_at),
  attempts: Number(row.attempts),
  tokenNumber: Number(row.token_number),
  email: row.email ?? undefined
})

type Methods = VaultPurchases["Service"]
type SaleMethods = Pick<Methods, "reserve" | "grant" | "cancel" | "find" | "list" | "countSales">

/** The slug as the index of sales has it. */
const slugColumn = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({
    pg: () => sql`(CAST(document AS json) ->> 'slug')`,
    orElse: () => sql`json_extract(document, '$.slug')`
  })

const saleMethods = (sql: SqlClient.SqlClient): SaleMethods => ({
  countSales: (slug) =>
    storing(
      "vaultPurchases.countSales",
      countOf(sql<CountRow>`
        SELECT COUNT(*) AS count FROM till_vault_purchases
        WHERE ${slugColumn(sql)} = ${slug} AND status = 'granted'`)
    ),
  reserve: (purchase) =>
    storing(
      "vaultPurchases.reserve",
      Effect.asVoid(
        sql`INSERT INTO till_vault_purchases ${sql.insert({
          id: purchase.id,
          key_id: purchase.keyId,
          status: "reserved",
          created_at: purchase.createdAtMillis,
          due_at: purchase.dueAtMillis ?? null,
          attempts: 0,
          email: purchase.email ?? null,
          document: documentOf(purchase)
        })} ON CONFLICT (id) DO NOTHING`
      )
    ),
  grant: (id, dueAtMillis) =>
    storing(
      "vaultPurchases.grant",
      tookEffect(sql`
        UPDATE till_vault_purchases SET status = 'granted', due_at = ${dueAtMillis ?? null}, attempts = 0
        WHERE id = ${id} AND status = 'reserved' RETURNING id`)
    ),
  cancel: (id) =>
    storing(
      "vaultPurchases.cancel",
      Effect.asVoid(sql`DELETE FROM till_vault_purchases WHERE id = ${id} AND status = 'reserved'`)
    ),
  list: ({ before, email, ids, limit, slug }) =>
    storing(
      "vaultPurchases.list",
      Effect.map(
        sql<Row>`
          SELECT * FROM till_vault_purchases
          WHERE ${sql.and([
            sql`status = 'granted'`,
            ...(ids === undefined ? [] : [sql.in("id", ids)]),
            ...(email === undefined ? [] : [sql`lower(email) = ${email.toLowerCase()}`]),
            ...(slug === undefined ? [] : [sql`${slugColumn(sql)} = ${slug}`]),
            ...(before === undefined
              ? []
              : [sql`(created_at, id) < (${before.createdAtMillis}, ${before.id})`])
          ])} ORDER BY created_at DESC, id DESC LIMIT ${limit}`,
        (rows) => rows.map(toPurchase)
      )
    ),
  find: (id) =>
    storing(
      "vaultPurchases.find",
      Effect.map(sql<Row>`SELECT * FROM till_vault_purchases WHERE id = ${id}`, ([row]) =>
        row === undefined ? undefined : toPurchase(row)
      )
    )
})

/** What the methods that use proofs up begin with. */
const proofStatements = (sql: SqlClient.SqlClient) => ({
  /** Downloads and new tokens of one purchase wait for each other on PostgreSQL. SQLite has one writer. */
  lock: (id: string): Effect.Effect<unknown, SqlError.SqlError> =>
    sql.onDialectOrElse({
      pg: () => sql`SELECT pg_advisory_xact_lock(402406, hashtext(${id}))`,
      orElse: () => Effect.void
    }),
  forgetProofs: (id: string, sinceMillis: number) =>
    sql`DELETE FROM till_free_downloads WHERE purchase_id = ${id} AND at <= ${sinceMillis}`
})

const renewMethod = (sql: SqlClient.SqlClient): Methods["renewToken"] => {
  const { forgetProofs, lock } = proofStatements(sql)
  const renew = Effect.fnUntraced(function* (
    { atMillis, dueAtMillis, keyId, nonce, purchaseId }: NewToken,
    { max, sinceMillis }: TokenLimit
  ): Effect.fn.Return<TokenRenewal, SqlError.SqlError> {
    yield* lock(purchaseId)
    yield* forgetProofs(purchaseId, sinceMillis)
    const kept = yield* sql<{
      readonly nonce: string
      readonly bytes: number | string
      readonly at: number | string
    }>`SELECT nonce, bytes, at FROM till_free_downloads WHERE purchase_id = ${purchaseId}`
    if (kept.some((other) => other.nonce === nonce)) return { _tag: "Used" }
    const issued = kept.filter(({ bytes }) => Number(bytes) === 0).map(({ at }) => Number(at))
    if (issued.length >= max) return { _tag: "Limited", oldestMillis: Math.min(...issued) }
    const [row] = yield* sql<Row>`
      UPDATE till_vault_purchases
      SET token_number = token_number + 1, key_id = ${keyId}, due_at = ${dueAtMillis ?? null}, attempts = 0
      WHERE id = ${purchaseId} AND status = 'granted' RETURNING *`
    if (row === undefined) return { _tag: "NotGranted" }
    yield* sql`
      INSERT INTO till_free_downloads (purchase_id, nonce, bytes, at)
      VALUES (${purchaseId}, ${nonce}, 0, ${atMillis})`
    return { _tag: "Renewed", purchase: toPurchase(row) }
  })
  return (token, limit) => storing("vaultPurchases.renewToken", sql.withTransaction(renew(token, limit)))
}

const downloadMethods = (
  sql: SqlClient.SqlClient
): Pick<Methods, "countDownload" | "releaseDownload" | "redeem"> => {
  const { forgetProofs, lock } = proofStatements(sql)
  const count = Effect.fnUntraced(function* (id: string, chargeKey: string, max: number) {
    yield* lock(id)
    const counted = yield* sql<{ readonly charge_key: string }>`
      SELECT charge_key FROM till_purchase_downloads WHERE purchase_id = ${id}`
    if (counted.some((row) => row.charge_key === chargeKey)) return true
    if (counted.length >= max) return false
    yield* sql`INSERT INTO till_purchase_downloads (purchase_id, charge_key) VALUES (${id}, ${chargeKey})`
    return true
  })
  const redeem = Effect.fnUntraced(function* (
    { atMillis, bytes, nonce, purchaseId }: FreeDownload,
    { maxBytes, sinceMillis }: FreeBudget
  ): Effect.fn.Return<Redemption, SqlError.SqlError> {
    yield* lock(purchaseId)
    yield* forgetProofs(purchaseId, sinceMillis)
    const kept = yield* sql<{ readonly nonce: string; readonly bytes: number | string }>`
      SELECT nonce, bytes FROM till_free_downloads WHERE purchase_id = ${purchaseId}`
    if (kept.some((other) => other.nonce === nonce)) return "Used"
    if (kept.reduce((sum, other) => sum + Number(other.bytes), bytes) > maxBytes) return "Spent"
    yield* sql`
      INSERT INTO till_free_downloads (purchase_id, nonce, bytes, at)
      VALUES (${purchaseId}, ${nonce}, ${bytes}, ${atMillis})`
    return "Redeemed"
  })
  return {
    redeem: (download, budget) =>
      storing("vaultPurchases.redeem", sql.withTransaction(redeem(download, budget))),
    countDownload: (id, chargeKey, max) =>
      storing("vaultPurchases.countDownload", sql.withTransaction(count(id, chargeKey, max))),
    releaseDownload: (id, chargeKey) =>
      storing(
        "vaultPurchases.releaseDownload",
        Effect.asVoid(sql`
          DELETE FROM till_purchase_downloads WHERE purchase_id = ${id} AND charge_key = ${chargeKey}`)
      )
  }
}

const upkeepMethods = (
  sql: SqlClient.SqlClient
): Pick<Methods, "take" | "earliestDue" | "reschedule" | "forget" | "countUnderKey"> => {
  // On PostgreSQL, two sweeps would wait for each other's rows; SQLite has one writer at a time.
  return {
    take: (nowMillis, untilMillis, limit) =>
      storing(
        "vaultPurchases.take",
        Effect.map(
          // As for orders: selected first, and once.
          sql<Row>`
            WITH due AS MATERIALIZED (
              SELECT id FROM till_vault_purchases WHERE due_at <= ${nowMillis}
              ORDER BY due_at, id LIMIT ${limit} ${skippingLocked(sql)})
            UPDATE till_vault_purchases SET due_at = ${untilMillis}, attempts = attempts + 1
            WHERE due_at <= ${nowMillis} AND id IN (SELECT id FROM due) RETURNING *`,
          (rows) => rows.map(toPurchase)
        )
      ),
    earliestDue: () => storing("vaultPurchases.earliestDue", earliestDueOf(sql, "till_vault_purchases")),
    reschedule: (id, seenMillis, dueAtMillis) =>
      storing(
        "vaultPurchases.reschedule",
        tookEffect(sql`
          UPDATE till_vault_purchases SET due_at = ${dueAtMillis ?? null}
          WHERE id = ${id} AND due_at = ${seenMillis} RETURNING id`)
      ),
    forget: (beforeMillis, limit) =>
      storing(
        "vaultPurchases.forget",
        Effect.map(
          sql`
            UPDATE till_vault_purchases SET email = NULL WHERE email IS NOT NULL AND id IN (
              SELECT id FROM till_vault_purchases
              WHERE email IS NOT NULL AND due_at IS NULL AND status = 'granted' AND created_at < ${beforeMillis}
              ORDER BY created_at LIMIT ${limit})
            RETURNING id`,
          ({ length }) => length
        )
      ),
    countUnderKey: (keyId, sinceMillis) =>
      storing(
        "vaultPurchases.countUnderKey",
        countOf(sql<CountRow>`
          SELECT COUNT(*) AS count FROM till_vault_purchases
          WHERE key_id = ${keyId} AND created_at >= ${sinceMillis}`)
      )
  }
}

/** Purchases of vault items in a database. The database decides each race. */
export const layer: Layer.Layer<VaultPurchases, never, SqlClient.SqlClient> = Layer.effect(
  VaultPurchases,
  Effect.map(SqlClient.SqlClient, (sql) =>
    VaultPurchases.of({
      ...saleMethods(sql),
      ...downloadMethods(sql),
      renewToken: renewMethod(sql),
      ...upkeepMethods(sql)
    })
  )
)
