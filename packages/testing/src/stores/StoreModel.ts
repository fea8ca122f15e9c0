import { Context, Effect } from "effect"
import {
  Charges,
  type FreeDownload,
  type Order,
  Orders,
  type Quote,
  Quotes,
  StoreError,
  type Stores,
  type TokenRenewal,
  type VaultItem,
  VaultItems,
  type VaultPurchase,
  VaultPurchases,
  type VaultQuery
} from "@till402/core/effect"
import { chargeModel } from "./ChargeModel.ts"
import { descending, padded } from "./ModelCharges.ts"
import { ascending, Rows } from "./ModelRows.ts"

/*
 * The store contract as a plain model: rows in an array, searched linearly. It shares no code with the stores
 * it is compared with.
 */

const quoteModel = (): Quotes["Service"] => {
  const quotes = new Rows<Quote>()
  const open = (fingerprint: string) => (row: Quote) =>
    row.fingerprint === fingerprint && row.consumedBy === undefined
  const lives = (row: Quote, nowMillis: number) => nowMillis < row.offer.expiresAtMillis
  return {
    put: (quote, nowMillis) =>
      Effect.sync(() => {
        quotes.delete((row) => open(quote.fingerprint)(row) && !lives(row, nowMillis))
        const live = quotes.first(open(quote.fingerprint))
        if (live !== undefined) return live
        quotes.add(quote)
        return quote
      }),
    findLive: (fingerprint, nowMillis) =>
      Effect.sync(() => quotes.first((row) => open(fingerprint)(row) && lives(row, nowMillis))),
    findConsumed: (fingerprint, chargeKey, nowMillis) =>
      Effect.sync(() => {
        const held = (row: Quote) =>
          row.fingerprint === fingerprint && row.consumedBy === chargeKey && lives(row, nowMillis)
        return ascending(quotes.all().filter(held), (row) => -row.offer.expiresAtMillis).at(0)
      }),
    consume: (id, chargeKey, nowMillis) =>
      Effect.sync(() => {
        const due = (row: Quote) =>
          row.id === id && lives(row, nowMillis) && [undefined, chargeKey].includes(row.consumedBy)
        return quotes.change(due, { consumedBy: chargeKey }) === 1
      }),
    restore: (chargeKey) =>
      Effect.sync(() => {
        const consumed = quotes.all().filter((row) => row.consumedBy === chargeKey)
        for (const { fingerprint, id } of ascending(consumed, (row) => -row.offer.expiresAtMillis)) {
          if (quotes.first(open(fingerprint)) !== undefined) continue
          quotes.change((row) => row.id === id, { consumedBy: undefined })
        }
      }),
    expire: (lapsedBeforeMillis, limit) =>
      Effect.sync(() => {
        const lapsed = quotes.all().filter((row) => row.offer.expiresAtMillis < lapsedBeforeMillis)
        const ids = lapsed.slice(0, limit).map(({ id }) => id)
        return quotes.delete((row) => ids.includes(row.id))
      }),
    countUnderKey: (keyId, nowMillis) =>
      Effect.sync(
        () =>
          quotes
            .all()
            .filter((row) => row.fingerprint.split(":")[0] === keyId && row.fingerprint.includes(":"))
            .filter((row) => row.consumedBy === undefined && lives(row, nowMillis)).length
      )
  }
}

const earliestOf = (rows: ReadonlyArray<{ readonly dueAtMillis: number | undefined }>): number | undefined =>
  rows.flatMap(({ dueAtMillis }) => dueAtMillis ?? []).toSorted((left, right) => left - right)[0]

const orderModel = (): Orders["Service"] => {
  const orders = new Rows<Order>()
  const find = (id: string) => orders.first((row) => row.id === id)
  return {
    create: (order) =>
      Effect.sync(() => {
        if (find(order.id) === undefined) orders.add(order)
      }),
    find: (id) => Effect.sync(() => find(id)),
    findByReference: (upstreamReference, otherThan) =>
      Effect.sync(() =>
        orders.first((row) => row.upstreamReference === upstreamReference && row.id !== otherThan)
      ),
    replace: (order) =>
      Effect.sync(() => {
        const { attempts, dueAtMillis, id, mails, reason, shipments, status, stepAtMillis } = order
        const progress = { attempts, dueAtMillis, mails, reason, shipments, status, stepAtMillis }
        const { timeline, updatedAtMillis, upstreamReference, version } = order
        const changed = { ...progress, timeline, updatedAtMillis, upstreamReference, version: version + 1 }
        return orders.change((row) => row.id === id && row.version === version, changed) === 1
      }),
    take: (nowMillis, untilMillis, limit) =>
      Effect.sync(() => {
        const due = orders
          .all()
          .filter((row) => row.dueAtMillis !== undefined && row.dueAtMillis <= nowMillis)
        return ascending(due, (row) => row.dueAtMillis!)
          .slice(0, limit)
          .map((order) => {
            const taken = { ...order, dueAtMillis: untilMillis, version: order.version + 1 }
            orders.change((row) => row.id === order.id, taken)
            return taken
          })
      }),
    earliestDue: () => Effect.sync(() => earliestOf(orders.all())),
    forget: (beforeMillis, limit) =>
      Effect.sync(() => {
        const old = orders
          .all()
          .filter((row) => row.dueAtMillis === undefined && row.updatedAtMillis < beforeMillis)
          .filter(({ status }) =>
            ["abandoned", "placed", "shipped", "delivered", "refunded"].includes(status)
          )
          .filter(({ email }) => email !== undefined)
          .slice(0, limit)
        const forgotten = { email: undefined, shippingAddress: undefined }
        for (const { id } of old) orders.change((row) => row.id === id, forgotten)
        return old.length
      }),
    list: ({ before, email, ids, item, limit, status }) =>
      Effect.sync(() => {
        const newestFirst = ascending(orders.all(), (row) => -row.createdAtMillis)
        const last = newestFirst.findIndex((row) => row.id === before)
        if (before !== undefined && last === -1) return []
        const behind = newestFirst.slice(last + 1)
        const nameOf = ({ product }: Order) =>
          product.source === "marketplace_a" ? product.asin : product.productUrl
        return behind
          .filter((row) => ids === undefined || ids.includes(row.id))
          .filter((row) => status === undefined || row.status === status)
          .filter((row) => email === undefined || row.email?.toUpperCase() === email.toUpperCase())
          .filter((row) => item === undefined || nameOf(row) === item)
          .slice(0, limit)
      })
  }
}

const wordsOf = (text: string): ReadonlyArray<string> => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

const meets = (item: VaultItem, { category, maxPrice, minPrice, productType }: VaultQuery): boolean =>
  item.category === (category ?? item.category) &&
  item.productType === (productType ?? item.productType) &&
  item.price >= (minPrice ?? 0) &&
  item.price <= (maxPrice ?? Infinity)

/** The place of an item in a search by a few plain words: 0 for all in its title, 1 for all, then for fewer. */
const rankOf = (item: VaultItem, q = ""): number | undefined => {
  if (q.trim() === "") return 0
  const sought = [...new Set(wordsOf(q))]
  const everything = [item.title, item.cardDescription, item.category, item.slug].join(" ")
  const isIn = (text: string, size: number): boolean => {
    const words = wordsOf(text)
    const hits = sought.filter((word, index) =>
      size === sought.length && index === size - 1
        ? words.some((each) => each.startsWith(word))
        : words.includes(word)
    )
    return hits.length >= size
  }
  for (let size = sought.length; size >= Math.max(1, Math.ceil(sought.length / 3)); size--) {
    const rank = 2 * (sought.length - size)
    if (isIn(item.title, size)) return rank
    if (isIn(everything, size)) return rank + 1
  }
  return undefined
}

interface ModelArchive {
  readonly version: number
  readonly digest: string
  readonly size: number
  readonly publishedAtMillis: number
}
type ItemRow = VaultItem & {
  readonly isListed: boolean
  readonly archives?: ReadonlyArray<ModelArchive>
}

const itemOf = (row: ItemRow): VaultItem => {
  const { archives: _archives, isListed: _isListed, ...item } = row
  return item
}

const itemModel = (): VaultItems["Service"] => {
  const items = new Rows<ItemRow>()
  const put = (item: VaultItem): void => {
    const { downloads, ...given } = item
    const replaced = { ...given, isListed: true }
    if (items.change(({ id }) => id === item.id, replaced) === 0) items.add({ ...replaced, downloads })
  }
  return {
    put: (item) =>
      Effect.suspend(() => {
        if (items.first(({ id, slug }) => slug === item.slug && id !== item.id) !== undefined)
          return Effect.fail(new StoreError({ operation: "vaultItems.put", cause: new Error("slug taken") }))
        put(item)
        return Effect.void
      }),
    publish: (item, { digest, size }, nowMillis) =>
      Effect.sync(() => {
        const before = items.first(({ slug }) => slug === item.slug)
        const archives = before?.archives ?? []
        const id = before?.id ?? item.id
        const tail = archives.at(-1)
        const isSame =
          before?.isListed === true &&
          (["title", "price", "category", "productType", "cardDescription", "coverImageUrl"] as const).every(
            (field) => before[field] === item[field]
          )
        if (tail?.digest === digest && isSame) return { _tag: "Unchanged", id, version: archives.length }
        put({ ...item, id })
        if (tail?.digest !== digest) {
          const next = { version: archives.length + 1, digest, size, publishedAtMillis: nowMillis }
          items.change((row) => row.id === id, { archives: [...archives, next] })
        }
        const version = items.first((row) => row.id === id)!.archives!.length
        return { _tag: before === undefined ? "Added" : "Changed", id, version }
      }),
    versions: (slug, limit) =>
      Effect.sync(() =>
        (items.first((row) => row.slug === slug)?.archives ?? []).toReversed().slice(0, limit)
      ),
    unlist: (slug) =>
      Effect.sync(() => items.change((row) => row.slug === slug && row.isListed, { isListed: false }) === 1),
    findBySlug: (slug) =>
      Effect.sync(() => {
        const row = items.first((item) => item.slug === slug && item.isListed)
        return row === undefined ? undefined : itemOf(row)
      }),
    search: (query) =>
      Effect.sync(() => {
        const all = items.all()
        const cursor = all.findIndex(({ id }) => id === query.cursor)
        if (query.cursor !== undefined && cursor === -1) return undefined
        const reached = cursor === -1 ? 0 : (rankOf(all[cursor]!, query.q) ?? 0)
        const ranked = all.flatMap((row, index) => {
          const rank = row.isListed && meets(row, query) ? rankOf(row, query.q) : undefined
          const isBehind = rank !== undefined && (rank > reached || (rank === reached && index > cursor))
          return isBehind ? [{ row, rank }] : []
        })
        const found = ascending(ranked, ({ rank }) => rank).map(({ row }) => itemOf(row))
        const page = found.slice(0, query.limit)
        return { items: page, nextCursor: page.length < found.length ? page.at(-1)!.id : null }
      }),
    countDownload: (slug) =>
      Effect.sync(() => {
        const item = items.first((row) => row.slug === slug)
        items.change((row) => row.slug === slug, { downloads: (item?.downloads ?? 0) + 1 })
      })
  }
}

const purchaseModel = (): VaultPurchases["Service"] => {
  const purchases = new Rows<VaultPurchase>()
  let downloads: ReadonlyArray<{ readonly id: string; readonly chargeKey: string }> = []
  let redeemed: ReadonlyArray<FreeDownload> = []
  const reserved = (id: string) => (row: VaultPurchase) => row.id === id && row.status === "reserved"
  return {
    reserve: (purchase) =>
      Effect.sync(() => {
        if (purchases.first(({ id }) => id === purchase.id) === undefined)
          purchases.add({ ...purchase, status: "reserved", attempts: 0, tokenNumber: 0 })
      }),
    grant: (id, dueAtMillis) =>
      Effect.sync(
        () => purchases.change(reserved(id), { status: "granted", dueAtMillis, attempts: 0 }) === 1
      ),
    cancel: (id) =>
      Effect.sync(() => {
        purchases.delete(reserved(id))
      }),
    countDownload: (id, chargeKey, max) =>
      Effect.sync(() => {
        const own = downloads.filter((row) => row.id === id)
        if (own.some((row) => row.chargeKey === chargeKey)) return true
        if (own.length >= max) return false
        downloads = [...downloads, { id, chargeKey }]
        return true
      }),
    releaseDownload: (id, chargeKey) =>
      Effect.sync(() => {
        downloads = downloads.filter((row) => row.id !== id || row.chargeKey !== chargeKey)
      }),
    redeem: (download, { maxBytes, sinceMillis }) =>
      Effect.sync(() => {
        const own = redeemed.filter(
          ({ atMillis, purchaseId }) => purchaseId === download.purchaseId && atMillis > sinceMillis
        )
        if (own.some(({ nonce }) => nonce === download.nonce)) return "Used"
        const bytes = own.map((other) => other.bytes).reduce((sum, each) => sum + each, download.bytes)
        if (bytes > maxBytes) return "Spent"
        redeemed = [...redeemed.filter(({ atMillis }) => atMillis > sinceMillis), download]
        return "Redeemed"
      }),
    renewToken: ({ dueAtMillis, keyId, ...token }, { max, sinceMillis }) =>
      Effect.sync((): TokenRenewal => {
        const own = redeemed.filter(
          ({ atMillis, purchaseId }) => purchaseId === token.purchaseId && atMillis > sinceMillis
        )
        if (own.some(({ nonce }) => nonce === token.nonce)) return { _tag: "Used" }
        const issued = own.filter(({ bytes }) => bytes === 0)
        if (issued.length >= max)
          return { _tag: "Limited", oldestMillis: Math.min(...issued.map(({ atMillis }) => atMillis)) }
        const current = purchases.first(({ id, status }) => id === token.purchaseId && status === "granted")
        if (current === undefined) return { _tag: "NotGranted" }
        const tokenNumber = current.tokenNumber + 1
        const purchase = { ...current, keyId, dueAtMillis, attempts: 0, tokenNumber }
        purchases.change(({ id }) => id === token.purchaseId, purchase)
        redeemed = [...redeemed, { ...token, bytes: 0 }]
        return { _tag: "Renewed", purchase }
      }),
    list: ({ before, email, ids, limit, slug }) =>
      Effect.sync(() => {
        const placeOf = (row: Pick<VaultPurchase, "createdAtMillis" | "id">) =>
          `${padded(row.createdAtMillis)} ${row.id}`
        return descending(purchases.all(), placeOf)
          .filter((row) => row.status === "granted")
          .filter((row) => ids === undefined || ids.includes(row.id))
          .filter((row) => email === undefined || row.email?.toUpperCase() === email.toUpperCase())
          .filter((row) => slug === undefined || row.slug === slug)
          .filter((row) => before === undefined || placeOf(row) < placeOf(before))
          .slice(0, limit)
      }),
    countSales: (slug) =>
      Effect.sync(
        () => purchases.all().filter((row) => row.slug === slug && row.status === "granted").length
      ),
    find: (id) => Effect.sync(() => purchases.first((row) => row.id === id)),
    take: (nowMillis, untilMillis, limit) =>
      Effect.sync(() => {
        const due = purchases
          .all()
          .filter((row) => row.dueAtMillis !== undefined && row.dueAtMillis <= nowMillis)
        return ascending(due, (row) => row.dueAtMillis!)
          .slice(0, limit)
          .map((purchase) => {
            const taken = { ...purchase, dueAtMillis: untilMillis, attempts: purchase.attempts + 1 }
            purchases.change((row) => row.id === purchase.id, taken)
            return taken
          })
      }),
    earliestDue: () => Effect.sync(() => earliestOf(purchases.all())),
    reschedule: (id, seenMillis, dueAtMillis) =>
      Effect.sync(
        () =>
          purchases.change((row) => row.id === id && row.dueAtMillis === seenMillis, { dueAtMillis }) === 1
      ),
    forget: (beforeMillis, limit) =>
      Effect.sync(() => {
        const old = purchases
          .all()
          .filter((row) => row.status === "granted" && row.dueAtMillis === undefined)
          .filter((row) => row.email !== undefined && row.createdAtMillis < beforeMillis)
          .slice(0, limit)
        for (const { id } of old) purchases.change((row) => row.id === id, { email: undefined })
        return old.length
      }),
    countUnderKey: (keyId, sinceMillis) =>
      Effect.sync(
        () =>
          purchases.all().filter((row) => row.keyId === keyId && row.createdAtMillis >= sinceMillis).length
      )
  }
}

/** Creates empty model stores. They don't cover ties and letters beyond ASCII. */
export const storeModel = (): Context.Context<Stores> =>
  Context.make(Charges, chargeModel()).pipe(
    Context.add(Quotes, quoteModel()),
    Context.add(Orders, orderModel()),
    Context.add(VaultItems, itemModel()),
    Context.add(VaultPurchases, purchaseModel())
  )
