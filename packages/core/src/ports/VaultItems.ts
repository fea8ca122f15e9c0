import { Context, type Effect } from "effect"
import type { StoreError } from "../domain/Errors.ts"
import type { VaultItem, VaultPage, VaultQuery } from "../domain/Vault.ts"

export class VaultItems extends Context.Service<
  VaultItems,
  {
    /** Adds an item, or replaces the one of the same id (its place in the listing and its downloads stay). */
    readonly put: (item: VaultItem) => Effect.Effect<void, StoreError>
    readonly findBySlug: (slug: string) => Effect.Effect<VaultItem | undefined, StoreError>
    /**
     * In the order in which items were added. `q` is looked for in title, description, category and
     * slug, every word of it, letter case aside. `cursor` is the id of the last item of the page before;
     * an unknown one answers `undefined`.
     */
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage | undefined, StoreError>
    readonly countDownload: (slug: string) => Effect.Effect<void, StoreError>
  }
>()("@till402/core/VaultItems") {}
