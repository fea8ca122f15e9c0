import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** A purchase of a vault item as the store holds it. Times are milliseconds since the epoch. */
export interface VaultPurchase {
  /** UUID. */
  readonly id: string
  readonly chargeKey: string
  readonly slug: string
  readonly walletAddress: string
  /** `undefined` once it was forgotten: some time after nothing was due any more. */
  readonly email: string | undefined
  /** `reserved` until its payment has settled, then `granted`. */
  readonly status: "reserved" | "granted"
  readonly createdAtMillis: number
  /**
   * When it is looked at next: a reserved one for whether its payment came to nothing, a granted one for its
   * mail. `undefined`: nothing is due.
   */
  readonly dueAtMillis: number | undefined
  /** How often it was taken for that. */
  readonly attempts: number
}

/** A purchase as it is reserved. */
export type NewVaultPurchase = Omit<VaultPurchase, "status" | "attempts">

/** Purchases of vault items. Each verb is one atomic step. */
export class VaultPurchases extends Context.Service<
  VaultPurchases,
  {
    /** Writes a reserved purchase, with no attempts; an id that exists is left as it is. */
    readonly reserve: (purchase: NewVaultPurchase) => Effect.Effect<void, StoreError>
    /**
     * `reserved` → `granted`, due at `dueAtMillis` (`undefined`: never), attempts counted anew; answers whether it
     * did: of any number of racers one does.
     */
    readonly grant: (id: string, dueAtMillis: number | undefined) => Effect.Effect<boolean, StoreError>
    /** Removes a purchase that is still reserved. */
    readonly cancel: (id: string) => Effect.Effect<void, StoreError>
    readonly find: (id: string) => Effect.Effect<VaultPurchase | undefined, StoreError>
    /**
     * Takes purchases whose `dueAtMillis` has come, the longest due first: they become due again at `untilMillis`,
     * with one attempt more. No two callers get the same one before that. Answers them as they stand then.
     */
    readonly take: (
      nowMillis: number,
      untilMillis: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<VaultPurchase>, StoreError>
    /**
     * Has a purchase that is due at `seenMillis`, to the millisecond, due at `dueAtMillis` instead (`undefined`:
     * never again). Answers whether it did: who is late, and finds it in other hands, changes nothing.
     */
    readonly reschedule: (
      id: string,
      seenMillis: number,
      dueAtMillis: number | undefined
    ) => Effect.Effect<boolean, StoreError>
    /**
     * Forgets the e-mail of purchases that are granted, have nothing due and were made before `beforeMillis`, at
     * most `limit` of them, whichever. Answers how many were touched.
     */
    readonly forget: (beforeMillis: number, limit: number) => Effect.Effect<number, StoreError>
  }
>()("@till402/core/VaultPurchases") {
  /** Purchases in memory. */
  static readonly layerMemory: Layer.Layer<VaultPurchases> = Layer.sync(VaultPurchases, () => {
    const purchases = new Map<string, VaultPurchase>()
    return VaultPurchases.of({
      reserve: (purchase) =>
        Effect.sync(() => {
          if (!purchases.has(purchase.id))
            purchases.set(purchase.id, { ...purchase, status: "reserved", attempts: 0 })
        }),
      grant: (id, dueAtMillis) =>
        Effect.sync(() => {
          const purchase = purchases.get(id)
          if (purchase?.status !== "reserved") return false
          purchases.set(id, { ...purchase, status: "granted", dueAtMillis, attempts: 0 })
          return true
        }),
      cancel: (id) =>
        Effect.sync(() => {
          if (purchases.get(id)?.status === "reserved") purchases.delete(id)
        }),
      find: (id) => Effect.sync(() => purchases.get(id)),
      take: (nowMillis, untilMillis, limit) =>
        Effect.sync(() =>
          Array.from(purchases.values())
            .filter(({ dueAtMillis }) => dueAtMillis !== undefined && dueAtMillis <= nowMillis)
            .sort((left, right) => left.dueAtMillis! - right.dueAtMillis! || (left.id < right.id ? -1 : 1))
            .slice(0, limit)
            .map((purchase) => {
              const taken = { ...purchase, dueAtMillis: untilMillis, attempts: purchase.attempts + 1 }
              purchases.set(purchase.id, taken)
              return taken
            })
        ),
      reschedule: (id, seenMillis, dueAtMillis) =>
        Effect.sync(() => {
          const purchase = purchases.get(id)
          if (purchase?.dueAtMillis !== seenMillis) return false
          purchases.set(id, { ...purchase, dueAtMillis })
          return true
        }),
      forget: (beforeMillis, limit) =>
        Effect.sync(() => {
          const old = Array.from(purchases.values())
            .filter(({ dueAtMillis, status }) => status === "granted" && dueAtMillis === undefined)
            .filter(({ createdAtMillis, email }) => email !== undefined && createdAtMillis < beforeMillis)
            .slice(0, limit)
          for (const purchase of old) purchases.set(purchase.id, { ...purchase, email: undefined })
          return old.length
        })
    })
  })
}
