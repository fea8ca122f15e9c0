import { Clock, Context, Effect, Layer } from "effect"
import {
  type ApiFailure,
  downloadExpired,
  downloadForbidden,
  downloadsUsedUp,
  itemNotFound,
  purchaseNotFound,
  storeFailure,
  upstreamFailure,
  validationFailure
} from "../../domain/ApiFailure.ts"
import type { StoreError } from "../../domain/Errors.ts"
import type {
  VaultBuyRequest,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "../goods/Vault.ts"
import { Identifiers } from "../../runtime/Identifiers.ts"
import { OwnTemplates } from "../mail/OwnTemplates.ts"
import { paymentLifetimeMillis } from "../../toll/request/PaymentLifetime.ts"
import { type VaultFile, VaultFiles } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import { archiveOfReference, referenceOf } from "./DownloadReference.ts"
import { downloadTokenOf, isDownloadToken } from "./DownloadToken.ts"
import { type FreeDownloads, makeFreeDownloads } from "./FreeDownloads.ts"
import { makePurchaseLife } from "./PurchaseLife.ts"

/** A file that is delivered once its download is paid. */
export interface OpenedDownload {
  readonly slug: string
  /** Opens the same file again. */
  readonly reference: string
  readonly file: VaultFile
  /** Where downloads are limited: what was counted, to be taken back if the payment fails. */
  readonly downloadId: string | undefined
}

/** Searches, sells and delivers vault items. */
export class Vault extends Context.Service<
  Vault,
  {
    /** Lists items page by page. */
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage, ApiFailure>
    /** Finds an item by its slug. */
    readonly item: (slug: string) => Effect.Effect<VaultItem, ApiFailure>
    /** Reserves a purchase for a charge; it is granted once its payment has settled. */
    readonly reserve: (
      request: VaultBuyRequest,
      item: VaultItem,
      chargeKey: string
    ) => Effect.Effect<VaultPurchaseResponse, ApiFailure>
    /** Grants a purchase whose payment has settled, and sends its mail in the background. Idempotent. */
    readonly settled: (purchaseId: string) => Effect.Effect<void, StoreError>
    /** Cancels a reserved purchase whose payment failed. */
    readonly abandoned: (purchaseId: string) => Effect.Effect<void, StoreError>
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
    /** Where the host allows it: downloads for the wallet that paid for the purchase, without another payment. */
    readonly freeDownloads: FreeDownloads | undefined
    /** Takes back a counted download whose payment failed. */
    readonly downloadAbandoned: (downloadId: string) => Effect.Effect<void, StoreError>
    /** Opens the file of a download again, for a replay: the same version, also if a newer one was published since. */
    readonly open: (reference: string) => Effect.Effect<VaultFile, ApiFailure>
    /** Processes purchases that are due: sends mails that failed, cancels purchases that were never paid. */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("@till402/core/Vault") {
  static readonly layer = Layer.effect(
    Vault,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const templates = yield* OwnTemplates
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* VaultFiles
  const secrets = yield* Secrets
  const { ensureGranted, settled, sweep } = yield* makePurchaseLife(templates)
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.mapError(effect, storeFailure)

  const search = Effect.fn("Vault.search")(function* (query: VaultQuery) {
    const page = yield* store(items.search(query))
    return (
      page ??
      (yield* validationFailure([{ path: "cursor", message: "must be the nextCursor of an earlier page" }]))
    )
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
    const purchase = { id, chargeKey, slug, walletAddress, email, createdAtMillis, dueAtMillis }
    yield* store(purchases.reserve(purchase))
    const downloadToken = downloadTokenOf(secrets, id, secrets.currentKeyId)!
    return { purchaseId: id, downloadToken, item: { slug, title, productType, price, coverImageUrl } }
  })

  const open = Effect.fn("Vault.open")(function* (reference: string) {
    return yield* Effect.mapError(files.open(archiveOfReference(reference)), upstreamFailure)
  })

  const countLimited = Effect.fnUntraced(function* (purchaseId: string, chargeKey: string) {
    const { maxDownloads } = files
    if (maxDownloads === undefined) return undefined
    if (yield* store(purchases.countDownload(purchaseId, chargeKey, maxDownloads)))
      return `${purchaseId} ${chargeKey}`
    return yield* downloadsUsedUp
  })

  const release = (downloadId: string | undefined): Effect.Effect<void, StoreError> => {
    const [, purchaseId, chargeKey] = /^(\S+) (.*)$/s.exec(downloadId ?? "") ?? []
    return purchaseId === undefined || chargeKey === undefined
      ? Effect.void
      : purchases.releaseDownload(purchaseId, chargeKey)
  }

  const download = Effect.fn("Vault.download")(function* (
    purchaseId: string,
    downloadToken: string,
    chargeKey: string
  ) {
    const purchase = yield* store(purchases.find(purchaseId.toLowerCase()))
    if (purchase === undefined) return yield* purchaseNotFound
    const isHolder = isDownloadToken(secrets, purchase.id, downloadToken)
    // Without its token, a purchase that isn't granted is unknown.
    const isGranted = isHolder ? yield* store(ensureGranted(purchase)) : purchase.status === "granted"
    if (!isGranted) return yield* purchaseNotFound
    if (!isHolder) return yield* downloadForbidden
    const ageMillis = (yield* Clock.currentTimeMillis) - purchase.createdAtMillis
    if (ageMillis > (files.maxAgeMillis ?? Infinity)) return yield* downloadExpired
    const { slug } = purchase
    const [archive] = yield* store(items.versions(slug, 1))
    const reference = referenceOf(slug, archive)
    const downloadId = yield* countLimited(purchase.id, chargeKey)
    const file = yield* Effect.onError(open(reference), () => Effect.ignore(release(downloadId)))
    yield* store(items.countDownload(slug))
    return { slug, reference, file, downloadId }
  })

  const freeDownloads =
    files.freeReaccess === true ? yield* makeFreeDownloads({ open, ensureGranted }) : undefined
  const abandoned = (id: string) => purchases.cancel(id)
  return Vault.of({
    search,
    item,
    reserve,
    settled,
    abandoned,
    download,
    freeDownloads,
    downloadAbandoned: release,
    open,
    sweep
  })
})
