import { Context, type Effect } from "effect"
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
>()("@till402/core/VaultPurchases") {}
