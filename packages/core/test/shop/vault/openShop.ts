import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Context, Effect, Layer } from "effect"
import { sqlite } from "@till402/core/sqlite"
import { expect, onTestFinished, vi } from "vitest"
import { StoreError } from "../../../src/domain/Errors.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { sharedDatabase } from "../../stores/sql/keptInMemory.ts"
import {
  downloadOf,
  type OpenOptions,
  openTill,
  type ReceivedResponse,
  vaultBuy
} from "../../toll/openTill.ts"

export const second = 1_000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** Lets a time pass; the clock of a test that uses this stands still otherwise. */
export const pass = (millis: number): void => void vi.setSystemTime(Date.now() + millis)

/** Waits without moving the clock of the test, as `vi.waitFor` and `expect.poll` do after a check that fails. */
const eventually = async (check: () => Promise<void>): Promise<void> => {
  const endMillis = performance.now() + 60_000
  for (;;) {
    try {
      return await check()
    } catch (error) {
      if (performance.now() > endMillis) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

/** What a value is before long. */
export const settles = <A>(look: () => A | Promise<A>) => ({
  toEqual: (expected: unknown) => eventually(async () => expect(await look()).toEqual(expected)),
  toHaveLength: (length: number) => eventually(async () => expect(await look()).toHaveLength(length)),
  toMatchObject: (expected: object) => eventually(async () => expect(await look()).toMatchObject(expected))
})

/** A row of the table of purchases, as far as these tests look at it. */
export interface PurchaseRow {
  readonly id: string
  readonly status: string
  readonly email: string | null
  readonly due_at: number | null
}

export type Shop = Awaited<ReturnType<typeof openTill>>

/** A file for tills that race for it, as those of several processes do. */
export const sharedFile = () => {
  const path = mkdtempSync(join(tmpdir(), "till402-vault-"))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  const filename = join(path, "till.sqlite")
  return { open: (): Promise<Shop> => openTill({ storage: sqlite({ filename }) }) }
}

/** A database that several tills open, and what is in it. */
export const openDatabase = () => {
  const { run, storage } = sharedDatabase()
  return {
    storage,
    open: (options: OpenOptions = {}): Promise<Shop> => openTill({ storage: storage(), ...options }),
    rows: () =>
      run("SELECT id, status, email, due_at FROM till_vault_purchases") as Promise<
        ReadonlyArray<PurchaseRow>
      >,
    charges: () => run("SELECT state, effect_pending FROM till_charges")
  }
}

const lost = (operation: string) => Effect.fail(new StoreError({ operation, cause: new Error("gone") }))

/** A storage that is gone for the first calls that grant a purchase. */
export const failingGrants = (
  storage: Layer.Layer<Stores, unknown>,
  times: number
): Layer.Layer<Stores, unknown> => {
  let failures = 0
  return Layer.effectContext(
    Effect.map(Effect.context<Stores>(), (stores) => {
      const purchases = Context.get(stores, VaultPurchases)
      return Context.add(stores, VaultPurchases, {
        ...purchases,
        grant: (...input) =>
          Effect.suspend(() =>
            ++failures <= times ? lost("vaultPurchases.grant") : purchases.grant(...input)
          )
      })
    })
  ).pipe(Layer.provide(storage))
}

/** A storage that performs a call and then seems gone to its process. */
export const losingResponses = (
  storage: Layer.Layer<Stores, unknown>,
  verb: "grant" | "advance"
): Layer.Layer<Stores, unknown> =>
  Layer.effectContext(
    Effect.map(Effect.context<Stores>(), (stores) => {
      const charges = Context.get(stores, Charges)
      const purchases = Context.get(stores, VaultPurchases)
      return verb === "grant"
        ? Context.add(stores, VaultPurchases, {
            ...purchases,
            grant: (...input) => Effect.andThen(purchases.grant(...input), lost("vaultPurchases.grant"))
          })
        : Context.add(stores, Charges, { ...charges, advance: () => lost("charges.advance") })
    })
  ).pipe(Layer.provide(storage))

export interface Bought {
  readonly purchaseId: string
  readonly downloadToken: string
}

/** Buys the item; returns the buyer's response. */
export const buyItem = async (shop: Shop): Promise<Bought> => {
  const response = await shop.presentAgain(vaultBuy, await shop.payFor(vaultBuy))
  expect(response.status, response.text).toBe(200)
  return JSON.parse(response.text)
}

/** Status of a download with a token. */
export const downloads = async (shop: Shop, bought: Bought): Promise<number> =>
  (await download(shop, bought)).status

/** The response to a download with a token. */
export const download = async (
  shop: Shop,
  { downloadToken, purchaseId }: Bought
): Promise<ReceivedResponse> => {
  const call = downloadOf(purchaseId, downloadToken)
  return shop.present(call, await shop.payFor(call))
}
