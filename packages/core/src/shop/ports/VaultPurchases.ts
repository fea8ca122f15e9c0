import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
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
}

/** A purchase to reserve. */
export type NewVaultPurchase = Omit<VaultPurchase, "status" | "attempts">

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
    const count = (matches: (purchase: VaultPurchase) => boolean) =>
      Effect.sync(() => Array.from(purchases.values()).filter(matches).length)
    const of = (ids: Set<string>) => Array.from(ids).flatMap((id) => purchases.get(id) ?? [])
    return VaultPurchases.of({
      ...downloadMethods(),
      reserve: (purchase) =>
        Effect.sync(() => {
          if (!purchases.has(purchase.id)) put({ ...purchase, status: "reserved", attempts: 0 })
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
      countSales: (slug) => count((row) => row.slug === slug && row.status === "granted"),
      countUnderKey: (keyId, sinceMillis) =>
        count((row) => row.keyId === keyId && row.createdAtMillis >= sinceMillis),
      find: (id) => Effect.sync(() => purchases.get(id)),
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

/** The downloads of purchases in memory. */
const downloadMethods = (): Pick<
  VaultPurchases["Service"],
  "countDownload" | "releaseDownload" | "redeem"
> => {
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
      })
  }
}
