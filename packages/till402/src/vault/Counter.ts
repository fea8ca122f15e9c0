import type { Publication, VaultItem, VaultPage } from "@till402/core"
import { type VaultListQuery, VaultOperator } from "@till402/core/effect"
import { Layer, ManagedRuntime } from "effect"
import type { Shelf } from "@till402/vault"
import { storageOf } from "../migrate/Database.ts"

/** The vault in a database, without a till: running tills see each change at once. */
export interface Counter extends Shelf {
  readonly unlist: (slug: string) => Promise<boolean>
  /** All listed items that a query finds, page by page. */
  readonly list: (query: VaultListQuery) => AsyncGenerator<VaultItem & { readonly sales: number }>
  readonly close: () => Promise<void>
}

/** Opens the vault of a database: the path of an SQLite file, or the address of a PostgreSQL database. */
export const openCounter = async (database: string): Promise<Counter> => {
  const runtime = ManagedRuntime.make(VaultOperator.layer.pipe(Layer.provide(storageOf(database))))
  await runtime.context()
  const page = (query: VaultListQuery): Promise<VaultPage | undefined> =>
    runtime.runPromise(VaultOperator.use((vault) => vault.list(query)))
  const list = async function* (query: VaultListQuery) {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const found = await page({ ...query, limit: 100, ...(cursor === undefined ? {} : { cursor }) })
      for (const item of found?.items ?? [])
        yield {
          ...item,
          sales: await runtime.runPromise(VaultOperator.use((vault) => vault.sales(item.slug)))
        }
      cursor = found?.nextCursor ?? null
    }
  }
  return {
    publish: (listing, archive): Promise<Publication> =>
      runtime.runPromise(VaultOperator.use((vault) => vault.publish(listing, archive))),
    unlist: (slug) => runtime.runPromise(VaultOperator.use((vault) => vault.unlist(slug))),
    list,
    close: () => runtime.dispose()
  }
}
