import { Clock, Context, Effect, Layer } from "effect"
import { type ApiFailure, validationFailure } from "../../domain/ApiFailure.ts"
import { storeUnavailable } from "../ports/storeUnavailable.ts"
import { itemNotFound } from "../ports/ApiFailures.ts"
import type { StoreError } from "../../domain/Errors.ts"
import type {
  VaultBuyRequest,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "../goods/VaultItem.ts"
import { KeyedRecords } from "../../ports/KeyedRecords.ts"
import { SettlementEffects } from "../../ports/SettlementEffects.ts"
import { BackgroundWork } from "../../runtime/BackgroundWork.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { paymentLifetimeMillis } from "../../toll/request/PaymentLifetime.ts"
import { guardedVaultFiles, type VaultFile } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import { downloadTokenOf } from "./DownloadToken.ts"
import { type FreeDownloads, makeFreeDownloads } from "./FreeDownloads.ts"
import { makePaidDownloads, type OpenedDownload } from "./PaidDownloads.ts"
import { type IssuedToken, makePurchaseLife } from "./PurchaseLife.ts"

/** Searches, sells and delivers vault items. */
export class Vault extends Context.Service<
  Vault,
  {
    /** How long a purchase can be downloaded, in milliseconds; `Infinity`: always. */
    readonly downloadableMillis: number
    /**
     * Issues a new download token, by the nonce of a proof that its wallet has paid: the old one ends, and the mail is
     * sent again. At most three in 24 hours (429).
     */
    readonly newToken: (purchaseId: string, nonce: string) => Effect.Effect<IssuedToken, ApiFailure>
    /** Lists items page by page. */
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage, ApiFailure>
    /** Finds an item by its slug. */
    readonly item: (slug: string) => Effect.Effect<VaultItem, ApiFailure>
    /** Fails if an item's archive can't be opened now. */
    readonly ensureOpens: (slug: string) => Effect.Effect<void, ApiFailure>
    /** Reserves a purchase for a charge; it is granted once its payment has settled. */
    readonly reserve: (
      request: VaultBuyRequest,
      item: VaultItem,
      chargeKey: string
    ) => Effect.Effect<VaultPurchaseResponse, ApiFailure>
    /**
     * Opens the newest version of a paid purchase's file for the holder of its token: the one that was bought, or one
     * that was published since. Grants a purchase whose payment has settled and whose grant failed. Counts it for the
     * charge where the host limits downloads.
     */
    readonly download: (
      purchaseId: string,
      downloadToken: string,
      chargeKey: string
    ) => Effect.Effect<OpenedDownload, ApiFailure>
    /**
     * Downloads for the wallet that paid for the purchase, without another payment: where the host allows it, and of
     * purchases whose key is retired.
     */
    readonly freeDownloads: FreeDownloads | undefined
    /** Opens the file of a download again, for a replay: the same version, also if a newer one was published since. */
    readonly open: (reference: string) => Effect.Effect<VaultFile, ApiFailure>
  }
>()("@till402/core/Vault") {
  static readonly layer = Layer.effect(
    Vault,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* guardedVaultFiles
  const secrets = yield* Secrets
  const { ensureGranted, renew, settled, sweep } = yield* makePurchaseLife
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.catch(effect, storeUnavailable)

  const search = Effect.fn("Vault.search")(function* (query: VaultQuery) {
    const page = yield* store(items.search(query))
    if (page === undefined)
      return yield* validationFailure([
        { path: "cursor", message: "must be the nextCursor of an earlier page" }
      ])
    // Keywords are the publisher's.
    return { ...page, items: page.items.map(({ keywords: _keywords, ...item }) => item) }
  })

  const item = Effect.fn("Vault.item")(function* (slug: string) {
    return (yield* store(items.findBySlug(slug))) ?? (yield* itemNotFound)
  })

  const reserve = Effect.fn("Vault.reserve")(function* (
    request: VaultBuyRequest,
    { coverImageUrl, price, productType, slug, title }: VaultItem,
    chargeKey: string
  ) {
    const id = (yield* Identifiers).uuid()
    const { email, walletAddress } = request
    const createdAtMillis = yield* Clock.currentTimeMillis
    // Checked when its payment must have settled, in case the notification is lost.
    const dueAtMillis = createdAtMillis + paymentLifetimeMillis
    const keyId = secrets.currentKeyId
    const purchase = { id, chargeKey, keyId, slug, walletAddress, email, createdAtMillis, dueAtMillis }
    yield* store(purchases.reserve(purchase))
    const downloadToken = downloadTokenOf(secrets, id, keyId)!
    return { purchaseId: id, downloadToken, item: { slug, title, productType, price, coverImageUrl } }
  })

  const { download, ensureOpens, open, release } = yield* makePaidDownloads(ensureGranted)
  const freeDownloads =
    files.freeReaccess === true || secrets.retiredKeyIds.size > 0
      ? yield* makeFreeDownloads({ open, ensureGranted })
      : undefined
  yield* (yield* KeyedRecords).add("purchases", (keyId) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMillis) =>
      purchases.countUnderKey(keyId, files.maxAgeMillis === undefined ? 0 : nowMillis - files.maxAgeMillis)
    )
  )
  const effects = yield* SettlementEffects
  yield* effects.add("purchase", { settled, abandoned: (id) => purchases.cancel(id) })
  yield* effects.add("download", { settled: () => Effect.void, abandoned: release })
  const background = yield* BackgroundWork
  yield* background.add({ operation: "vaultPurchases.work", run: sweep, reconcile: sweep })
  const newToken = Effect.fn("Vault.newToken")(function* (purchaseId: string, nonce: string) {
    const purchase = yield* store(purchases.find(purchaseId))
    return purchase && (yield* Effect.catchTag(renew(purchase, nonce), "StoreError", storeUnavailable))
  })

  const downloadableMillis = files.maxAgeMillis ?? Infinity
  return Vault.of({
    downloadableMillis,
    newToken,
    search,
    item,
    ensureOpens,
    reserve,
    download,
    freeDownloads,
    open
  })
})
