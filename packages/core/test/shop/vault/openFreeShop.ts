import { Context, Effect, Layer } from "effect"
import { Charges } from "../../../src/ports/Charges.ts"
import type { TillOptions } from "../../../src/till/settings/TillOptions.ts"
import type { Stores } from "../../../src/stores/Stores.ts"
import { VaultPurchases } from "../../../src/shop/ports/VaultPurchases.ts"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import { downloadTokenOf } from "../../../src/shop/vault/DownloadToken.ts"
import { type Call, downloadOf, type ReceivedResponse } from "../../toll/openTill.ts"
import { outcomeOf, proofFor, signIn } from "../../toll/signIn.ts"
import { payer } from "../../toll/wallet.ts"
import { type Bought, buyItem, openDatabase, type Shop } from "./openShop.ts"

type Vault = NonNullable<TillOptions["vault"]>

export const secret = "a secret of these tests, of 32 characters or more"

export interface FreeVaultOptions extends Pick<Vault, "maxDownloads" | "maxAgeMillis"> {
  readonly bytes?: number
  /** The file is a stream whose length isn't known. */
  readonly isUnsized?: boolean
}

/** A vault that lets wallets download again, and counts what is opened. */
export const freeVault = ({ bytes = 1_000, isUnsized = false, ...options }: FreeVaultOptions = {}) => {
  const seen = { opened: 0, isBroken: false }
  const archive = new Uint8Array(bytes).fill(7)
  archive.set(Buffer.from("PK"))
  const open = async () => {
    seen.opened++
    if (seen.isBroken) throw new Error("the disk is gone")
    return { body: isUnsized ? new Blob([archive]).stream() : archive }
  }
  const vault: Vault = { open, freeReaccess: true, ...options }
  return { seen, vault }
}

/** The download of a purchase. */
export const callOf = ({ downloadToken, purchaseId }: Bought): Call => downloadOf(purchaseId, downloadToken)

/** The download of a purchase by its id, with its token. */
export const callById = async (purchaseId: string): Promise<Call> => {
  const token = Effect.map(Secrets, (secrets) => downloadTokenOf(secrets, purchaseId, "1")!)
  const keys = Secrets.layer([{ id: "1", secret }])
  return downloadOf(purchaseId, await Effect.runPromise(Effect.provide(token, keys)))
}

/** A till on a database of its own with one purchase. */
export const openFreeShop = async (
  options: FreeVaultOptions = {},
  over: (storage: Layer.Layer<Stores, unknown>) => Layer.Layer<Stores, unknown> = (storage) => storage
) => {
  const { seen, vault } = freeVault(options)
  const database = openDatabase()
  const shop = await database.open({ vault, secret, storage: over(database.storage()) })
  const bought = await buyItem(shop)
  // Count downloads alone: the sale has opened the file, too.
  seen.opened = 0
  return { database, seen, shop, vault, bought, call: callOf(bought) }
}

/** Signs in with a proof of its own. */
export const enter = async (shop: Shop, call: Call, account = payer): Promise<ReceivedResponse> =>
  signIn(shop, call, await proofFor(shop, call, account))

/** What comes of this many proofs, one after the other. */
export const outcomes = async (shop: Shop, call: Call, times: number): Promise<ReadonlyArray<string>> => {
  const list: Array<string> = []
  for (let time = 0; time < times; time++) list.push(outcomeOf(await enter(shop, call)))
  return list
}

const dueRefund = { _tag: "Due", startedAtMillis: undefined } as const

/** A storage in which, once `areDue`, a refund of each settled charge is due. */
export const refunding =
  (refunds: { areDue: boolean }) =>
  (storage: Layer.Layer<Stores, unknown>): Layer.Layer<Stores, unknown> =>
    Layer.effectContext(
      Effect.map(Effect.context<Stores>(), (stores) => {
        const charges = Context.get(stores, Charges)
        const find: typeof charges.find = (key) =>
          Effect.map(
            charges.find(key),
            (charge) => charge && (refunds.areDue ? { ...charge, refund: dueRefund } : charge)
          )
        return Context.add(stores, Charges, { ...charges, find })
      })
    ).pipe(Layer.provide(storage))

/** A storage whose purchases name another charge, once there is one. It notes which downloads are counted. */
export const renaming =
  (changes: { chargeKey?: string; readonly counted: Array<string> }) =>
  (storage: Layer.Layer<Stores, unknown>): Layer.Layer<Stores, unknown> =>
    Layer.effectContext(
      Effect.map(Effect.context<Stores>(), (stores) => {
        const purchases = Context.get(stores, VaultPurchases)
        const find: typeof purchases.find = (id) =>
          Effect.map(
            purchases.find(id),
            (purchase) => purchase && { ...purchase, chargeKey: changes.chargeKey ?? purchase.chargeKey }
          )
        const countDownload: typeof purchases.countDownload = (id, key, max) => {
          changes.counted.push(key)
          return purchases.countDownload(id, key, max)
        }
        return Context.add(stores, VaultPurchases, { ...purchases, find, countDownload })
      })
    ).pipe(Layer.provide(storage))
