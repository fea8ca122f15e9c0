import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"

/** `reserved` until its payment has settled, then `granted`. */
export interface VaultPurchase {
  /** UUID. */
  readonly id: string
  readonly chargeKey: string
  readonly slug: string
  readonly walletAddress: string
  readonly email: string
  readonly status: "reserved" | "granted"
  readonly createdAtMillis: number
}

export class VaultPurchases extends Context.Service<
  VaultPurchases,
  {
    /** Writes a reserved purchase; an id that exists is left as it is. */
    readonly reserve: (purchase: Omit<VaultPurchase, "status">) => Effect.Effect<void, StoreError>
    /** `reserved` → `granted`; answers whether it did. */
    readonly grant: (id: string) => Effect.Effect<boolean, StoreError>
    /** Removes a purchase that is still reserved. */
    readonly cancel: (id: string) => Effect.Effect<void, StoreError>
    readonly find: (id: string) => Effect.Effect<VaultPurchase | undefined, StoreError>
  }
>()("@till402/core/VaultPurchases") {
  /** Purchases in memory. */
  static readonly layerMemory: Layer.Layer<VaultPurchases> = Layer.sync(VaultPurchases, () => {
    const purchases = new Map<string, VaultPurchase>()
    return VaultPurchases.of({
      reserve: (purchase) =>
        Effect.sync(() => {
          if (!purchases.has(purchase.id)) purchases.set(purchase.id, { ...purchase, status: "reserved" })
        }),
      grant: (id) =>
        Effect.sync(() => {
          const purchase = purchases.get(id)
          if (purchase?.status !== "reserved") return false
          purchases.set(id, { ...purchase, status: "granted" })
          return true
        }),
      cancel: (id) =>
        Effect.sync(() => {
          if (purchases.get(id)?.status === "reserved") purchases.delete(id)
        }),
      find: (id) => Effect.sync(() => purchases.get(id))
    })
  })
}
