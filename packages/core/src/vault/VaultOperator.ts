import { Context, Effect, Layer } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { VaultItem } from "../domain/Vault.ts"
import { VaultItems } from "../ports/VaultItems.ts"

/** Stocks the vault. */
export class VaultOperator extends Context.Service<
  VaultOperator,
  {
    /** Adds an item, or replaces the one with the same id. Fails if another item has its slug. */
    readonly put: (item: VaultItem) => Effect.Effect<void, StoreError>
    /**
     * Takes an item off the listing until it is put again: it is neither found nor sold. Purchases can still be
     * downloaded. Returns whether it was listed.
     */
    readonly unlist: (slug: string) => Effect.Effect<boolean, StoreError>
  }
>()("@till402/core/VaultOperator") {
  static readonly layer: Layer.Layer<VaultOperator, never, VaultItems> = Layer.effect(
    VaultOperator,
    Effect.map(VaultItems, (items) => ({
      put: (item: VaultItem) => items.put(item),
      unlist: (slug: string) => items.unlist(slug)
    }))
  )
}
