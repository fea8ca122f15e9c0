import {
  type ArchiveVersion,
  type Redemption,
  type TokenRenewal,
  sameListing,
  searchTermsOf,
  searchVault,
  type TermMatch,
  type VaultItem,
  type VaultItemStore,
  type VaultPurchase,
  type VaultPurchaseStore,
  type VaultStep
} from "@till402/core"
import { type Database, json, type Transaction } from "./database.ts"

const putItem = async (sql: Database | Transaction, item: VaultItem): Promise<void> => {
  const row = {
    ...item,
    creator: json(sql, item.creator),
    keywords: json(sql, item.keywords),
    terms: Array.from(searchTermsOf(item)),
    listed: true
  }
  const { downloads: _downloads, id: _id, ...changes } = row
  await sql`INSERT INTO till.vault_items ${sql(row)} ON CONFLICT (id) DO UPDATE SET ${sql(changes)}`
}

type ItemRow = Omit<VaultItem, "keywords"> & { readonly keywords: ReadonlyArray<string> | null }

const toItem = ({ keywords, ...item }: ItemRow): VaultItem =>
  keywords === null ? item : { ...item, keywords }

/** The vault's items. */
export const vaultItemStore = (sql: Database) => {
  const itemColumns = sql`id, slug, title, product_type, card_description, price, category, creator, downloads,
    cover_image_url, keywords`

  /** Items with all terms of one of these lists. */
  const withAll = (lists: TermMatch["anyOf"]) =>
    lists
      .map((list) => {
        // Terms of a list that have no other form are looked up in the index.
        const plain = list.filter(({ isPrefix, or }) => !isPrefix && or === undefined).map(({ text }) => text)
        const conditions = list
          .filter(({ isPrefix, or }) => isPrefix || or !== undefined)
          .map(
            ({ isPrefix, or = null, text }) => sql`EXISTS (SELECT FROM unnest(terms) AS term
              WHERE term = ${or}::text OR ${isPrefix ? sql`starts_with(term, ${text})` : sql`term = ${text}`})`
          )
        return [sql`terms @> ${plain}::text[]`, ...conditions].reduce((all, each) => sql`${all} AND ${each}`)
      })
      .reduce((any, each) => sql`${any} OR ${each}`)

  const matching = ({ anyOf, noneOf }: TermMatch) =>
    noneOf.length === 0
      ? sql`AND (${withAll(anyOf)})`
      : sql`AND (${withAll(anyOf)}) AND NOT (${withAll(noneOf)})`

  const itemById = async (id: string): Promise<VaultItem | undefined> => {
    const [item] = await sql<Array<ItemRow>>`
      SELECT ${itemColumns} FROM till.vault_items WHERE lower(id) = ${id.toLowerCase()}`
    return item && toItem(item)
  }

  const readStep = async ({
    after,
    category,
    limit,
    match,
    maxPrice,
    minPrice,
    productType
  }: VaultStep): Promise<ReadonlyArray<VaultItem>> => {
    const place = sql`(SELECT position FROM till.vault_items WHERE lower(id) = ${after?.toLowerCase() ?? ""})`
    const rows = await sql<Array<ItemRow>>`
      SELECT ${itemColumns} FROM till.vault_items
      WHERE listed
        ${after === undefined ? sql`` : sql`AND position > ${place}`}
        ${category === undefined ? sql`` : sql`AND category = ${category}`}
        ${productType === undefined ? sql`` : sql`AND product_type = ${productType}`}
        ${minPrice === undefined ? sql`` : sql`AND price >= ${minPrice}`}
        ${maxPrice === undefined ? sql`` : sql`AND price <= ${maxPrice}`}
        ${match === undefined ? sql`` : matching(match)}
      ORDER BY position LIMIT ${limit}`
    return rows.map(toItem)
  }

  return {
    put: (item) =>
      sql.begin(async (sql) => {
        // Processes that start together put the same items.
        await sql`SELECT pg_advisory_xact_lock(1, hashtext(${item.slug}))`
        await putItem(sql, item)
      }),

    publish: (item, { digest, size }, nowMillis) =>
      sql.begin(async (sql) => {
        // Publishers of one slug wait for each other.
        await sql`SELECT pg_advisory_xact_lock(1, hashtext(${item.slug}))`
        const [before] = await sql<Array<ItemRow & { readonly listed: boolean }>>`
          SELECT ${itemColumns}, listed FROM till.vault_items WHERE slug = ${item.slug}`
        const id = before?.id ?? item.id
        const [newest] = await sql<Array<{ readonly version: number; readonly digest: string }>>`
          SELECT version, digest FROM till.vault_archives WHERE item_id = ${id} ORDER BY version DESC LIMIT 1`
        const isNewest = newest?.digest === digest
        if (isNewest && before?.listed === true && sameListing(toItem(before), item))
          return { _tag: "Unchanged" as const, id, version: newest.version }
        await putItem(sql, { ...item, id })
        const version = isNewest ? newest.version : (newest?.version ?? 0) + 1
        if (!isNewest)
          await sql`INSERT INTO till.vault_archives
            ${sql({ itemId: id, version, digest, size, publishedAtMillis: nowMillis })}`
        return { _tag: before === undefined ? ("Added" as const) : ("Changed" as const), id, version }
      }),

    versions: (slug, limit) => sql<Array<ArchiveVersion>>`
      SELECT version, digest, size, published_at_millis FROM till.vault_archives
      WHERE item_id = (SELECT id FROM till.vault_items WHERE slug = ${slug})
      ORDER BY version DESC LIMIT ${limit}`,

    unlist: async (slug) => {
      const { count } = await sql`
        UPDATE till.vault_items SET listed = false WHERE slug = ${slug} AND listed`
      return count === 1
    },

    findBySlug: async (slug) => {
      const [item] = await sql<Array<ItemRow>>`
        SELECT ${itemColumns} FROM till.vault_items WHERE slug = ${slug} AND listed`
      return item && toItem(item)
    },

    search: (query) => searchVault(query, { item: itemById, step: readStep }),

    countDownload: async (slug) => {
      await sql`UPDATE till.vault_items SET downloads = downloads + 1 WHERE slug = ${slug}`
    }
  } satisfies VaultItemStore
}

/** Purchases of vault items: reserved until their payment has settled, then granted; due while there is work left. */
export const vaultPurchaseStore = (sql: Database) =>
  ({
    reserve: async (purchase) => {
      const row = { ...purchase, status: "reserved", attempts: 0 }
      await sql`INSERT INTO till.vault_purchases ${sql(row)} ON CONFLICT (id) DO NOTHING`
    },

    grant: async (id, dueAtMillis) => {
      const { count } = await sql`
      UPDATE till.vault_purchases SET status = 'granted', due_at_millis = ${dueAtMillis ?? null}, attempts = 0
      WHERE id = ${id} AND status = 'reserved'`
      return count === 1
    },

    cancel: async (id) => {
      await sql`DELETE FROM till.vault_purchases WHERE id = ${id} AND status = 'reserved'`
    },

    countDownload: (id, chargeKey, max) =>
      sql.begin(async (sql) => {
        // Downloads of one purchase wait for each other.
        await sql`SELECT pg_advisory_xact_lock(2, hashtext(${id}))`
        const counted = await sql<Array<{ readonly chargeKey: string }>>`
          SELECT charge_key FROM till.vault_downloads WHERE purchase_id = ${id}`
        if (counted.some((row) => row.chargeKey === chargeKey)) return true
        if (counted.length >= max) return false
        await sql`INSERT INTO till.vault_downloads ${sql({ purchaseId: id, chargeKey })}`
        return true
      }),

    releaseDownload: async (id, chargeKey) => {
      await sql`DELETE FROM till.vault_downloads WHERE purchase_id = ${id} AND charge_key = ${chargeKey}`
    },

    redeem: ({ atMillis, bytes, nonce, purchaseId }, { maxBytes, sinceMillis }) =>
      sql.begin(async (sql): Promise<Redemption> => {
        await sql`SELECT pg_advisory_xact_lock(2, hashtext(${purchaseId}))`
        await sql`DELETE FROM till.free_downloads WHERE purchase_id = ${purchaseId} AND at <= ${sinceMillis}`
        const kept = await sql<Array<{ readonly nonce: string; readonly bytes: number }>>`
          SELECT nonce, bytes FROM till.free_downloads WHERE purchase_id = ${purchaseId}`
        if (kept.some((other) => other.nonce === nonce)) return "Used"
        if (kept.reduce((sum, other) => sum + Number(other.bytes), bytes) > maxBytes) return "Spent"
        await sql`INSERT INTO till.free_downloads ${sql({ purchaseId, nonce, bytes, at: atMillis })}`
        return "Redeemed"
      }),

    renewToken: ({ atMillis, dueAtMillis, keyId, nonce, purchaseId }, { max, sinceMillis }) =>
      sql.begin(async (sql): Promise<TokenRenewal> => {
        await sql`SELECT pg_advisory_xact_lock(2, hashtext(${purchaseId}))`
        await sql`DELETE FROM till.free_downloads WHERE purchase_id = ${purchaseId} AND at <= ${sinceMillis}`
        const kept = await sql<
          Array<{ readonly nonce: string; readonly bytes: number; readonly at: number }>
        >`
          SELECT nonce, bytes, at FROM till.free_downloads WHERE purchase_id = ${purchaseId}`
        if (kept.some((other) => other.nonce === nonce)) return { _tag: "Used" }
        const issued = kept.filter(({ bytes }) => Number(bytes) === 0).map(({ at }) => Number(at))
        if (issued.length >= max) return { _tag: "Limited", oldestMillis: Math.min(...issued) }
        const [purchase] = await sql<Array<VaultPurchase>>`
          UPDATE till.vault_purchases
          SET token_number = token_number + 1, key_id = ${keyId}, due_at_millis = ${dueAtMillis ?? null}, attempts = 0
          WHERE id = ${purchaseId} AND status = 'granted' RETURNING *`
        if (purchase === undefined) return { _tag: "NotGranted" }
        await sql`INSERT INTO till.free_downloads ${sql({ purchaseId, nonce, bytes: 0, at: atMillis })}`
        return { _tag: "Renewed", purchase }
      }),

    list: async ({ before, email, ids, limit, slug }) => sql<Array<VaultPurchase>>`
      SELECT * FROM till.vault_purchases
      WHERE status = 'granted'
        ${ids === undefined ? sql`` : sql`AND id = ANY(${[...ids]})`}
        ${email === undefined ? sql`` : sql`AND lower(email) = ${email.toLowerCase()}`}
        ${slug === undefined ? sql`` : sql`AND slug = ${slug}`}
        ${before === undefined ? sql`` : sql`AND (created_at_millis, id) < (${before.createdAtMillis}, ${before.id})`}
      ORDER BY created_at_millis DESC, id DESC LIMIT ${limit}`,

    countSales: async (slug) => {
      const [row] = await sql<Array<{ readonly sales: number }>>`
        SELECT count(*)::int AS sales FROM till.vault_purchases WHERE slug = ${slug} AND status = 'granted'`
      return row!.sales
    },

    find: async (id) => {
      const [purchase] = await sql<Array<VaultPurchase>>`SELECT * FROM till.vault_purchases WHERE id = ${id}`
      return purchase
    },

    // Skips rows that another process is taking.
    take: async (nowMillis, untilMillis, limit) => sql<Array<VaultPurchase>>`
    WITH due AS MATERIALIZED (
      SELECT id FROM till.vault_purchases WHERE due_at_millis <= ${nowMillis}
      ORDER BY due_at_millis, id LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    UPDATE till.vault_purchases SET due_at_millis = ${untilMillis}, attempts = attempts + 1
    WHERE due_at_millis <= ${nowMillis} AND id IN (SELECT id FROM due)
    RETURNING *`,

    earliestDue: async () => {
      const [first] = await sql<Array<Pick<VaultPurchase, "dueAtMillis">>>`
      SELECT min(due_at_millis) AS due_at_millis FROM till.vault_purchases`
      return first?.dueAtMillis
    },

    reschedule: async (id, seenMillis, dueAtMillis) => {
      const { count } = await sql`
      UPDATE till.vault_purchases SET due_at_millis = ${dueAtMillis ?? null}
      WHERE id = ${id} AND due_at_millis = ${seenMillis}`
      return count === 1
    },

    forget: async (beforeMillis, limit) => {
      const { count } = await sql`
      WITH finished AS MATERIALIZED (
        SELECT id FROM till.vault_purchases
        WHERE email IS NOT NULL AND due_at_millis IS NULL AND status = 'granted' AND created_at_millis < ${beforeMillis}
        LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      UPDATE till.vault_purchases SET email = NULL WHERE id IN (SELECT id FROM finished)`
      return count
    },

    countUnderKey: async (keyId, sinceMillis) => {
      const [row] = await sql<Array<{ readonly purchases: number }>>`
        SELECT count(*)::int AS purchases FROM till.vault_purchases
        WHERE key_id = ${keyId} AND created_at_millis >= ${sinceMillis}`
      return row!.purchases
    }
  }) satisfies VaultPurchaseStore
