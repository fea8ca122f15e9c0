import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { VaultItem } from "../../shop/goods/VaultItem.ts"
import {
  type ArchiveFacts,
  type ArchiveVersion,
  type Publication,
  sameListing
} from "../../shop/goods/VaultListing.ts"

interface ItemRow {
  readonly id: string
  readonly listed: number | string
  readonly document: string
}

interface ArchiveRow {
  readonly version: number | string
  readonly digest: string
  readonly size: number | string
  readonly published_at: number | string
}

const toArchive = ({ digest, published_at, size, version }: ArchiveRow): ArchiveVersion => ({
  version: Number(version),
  digest,
  size: Number(size),
  publishedAtMillis: Number(published_at)
})

/** The archives of an item, the newest first. */
export const archivesOf = (
  sql: SqlClient.SqlClient,
  slug: string,
  limit: number
): Effect.Effect<ReadonlyArray<ArchiveVersion>, SqlError.SqlError> =>
  Effect.map(
    sql<ArchiveRow>`
      SELECT version, digest, size, published_at FROM till_vault_archives
      WHERE item_id = (SELECT id FROM till_vault_items WHERE slug = ${slug})
      ORDER BY version DESC LIMIT ${limit}`,
    (rows) => rows.map(toArchive)
  )

/** Writers of one slug wait for each other on PostgreSQL, until the transaction ends. SQLite has one writer. */
export const lockSlug = (sql: SqlClient.SqlClient, slug: string): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({
    pg: () => sql`SELECT pg_advisory_xact_lock(402405, hashtext(${slug}))`,
    orElse: () => Effect.void
  })

/** Publishes an item: writes it and its archive in one transaction. `put` writes the item's row. */
export const publishItem = (
  sql: SqlClient.SqlClient,
  put: (item: VaultItem) => Effect.Effect<unknown, SqlError.SqlError>,
  item: VaultItem,
  { digest, size }: ArchiveFacts,
  nowMillis: number
): Effect.Effect<Publication, SqlError.SqlError> =>
  sql.withTransaction(
    Effect.gen(function* (): Effect.fn.Return<Publication, SqlError.SqlError> {
      yield* lockSlug(sql, item.slug)
      const [before] = yield* sql<ItemRow>`
        SELECT id, listed, document FROM till_vault_items WHERE slug = ${item.slug}`
      const [newest] = before === undefined ? [] : yield* archivesOf(sql, item.slug, 1)
      const id = before?.id ?? item.id
      const isNewest = newest?.digest === digest
      const isListed = before !== undefined && Number(before.listed) === 1
      if (isNewest && isListed && sameListing(JSON.parse(before.document) as VaultItem, item))
        return { _tag: "Unchanged", id, version: newest.version }
      yield* put({ ...item, id })
      const version = isNewest ? newest.version : (newest?.version ?? 0) + 1
      if (!isNewest)
        yield* sql`
          INSERT INTO till_vault_archives (item_id, version, digest, size, published_at)
          VALUES (${id}, ${version}, ${digest}, ${size}, ${nowMillis})`
      return { _tag: before === undefined ? "Added" : "Changed", id, version }
    })
  )
