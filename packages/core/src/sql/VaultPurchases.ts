import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { storing } from "./rows.ts"

interface Row {
  readonly status: VaultPurchase["status"]
  readonly document: string
}

/** Purchases of vault items in a database. */
export const layer: Layer.Layer<VaultPurchases, never, SqlClient.SqlClient> = Layer.effect(
  VaultPurchases,
  Effect.map(SqlClient.SqlClient, (sql) =>
    VaultPurchases.of({
      reserve: (purchase) =>
        storing(
          "vaultPurchases.reserve",
          Effect.asVoid(
            sql`INSERT INTO till_vault_purchases ${sql.insert({
              id: purchase.id,
              status: "reserved",
              created_at: purchase.createdAtMillis,
              document: JSON.stringify(purchase)
            })} ON CONFLICT (id) DO NOTHING`
          )
        ),
      grant: (id) =>
        storing(
          "vaultPurchases.grant",
          Effect.map(
            sql`UPDATE till_vault_purchases SET status = 'granted' WHERE id = ${id} AND status = 'reserved' RETURNING id`,
            ({ length }) => length > 0
          )
        ),
      cancel: (id) =>
        storing(
          "vaultPurchases.cancel",
          Effect.asVoid(sql`DELETE FROM till_vault_purchases WHERE id = ${id} AND status = 'reserved'`)
        ),
      find: (id) =>
        storing(
          "vaultPurchases.find",
          Effect.map(sql<Row>`SELECT status, document FROM till_vault_purchases WHERE id = ${id}`, ([row]) =>
            row === undefined ? undefined : { ...JSON.parse(row.document), status: row.status }
          )
        )
    })
  )
)
