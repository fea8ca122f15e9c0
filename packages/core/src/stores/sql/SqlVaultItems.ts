import { Effect, Layer } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { type QueryTerm, searchTermsOf } from "../../shop/goods/SearchTerms.ts"
import type { VaultItem } from "../../shop/goods/VaultItem.ts"
import type { Alternatives, TermMatch, VaultRead, VaultStep } from "../../shop/goods/VaultRanking.ts"
import { searchInSteps, VaultItems } from "../../shop/ports/VaultItems.ts"
import { archivesOf, lockSlug, publishItem } from "./vaultArchives.ts"
import { storing } from "./statements.ts"

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
  (SELECT counts.downloads FROM till_vault_downloads AS counts WHERE counts.item_id = i.id), 0) AS downloads`

/** How an engine's full-text index writes a search. Terms have letters, digits and emoji only: safe between quotes. */
interface MatchSyntax {
  readonly quote: string
  readonly prefix: string
  readonly and: string
  readonly or: string
}

const sqliteSyntax: MatchSyntax = { quote: '"', prefix: "*", and: " AND ", or: " OR " }
const postgresSyntax: MatchSyntax = { quote: "'", prefix: ":*", and: " & ", or: " | " }

/** Items with all terms of one of the lists, as the engine's full-text index reads it. */
const matchOf = (lists: Alternatives, { and, or, prefix, quote }: MatchSyntax): string => {
  const termOf = ({ isPrefix, or: other, text }: QueryTerm): string => {
    const term = `${quote}${text}${quote}${isPrefix ? prefix : ""}`
    return other === undefined ? term : `(${term}${or}${quote}${other}${quote})`
  }
  return lists.map((list) => `(${list.map(termOf).join(and)})`).join(or)
}

const sqliteMatch = ({ anyOf, noneOf }: TermMatch): string => {
  const wanted = matchOf(anyOf, sqliteSyntax)
  return noneOf.length === 0 ? wanted : `(${wanted}) NOT (${matchOf(noneOf, sqliteSyntax)})`
}

/** A beginning of this length or less is that of too many words: PostgreSQL would read all of them in its index. */
const shortPrefix = 4

/** The terms of one list by which PostgreSQL reads its index; the others are compared item by item. */
const tellingOf = (list: ReadonlyArray<QueryTerm>): ReadonlyArray<QueryTerm> => {
  const telling = list.filter(({ isPrefix, text }) => !isPrefix || text.length > shortPrefix)
  return telling.length === 0 ? list : telling
}

/** The same of choices among words: of three and more, without the last, the shortest one, which most items have. */
const tellingOfChoice = (list: ReadonlyArray<QueryTerm>): ReadonlyArray<QueryTerm> =>
  list.length > 2 ? list.slice(0, -1) : list

/**
 * PostgreSQL reads by the terms that tell most, and compares the others item by item: its index would read every item with
 * a term that is unwanted, or that begins so. No index serves `IS TRUE`, and the planner expects as many items as without it:
 * so it knows whether a page is found soon in the order of the listing. Of choices, it would expect too few: the terms of a
 * choice were counted twice. With `COALESCE` it expects half of them.
 */
const postgresMatch = (
  sql: SqlClient.SqlClient,
  { anyOf, noneOf }: TermMatch
): ReadonlyArray<Statement.Fragment> => {
  const has = (lists: Alternatives) => sql`i.terms @@ CAST(${matchOf(lists, postgresSyntax)} AS tsquery)`
  const isOne = anyOf.length === 1
  const indexed = anyOf.map(isOne ? tellingOf : tellingOfChoice)
  const others = anyOf.map((list, index) => list.filter((term) => indexed[index]?.includes(term) === false))
  // An item may have the indexed terms of one choice and the others of another.
  const exact = () => (isOne ? sql`(${has(others)}) IS TRUE` : sql`COALESCE(${has(anyOf)}, FALSE)`)
  return [
    has(indexed),
    ...(others.flat().length === 0 ? [] : [exact()]),
    ...(noneOf.length === 0 ? [] : [sql`(${has(noneOf)}) IS NOT TRUE`])
  ]
}

/** The prices of a step, compared with a column, or with one that no index is chosen by. */
const pricesOf = (
  { maxPrice, minPrice }: VaultStep,
  sql: SqlClient.SqlClient,
  column: Statement.Fragment = sql`i.price`
): ReadonlyArray<Statement.Fragment> => [
  ...(minPrice === undefined ? [] : [sql`${column} >= ${minPrice}`]),
  ...(maxPrice === undefined ? [] : [sql`${column} <= ${maxPrice}`])
]

const filters = (
  sql: SqlClient.SqlClient,
  step: VaultStep,
  price?: Statement.Fragment
): ReadonlyArray<Statement.Fragment> => [
  sql`i.listed = 1`,
  ...(step.category === undefined ? [] : [sql`i.category = ${step.category}`]),
  ...(step.productType === undefined ? [] : [sql`i.product_type = ${step.productType}`]),
  ...pricesOf(step, sql, price)
]

/** The place of a cursor. Without an item of this id, no item is behind it. */
const placeOf = (sql: SqlClient.SqlClient, cursor: string, columns: Statement.Fragment) =>
  sql`(SELECT ${columns} FROM till_vault_items AS c WHERE LOWER(c.id) = ${cursor.toLowerCase()})`

const behind = (sql: SqlClient.SqlClient, after: string | undefined) =>
  after === undefined ? [] : [sql`(i.position, i.id) > ${placeOf(sql, after, sql`c.position, c.id`)}`]

type Page = Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>

/** Items of so few prices are read by price and sorted. More are found soon in the order of the listing. */
const maxSorted = 2_000

/** A page of SQLite without words. It knows no statistics, so this counts. */
const sqliteListing = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, step: VaultStep) {
  const { after, limit } = step
  const prices = pricesOf(step, sql)
  const [counted] =
    prices.length === 0
      ? []
      : yield* sql<{ readonly items: number }>`SELECT COUNT(*) AS items FROM (SELECT 1
          FROM till_vault_items AS i INDEXED BY till_vault_items_price
          WHERE ${sql.and([sql`i.listed = 1`, ...prices])} LIMIT ${maxSorted})`
  if (counted === undefined || counted.items >= maxSorted)
    return yield* sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
      WHERE ${sql.and([...filters(sql, step, sql`+i.price`), ...behind(sql, after)])}
      ORDER BY i.position, i.id LIMIT ${limit}`
  return yield* sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
    WHERE i.id IN (SELECT i.id FROM till_vault_items AS i INDEXED BY till_vault_items_price
      WHERE ${sql.and([...filters(sql, step), ...behind(sql, after)])} ORDER BY i.position, i.id LIMIT ${limit})
    ORDER BY i.position, i.id`
})

/** A page of SQLite. Its index reads the items with the words in the order of the listing, and stops after the page. */
const sqlitePage = (sql: SqlClient.SqlClient, step: VaultStep): Page => {
  const { after, limit, match } = step
  if (match === undefined) return sqliteListing(sql, step)
  const conditions = [
    sql`till_vault_search MATCH ${sqliteMatch(match)}`,
    ...(after === undefined ? [] : [sql`till_vault_search.rowid > ${placeOf(sql, after, sql`c.position`)}`]),
    ...filters(sql, step)
  ]
  return sql<Row>`SELECT ${downloadsOf(sql)}, i.document
    FROM till_vault_search CROSS JOIN till_vault_items AS i ON i.position = till_vault_search.rowid
    WHERE ${sql.and(conditions)} ORDER BY till_vault_search.rowid LIMIT ${limit}`
}

/**
 * A page of PostgreSQL, which chooses by its statistics whether to read by the words or in order. Not prepared: after some
 * runs, a prepared statement may get one plan for all words, common and rare.
 */
const postgresPage = (sql: SqlClient.SqlClient, step: VaultStep): Page => {
  const { after, limit, match } = step
  const conditions = [
    ...filters(sql, step),
    ...(match === undefined ? [] : postgresMatch(sql, match)),
    ...behind(sql, after)
  ]
  return sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
    WHERE ${sql.and(conditions)} ORDER BY i.position, i.id LIMIT ${limit}`.unprepared
}

const readOf =
  (sql: SqlClient.SqlClient) =>
  (read: VaultRead): Effect.Effect<ReadonlyArray<VaultItem>, SqlError.SqlError> => {
    const rows =
      read._tag === "Item"
        ? sql<Row>`SELECT ${downloadsOf(sql)}, i.document FROM till_vault_items AS i
            WHERE LOWER(i.id) = ${read.id.toLowerCase()}`
        : sql.onDialectOrElse({
            pg: () => postgresPage(sql, read.step),
            orElse: () => sqlitePage(sql, read.step)
          })
    return Effect.map(rows, (found) => found.map(toItem))
  }

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
    return VaultItems.of({
      put: (item) => storing("vaultItems.put", Effect.asVoid(putAlone(sql, item))),
      publish: (item, archive, nowMillis) =>
        storing(
          "vaultItems.publish",
          publishItem(sql, (stored) => put(sql, stored), item, archive, nowMillis)
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
            INSERT INTO till_vault_downloads AS counts (item_id, downloads)
            SELECT id, 1 FROM till_vault_items WHERE slug = ${slug}
            ON CONFLICT (item_id) DO UPDATE SET downloads = counts.downloads + 1`)
        ),
      search: (query) => storing("vaultItems.search", searchInSteps(query, readOf(sql)))
    })
  })
)
