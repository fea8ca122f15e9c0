import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { earliestDueOf } from "./Orders.ts"
import type { Redemption } from "../../toll/signin/FreeAccess.ts"

export type { Redemption } from "../../toll/signin/FreeAccess.ts"

/** A purchase of a vault item as stored. Times are milliseconds since the epoch. */
export interface VaultPurchase {
  /** UUID. */
  readonly id: string
  /** Key of the charge that pays for it. */
  readonly chargeKey: string
  /** Id of the host's key that its download token is derived from. */
  readonly keyId: string
  /** The item that was bought. */
  readonly slug: string
  /** The buyer's Solana address. */
  readonly walletAddress: string
  /** `undefined` once erased, some time after its last due step. */
  readonly email: string | undefined
  /** `reserved` until its payment has settled, then `granted`. */
  readonly status: "reserved" | "granted"
  readonly createdAtMillis: number
  /**
   * When it is due next: a reserved one for a check of its payment, a granted one for its mail. `undefined`: nothing is
   * due.
   */
  readonly dueAtMillis: number | undefined
  /** How often it was taken. */
  readonly attempts: number
  /** Number of its current download token: 0 for the first one, and one more with each new one. */
  readonly tokenNumber: number
}

/** A purchase to reserve. */
export type NewVaultPurchase = Omit<VaultPurchase, "status" | "attempts" | "tokenNumber">

/** A new download token, which a proof of the buyer's wallet asks for. */
export interface NewToken {
  readonly purchaseId: string
  /** Id of the host's key that derives the token. */
  readonly keyId: string
  /** The proof's nonce, which is used once: for a token or a download. */
  readonly nonce: string
  readonly atMillis: number
  /** When the purchase is due for its mail; `undefined`: never. */
  readonly dueAtMillis: number | undefined
}

/** How many new tokens a purchase may have since a point in time. */
export interface TokenLimit {
  readonly sinceMillis: number
  readonly max: number
}

/**
 * The result of `renewToken`. `Renewed`: the purchase as changed. `Used`: the nonce is recorded. `Limited`: the oldest of
 * the tokens that count was issued at `oldestMillis`. `NotGranted`: no granted purchase has this id.
 */
export type TokenRenewal =
  | { readonly _tag: "Renewed"; readonly purchase: VaultPurchase }
  | { readonly _tag: "Used" }
  | { readonly _tag: "Limited"; readonly oldestMillis: number }
  | { readonly _tag: "NotGranted" }

/** Selects a page of granted purchases. */
export interface PurchasesQuery {
  /** Purchases in the page. */
  readonly limit: number
  /** Only those with these ids, up to 200. */
  readonly ids?: ReadonlyArray<string>
  /** Only those with this email, in any letter case, until it is erased. */
  readonly email?: string
  /** Only those of this item. */
  readonly slug?: string
  /** The last purchase of the previous page. */
  readonly before?: Pick<VaultPurchase, "createdAtMillis" | "id">
}

/** A download that a proof of the buyer's wallet pays for. */
export interface FreeDownload {
  readonly purchaseId: string
  /** The proof's nonce, which is used once. */
  readonly nonce: string
  /** Bytes of the file that are sent. */
  readonly bytes: number
  readonly atMillis: number
}

/** The bytes that the free downloads of a purchase may have together, since a point in time. */
export interface FreeBudget {
  readonly sinceMillis: number
  readonly maxBytes: number
}

/** Stores purchases of vault items. Each method is one atomic step. */
export class VaultPurchases extends Context.Service<
  VaultPurchases,
  {
    /** Creates a reserved purchase, without attempts; does nothing if its id exists. */
    readonly reserve: (purchase: NewVaultPurchase) => Effect.Effect<void, StoreError>
    /**
     * `reserved` → `granted`, due at `dueAtMillis` (`undefined`: never), attempts reset. Returns whether it did: of
     * concurrent calls one wins.
     */
    readonly grant: (id: string, dueAtMillis: number | undefined) => Effect.Effect<boolean, StoreError>
    /** Deletes a purchase that is still reserved. */
    readonly cancel: (id: string) => Effect.Effect<void, StoreError>
    /** Returns how many granted purchases name this slug. Nothing is counted when a purchase is granted. */
    readonly countSales: (slug: string) => Effect.Effect<number, StoreError>
    /**
     * Counts a download of a purchase, once for each charge. Returns `false`, and counts nothing, if `max` others are
     * counted.
     */
    readonly countDownload: (id: string, chargeKey: string, max: number) => Effect.Effect<boolean, StoreError>
    /** Takes back the download of a charge that came to nothing. */
    readonly releaseDownload: (id: string, chargeKey: string) => Effect.Effect<void, StoreError>
    /**
     * Records a free download, unless its nonce is recorded for the purchase, or its bytes and those recorded after
     * `sinceMillis` are more than `maxBytes` together. Of concurrent calls with one nonce one succeeds. Records of the
     * purchase from before `sinceMillis` or at it may be deleted.
     */
    readonly redeem: (download: FreeDownload, budget: FreeBudget) => Effect.Effect<Redemption, StoreError>
    /**
     * Gives a granted purchase the next token number and its `keyId`, attempts reset, due at `dueAtMillis`; records the nonce as `redeem`
     * does, with 0 bytes, and may delete the same records. Writes nothing if the nonce is recorded for the purchase, or if `max` tokens were issued for it
     * after `sinceMillis`. Of concurrent calls with one nonce one succeeds.
     */
    readonly renewToken: (token: NewToken, limit: TokenLimit) => Effect.Effect<TokenRenewal, StoreError>
    /** Lists granted purchases, newest first, by `createdAtMillis` and id. */
    readonly list: (query: PurchasesQuery) => Effect.Effect<ReadonlyArray<VaultPurchase>, StoreError>
    readonly find: (id: string) => Effect.Effect<VaultPurchase | undefined, StoreError>
    /**
     * Leases purchases whose `dueAtMillis` has come, the longest due first: they become due again at `untilMillis`, and
     * their attempts are incremented. No two callers get the same purchase before that. Returns them as changed.
     */
    readonly take: (
      nowMillis: number,
      untilMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VaultPurchase>, StoreError>
    /** Returns the earliest `dueAtMillis`, also one that is to come; `undefined` if no purchase has one. */
    readonly earliestDue: () => Effect.Effect<number | undefined, StoreError>
    /**
     * Reschedules a purchase that is due at exactly `seenMillis` to `dueAtMillis` (`undefined`: never). Returns whether
     * it did: if another process has taken it since, nothing changes.
     */
    readonly reschedule: (
      id: string,
      seenMillis: number,
      dueAtMillis: number | undefined
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Erases the email of up to `limit` purchases that are granted, have nothing due and were created before
     * `beforeMillis`. Returns how many were changed.
     */
    readonly forget: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
    /** Counts the purchases with this `keyId`, reserved or granted, that were created at `sinceMillis` or later. */
    readonly countUnderKey: (keyId: string, sinceMillis: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/VaultPurchases") {
  /** Purchases in memory. */
  static readonly layerMemory: Layer.Layer<VaultPurchases> = Layer.sync(VaultPurchases, () => {
    const purchases = new Map<string, VaultPurchase>()
    /** Ids of purchases that have a due time, and of those whose email is known: sweeps read no others. */
    const due = new Set<string>()
    const known = new Set<string>()
    const put = (purchase: VaultPurchase) => {
      const { dueAtMillis, email, id } = purchase
      purchases.set(id, purchase)
      if (dueAtMillis === undefined) due.delete(id)
      else due.add(id)
      if (email === undefined) known.delete(id)
      else known.add(id)
    }
    const of = (ids: Set<string>) => Array.from(ids).flatMap((id) => purchases.get(id) ?? [])
    return VaultPurchases.of({
      ...proofMethods(purchases, put),
      reserve: (purchase) =>
        Effect.sync(() => {
          if (!purchases.has(purchase.id))
            put({ ...purchase, status: "reserved", attempts: 0, tokenNumber: 0 })
        }),
      grant: (id, dueAtMillis) =>
        Effect.sync(() => {
          const purchase = purchases.get(id)
          if (purchase?.status !== "reserved") return false
          put({ ...purchase, status: "granted", dueAtMillis, attempts: 0 })
          return true
        }),
      cancel: (id) =>
        Effect.sync(() => {
          if (purchases.get(id)?.status !== "reserved") return
          purchases.delete(id)
          due.delete(id)
          known.delete(id)
        }),
      find: (id) => Effect.sync(() => purchases.get(id)),
      ...readMethods(purchases),
      take: (nowMillis, untilMillis, limit) =>
        Effect.sync(() =>
          of(due)
            .filter(({ dueAtMillis }) => dueAtMillis !== undefined && dueAtMillis <= nowMillis)
            .sort((left, right) => left.dueAtMillis! - right.dueAtMillis! || (left.id < right.id ? -1 : 1))
            .slice(0, limit)
            .map((purchase) => {
              const taken = { ...purchase, dueAtMillis: untilMillis, attempts: purchase.attempts + 1 }
              put(taken)
              return taken
            })
        ),
      earliestDue: () => Effect.sync(() => earliestDueOf(of(due))),
      reschedule: (id, seenMillis, dueAtMillis) =>
        Effect.sync(() => {
          const purchase = purchases.get(id)
          if (purchase?.dueAtMillis !== seenMillis) return false
          put({ ...purchase, dueAtMillis })
          return true
        }),
      forget: (beforeMillis, limit) =>
        Effect.sync(() => {
          const old = of(known)
            .filter(({ dueAtMillis, status }) => status === "granted" && dueAtMillis === undefined)
            .filter(({ createdAtMillis }) => createdAtMillis < beforeMillis)
            .slice(0, limit)
          for (const purchase of old) put({ ...purchase, email: undefined })
          return old.length
        })
    })
  })
}

type Age = Pick<VaultPurchase, "createdAtMillis" | "id">

const newestFirst = (left: Age, right: Age): number =>
  right.createdAtMillis - left.createdAtMillis || (left.id === right.id ? 0 : left.id > right.id ? -1 : 1)

const readMethods = (
  purchases: ReadonlyMap<string, VaultPurchase>
): Pick<VaultPurchases["Service"], "countSales" | "countUnderKey" | "list"> => {
  const granted = (slug: string | undefined) =>
    Array.from(purchases.values()).filter(
      (row) => row.status === "granted" && (slug ?? row.slug) === row.slug
    )
  return {
    countSales: (slug) => Effect.sync(() => granted(slug).length),
    countUnderKey: (keyId, sinceMillis) =>
      Effect.sync(
        () =>
          Array.from(purchases.values()).filter(
            (row) => row.keyId === keyId && row.createdAtMillis >= sinceMillis
          ).length
      ),
    list: ({ before, email, ids, limit, slug }) =>
      Effect.sync(() =>
        granted(slug)
          .filter((row) => ids === undefined || ids.includes(row.id))
          .filter((row) => email === undefined || row.email?.toLowerCase() === email.toLowerCase())
          .filter((row) => before === undefined || newestFirst(before, row) < 0)
          .sort(newestFirst)
          .slice(0, limit)
      )
  }
}

/** The downloads and new tokens of purchases in memory. */
const proofMethods = (
  purchases: ReadonlyMap<string, VaultPurchase>,
  put: (purchase: VaultPurchase) => void
): Pick<VaultPurchases["Service"], "countDownload" | "releaseDownload" | "redeem" | "renewToken"> => {
  const downloads = new Map<string, ReadonlySet<string>>()
  const redeemed = new Map<string, ReadonlyArray<FreeDownload>>()
  return {
    countDownload: (id, chargeKey, max) =>
      Effect.sync(() => {
        const counted = downloads.get(id) ?? new Set()
        if (!counted.has(chargeKey) && counted.size >= max) return false
        downloads.set(id, new Set([...counted, chargeKey]))
        return true
      }),
    releaseDownload: (id, chargeKey) =>
      Effect.sync(() => {
        const counted = downloads.get(id) ?? new Set()
        downloads.set(id, new Set(Array.from(counted).filter((key) => key !== chargeKey)))
      }),
    redeem: (download, { maxBytes, sinceMillis }) =>
      Effect.sync(() => {
        const { bytes, nonce, purchaseId } = download
        const kept = (redeemed.get(purchaseId) ?? []).filter(({ atMillis }) => atMillis > sinceMillis)
        if (kept.some((other) => other.nonce === nonce)) return "Used"
        if (kept.reduce((sum, other) => sum + other.bytes, bytes) > maxBytes) return "Spent"
        redeemed.set(purchaseId, [...kept, download])
        return "Redeemed"
      }),
    renewToken: ({ atMillis, dueAtMillis, keyId, nonce, purchaseId }, { max, sinceMillis }) =>
      Effect.sync((): TokenRenewal => {
        const kept = (redeemed.get(purchaseId) ?? []).filter((other) => other.atMillis > sinceMillis)
        if (kept.some((other) => other.nonce === nonce)) return { _tag: "Used" }
        const issued = kept.filter(({ bytes }) => bytes === 0).map((other) => other.atMillis)
        if (issued.length >= max) return { _tag: "Limited", oldestMillis: Math.min(...issued) }
        const current = purchases.get(purchaseId)
        if (current?.status !== "granted") return { _tag: "NotGranted" }
        const tokenNumber = current.tokenNumber + 1
        const purchase = { ...current, keyId, dueAtMillis, attempts: 0, tokenNumber }
        put(purchase)
        redeemed.set(purchaseId, [...kept, { purchaseId, nonce, bytes: 0, atMillis }])
        return { _tag: "Renewed", purchase }
      })
  }
}
