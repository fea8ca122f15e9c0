import { Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { queryTermsOf, searchTermsOf } from "../../shop/goods/SearchTerms.ts"
import type { VaultItem, VaultQuery } from "../../shop/goods/Vault.ts"
import { VaultItems } from "../../shop/ports/VaultItems.ts"
import { archivesOf, lockSlug, publishItem } from "./vaultArchives.ts"
import { storing } from "./statements.ts"
import { postgresMatch, sqliteMatch } from "./vaultMatch.ts"

interface Row {
  readonly downloads: number | string
  readonly document: string
}

const toItem = (row: Row): VaultItem => ({
  ...(JSON.parse(row.document) as VaultItem),
  downloads: Number(row.downloads)
})

/** The downloads of an item: those that it was put with, and those counted since. */
const downloadsOf = (sql: SqlClient.SqlClient) => sql`i.downloads + COALESCE(
  (SELECT SUM(counts.downloads) FROM till_vault_downloads AS counts WHERE counts.item_id = i.id), 0) AS downloads`

/** Connections of PostgreSQL count in different rows, so that they rarely wait for each other. SQLite has one writer. */
const slotOf = (sql: SqlClient.SqlClient) =>
  sql.onDialectOrElse({ pg: () => sql`pg_backend_pid() % 32`, orElse: () => sql`0` })

type Limits = Pick<VaultQuery, "minPrice" | "maxPrice">

const priceConditions = (sql: SqlClient.SqlClient, { maxPrice, minPrice }: Limits) => {
  // An index reads the items of one price in the order of the listing.
  if (minPrice !== undefined && minPrice === maxPrice) return [sql`i.price = ${minPrice}`]
  return [
    ...(minPrice === undefined ? [] : [sql`i.price >= ${minPrice}`]),
    ...(maxPrice === undefined ? [] : [sql`i.price <= ${maxPrice}`])
  ]
}

/** The place of a cursor. Without an item of this id, no item is behind it. */
const placeOf = (sql: SqlClient.SqlClient, cursor: string, columns: Statement.Fragment) =>
  sql`(SELECT ${columns} FROM till_vault_items AS c WHERE LOWER(c.id) = ${cursor.toLowerCase()})`

const behind = (sql: SqlClient.SqlClient, cursor: string | undefined) =>
  cursor === undefined ? [] : [sql`(i.position, i.id) > ${placeOf(sql, cursor, sql`c.position, c.id`)}`]

/** As many times the items of a page are read in the order of the listing before the index is asked. */
const pagesAhead = 8

/**
 * A page of a wide range of prices, if the next items of the listing fill it; otherwise fewer rows. The index of SQLite
 * merges a term for each part of a range, which takes longer the farther the page is.
 */
const nearPage = (sql: SqlClient.SqlClient, query: VaultQuery, limit: number) => {
  const { category, cursor, productType } = query
  const conditions = [
    ...(category === undefined ? [] : [sql`i.category = ${category}`]),
    ...(productType === undefined ? [] : [sql`i.product_type = ${productType}`]),
    ...priceConditions(sql, query)
  ]
  return sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM (
      SELECT i.id, i.category, i.product_type, i.price, i.downloads, i.document FROM till_vault_items AS i
      WHERE ${sql.and([sql`i.listed = 1`, ...behind(sql, cursor)])}
      ORDER BY i.position, i.id LIMIT ${pagesAhead * limit}
    ) AS i WHERE ${sql.and(conditions)} LIMIT ${limit}`
}

/** Whether a search is for a range of prices, and for no words. */
const isRangeOfPrices = ({ maxPrice, minPrice, q }: VaultQuery): boolean =>
  minPrice !== maxPrice && queryTermsOf(q) === undefined

/** A page of SQLite: its index reads words and filters in the order of the listing, and stops after the page. */
const sqlitePage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  query: VaultQuery,
  limit: number
): Effect.fn.Return<ReadonlyArray<Row>, SqlError.SqlError> {
  const { cursor } = query
  const match = sqliteMatch(query)
  if (match === undefined)
    return yield* sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
      WHERE ${sql.and([sql`i.listed = 1`, ...priceConditions(sql, query), ...behind(sql, cursor)])}
      ORDER BY i.position, i.id LIMIT ${limit}`
  const near = isRangeOfPrices(query) ? yield* nearPage(sql, query, limit) : []
  if (near.length === limit) return near
  const conditions = [
    sql`till_vault_search MATCH ${match}`,
    ...(cursor === undefined
      ? []
      : [sql`till_vault_search.rowid > ${placeOf(sql, cursor, sql`c.position`)}`]),
    ...priceConditions(sql, query)
  ]
  return yield* sql<Row>`SELECT ${downloadsOf(sql)}, i.document
    FROM till_vault_search CROSS JOIN till_vault_items AS i ON i.position = till_vault_search.rowid
    WHERE ${sql.and(conditions)} ORDER BY till_vault_search.rowid LIMIT ${limit}`
})

/** Items whose words are counted before a search by a whole word and the beginning of another one. */
const sampleSize = 400
/** Words that at most this many of them have are rare, and beginnings that at least so many have are common. */
const rareHits = 1
const commonHits = 20

/**
 * Whether few items have the whole words of a search, and many a word with its last beginning. The index of PostgreSQL
 * reads every item that has such a word, however few of them have the others.
 */
const hasCommonEnd = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, words: string, end: string) {
  const [found] = yield* sql<{ readonly rare: number | string; readonly common: number | string }>`
    SELECT COUNT(*) FILTER (WHERE terms @@ CAST(${words} AS tsquery)) AS rare,
      COUNT(*) FILTER (WHERE terms @@ CAST(${end} AS tsquery)) AS common
    FROM (SELECT terms FROM till_vault_items WHERE listed = 1 ORDER BY position, id LIMIT ${sampleSize}) AS sample`
  return Number(found!.rare) <= rareHits && Number(found!.common) >= commonHits
})

const wordConditions = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, q: string | undefined) {
  const match = postgresMatch(q)
  if (match === undefined) return []
  const { end, whole } = match
  if (whole === undefined || end === undefined) return [sql`i.terms @@ CAST(${(whole ?? end)!} AS tsquery)`]
  if (yield* hasCommonEnd(sql, whole, end))
    // Joined with nothing, `terms` isn't what the index has: the items with the whole words are read, and filtered.
    return [
      sql`i.terms @@ CAST(${whole} AS tsquery)`,
      sql`(i.terms || CAST('' AS tsvector)) @@ CAST(${end} AS tsquery)`
    ]
  return [sql`i.terms @@ CAST(${`${whole} & ${end}`} AS tsquery)`]
})

/**
 * A page of PostgreSQL, which chooses by its statistics whether to read by the words, by a filter or in order. Not
 * prepared: after some runs, a prepared statement may get one plan for all words, common and rare.
 */
const postgresPage = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  query: VaultQuery,
  limit: number
): Effect.fn.Return<ReadonlyArray<Row>, SqlError.SqlError> {
  const { category, cursor, productType, q } = query
  const conditions = [
    sql`i.listed = 1`,
    ...(category === undefined ? [] : [sql`i.category = ${category}`]),
    ...(productType === undefined ? [] : [sql`i.product_type = ${productType}`]),
    ...(yield* wordConditions(sql, q)),
    ...priceConditions(sql, query),
    ...behind(sql, cursor)
  ]
  return yield* sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
    WHERE ${sql.and(conditions)} ORDER BY i.position, i.id LIMIT ${limit}`.unprepared
})

const hasItem = (sql: SqlClient.SqlClient, cursor: string) =>
  Effect.map(
    sql`SELECT id FROM till_vault_items WHERE LOWER(id) = ${cursor.toLowerCase()}`,
    (rows) => rows.length > 0
  )

const search = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, query: VaultQuery) {
  const { cursor, limit, q } = query
  const isEmpty = queryTermsOf(q)?.length === 0
  const rows = isEmpty
    ? []
    : yield* sql.onDialectOrElse({
        pg: () => postgresPage(sql, query, limit + 1),
        orElse: () => sqlitePage(sql, query, limit + 1)
      })
  // Only a page without items may be that of an unknown cursor.
  if (rows.length === 0 && cursor !== undefined && !(yield* hasItem(sql, cursor))) return undefined
  const items = rows.slice(0, limit).map(toItem)
  return { items, nextCursor: rows.length > limit ? items.at(-1)!.id : null }
})

/** Collects statistics on PostgreSQL, which plans searches by them and would collect them minutes later. */
const refreshStatistics = (sql: SqlClient.SqlClient): Effect.Effect<unknown, SqlError.SqlError> =>
  sql.onDialectOrElse({ pg: () => sql`ANALYZE till_vault_items`, orElse: () => Effect.void })

/** Refreshes the statistics after this many new items, and each time that they have doubled. */
const firstRefresh = 1_000

const put = (sql: SqlClient.SqlClient, item: VaultItem) => sql`
  INSERT INTO till_vault_items
    (id, slug, position, product_type, category, price, downloads, search, document)
  VALUES (${item.id}, ${item.slug}, (SELECT COALESCE(MAX(position), 0) + 1 FROM till_vault_items),
    ${item.productType}, ${item.category}, ${item.price}, ${item.downloads}, ${searchTermsOf(item).join(" ")},
    ${JSON.stringify(item)})
  ON CONFLICT (id) DO UPDATE SET
    slug = excluded.slug, product_type = excluded.product_type, category = excluded.category,
    price = excluded.price, search = excluded.search, listed = 1, document = excluded.document`

/**
 * On PostgreSQL, `ON CONFLICT (id)` alone fails with a violation of the slug's index if another transaction inserts the
 * same item at that moment.
 */
const putAlone = (sql: SqlClient.SqlClient, item: VaultItem) =>
  sql.onDialectOrElse({
    pg: () => sql.withTransaction(Effect.andThen(lockSlug(sql, item.slug), put(sql, item))),
    orElse: () => put(sql, item)
  })

/** The vault's items in a database. */
export const layer: Layer.Layer<VaultItems, never, SqlClient.SqlClient> = Layer.effect(
  VaultItems,
  Effect.map(SqlClient.SqlClient, (sql) => {
    let added = 0
    let refreshAt = firstRefresh
    const countAdded = Effect.suspend(() => {
      added++
      if (added < refreshAt) return Effect.void
      refreshAt = 2 * added
      // Only the plans of searches depend on it, and the database does it later by itself.
      return Effect.ignore(refreshStatistics(sql))
    })
    return VaultItems.of({
      put: (item) => Effect.andThen(storing("vaultItems.put", putAlone(sql, item)), countAdded),
      publish: (item, archive, nowMillis) =>
        Effect.tap(
          storing(
            "vaultItems.publish",
            publishItem(sql, (stored) => put(sql, stored), item, archive, nowMillis)
          ),
          countAdded
        ),
      versions: (slug, limit) => storing("vaultItems.versions", archivesOf(sql, slug, limit)),
      unlist: (slug) =>
        storing(
          "vaultItems.unlist",
          Effect.map(
            sql`UPDATE till_vault_items SET listed = 0 WHERE slug = ${slug} AND listed = 1 RETURNING id`,
            (rows) => rows.length === 1
          )
        ),
      findBySlug: (slug) =>
        storing(
          "vaultItems.findBySlug",
          Effect.map(
            sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
              WHERE i.slug = ${slug} AND i.listed = 1`,
            ([row]) => (row === undefined ? undefined : toItem(row))
          )
        ),
      countDownload: (slug) =>
        storing(
          "vaultItems.countDownload",
          Effect.asVoid(sql`
            INSERT INTO till_vault_downloads AS counts (item_id, slot, downloads)
            SELECT id, ${slotOf(sql)}, 1 FROM till_vault_items WHERE slug = ${slug}
            ON CONFLICT (item_id, slot) DO UPDATE SET downloads = counts.downloads + 1`)
        ),
      search: (query) => storing("vaultItems.search", search(sql, query))
    })
  })
)
