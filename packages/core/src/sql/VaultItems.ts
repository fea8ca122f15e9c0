import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { VaultItem } from "../domain/Vault.ts"
import { searchTextOf, VaultItems, wordsOf } from "../ports/VaultItems.ts"
import { storing } from "./rows.ts"

interface Row {
  readonly downloads: number | string
  readonly document: string
}

const toItem = (row: Row): VaultItem => ({
  ...(JSON.parse(row.document) as VaultItem),
  downloads: Number(row.downloads)
})

/** A LIKE pattern that finds text literally: `%` and `_` are escaped. */
const literal = (word: string): string => `%${word.replace(/[!%_]/g, "!$&")}%`

/** The vault's items in a database. */
export const layer: Layer.Layer<VaultItems, never, SqlClient.SqlClient> = Layer.effect(
  VaultItems,
  Effect.map(SqlClient.SqlClient, (sql) =>
    VaultItems.of({
      put: (item) =>
        storing(
          "vaultItems.put",
          Effect.asVoid(sql`
            INSERT INTO till_vault_items (id, slug, position, product_type, category, price, downloads, search, document)
            VALUES (${item.id}, ${item.slug}, (SELECT COALESCE(MAX(position), 0) + 1 FROM till_vault_items),
              ${item.productType}, ${item.category}, ${item.price}, ${item.downloads}, ${searchTextOf(item)},
              ${JSON.stringify(item)})
            ON CONFLICT (id) DO UPDATE SET
              slug = excluded.slug, product_type = excluded.product_type, category = excluded.category,
              price = excluded.price, search = excluded.search, document = excluded.document`)
        ),
      findBySlug: (slug) =>
        storing(
          "vaultItems.findBySlug",
          Effect.map(
            sql<Row>`SELECT downloads, document FROM till_vault_items WHERE slug = ${slug}`,
            ([row]) => (row === undefined ? undefined : toItem(row))
          )
        ),
      countDownload: (slug) =>
        storing(
          "vaultItems.countDownload",
          Effect.asVoid(sql`UPDATE till_vault_items SET downloads = downloads + 1 WHERE slug = ${slug}`)
        ),
      search: ({ category, cursor, limit, maxPrice, minPrice, productType, q }) =>
        storing(
          "vaultItems.search",
          Effect.gen(function* () {
            const last =
              cursor === undefined
                ? undefined
                : (yield* sql<{ readonly id: string; readonly position: number | string }>`
                    SELECT id, position FROM till_vault_items WHERE LOWER(id) = ${cursor.toLowerCase()}`)[0]
            if (cursor !== undefined && last === undefined) return undefined
            const rows = yield* sql<Row>`SELECT i.downloads, i.document FROM till_vault_items AS i
              WHERE ${sql.and([
                sql`1 = 1`,
                ...(category === undefined ? [] : [sql`i.category = ${category}`]),
                ...(productType === undefined ? [] : [sql`i.product_type = ${productType}`]),
                ...(minPrice === undefined ? [] : [sql`i.price >= ${minPrice}`]),
                ...(maxPrice === undefined ? [] : [sql`i.price <= ${maxPrice}`]),
                ...wordsOf(q).map((word) => sql`i.search LIKE ${literal(word)} ESCAPE '!'`),
                ...(last === undefined
                  ? []
                  : [sql`(i.position, i.id) > (${Number(last.position)}, ${last.id})`])
              ])} ORDER BY i.position, i.id LIMIT ${limit + 1}`
            const items = rows.slice(0, limit).map(toItem)
            return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null }
          })
        )
    })
  )
)
