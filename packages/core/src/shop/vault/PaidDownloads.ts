import { Cache, Clock, Effect, Exit } from "effect"
import { storeUnavailable } from "../ports/storeUnavailable.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { StatusPages } from "../../ports/StatusPages.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import {
  downloadExpired,
  downloadForbidden,
  downloadTokenRetired,
  downloadsUsedUp,
  purchaseNotFound,
  upstreamFailure
} from "../ports/ApiFailures.ts"
import { guardedVaultFiles, type VaultFile } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { archiveOfReference, referenceOf } from "./DownloadReference.ts"
import { isDownloadToken, keyIdOfToken } from "./DownloadToken.ts"

/** A file that is delivered once its download is paid. */
export interface OpenedDownload {
  readonly slug: string
  /** Opens the same file again. */
  readonly reference: string
  readonly file: VaultFile
  /** Where downloads are limited: what was counted, to be taken back if the payment fails. */
  readonly downloadId: string | undefined
}

/** Downloads for the holder of a purchase's token, each of which is paid. Counts them where the host limits them. */
export const makePaidDownloads = Effect.fnUntraced(function* (
  ensureGranted: (purchase: VaultPurchase) => Effect.Effect<boolean, StoreError>
) {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* guardedVaultFiles
  const secrets = yield* Secrets
  const pages = yield* StatusPages
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.catch(effect, storeUnavailable)

  const openNow = Effect.fn("Vault.open")((reference: string) =>
    Effect.mapError(files.open(archiveOfReference(reference)), upstreamFailure)
  )

  /** Archives that opened within a minute: payments that may not settle don't open them again. */
  const opened = yield* Cache.makeWith(
    (reference: string) => Effect.mapError(files.ensureOpens(archiveOfReference(reference)), upstreamFailure),
    { capacity: 10_000, timeToLive: (exit) => (Exit.isSuccess(exit) ? 60_000 : 0) }
  )

  const open = (reference: string) =>
    Effect.tapError(openNow(reference), () => Cache.invalidate(opened, reference))

  const newestOf = (slug: string) =>
    Effect.map(store(items.versions(slug, 1)), ([archive]) => referenceOf(slug, archive))

  /** Opens the newest version of an item. */
  const openNewest = Effect.fnUntraced(function* (slug: string) {
    const reference = yield* newestOf(slug)
    return { slug, reference, file: yield* open(reference) }
  })

  /** Fails if an item's archive can't be opened: then nobody should pay for the item. */
  const ensureOpens = Effect.fn("Vault.ensureOpens")((slug: string) =>
    Effect.flatMap(newestOf(slug), (reference) => Cache.get(opened, reference))
  )

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
    const id = purchaseId.toLowerCase()
    const purchase = yield* store(purchases.find(id))
    const statusUrl = () => pages.urlOf({ kind: "purchase", id })
    if (purchase === undefined) return yield* purchaseNotFound(statusUrl())
    const isHolder = isDownloadToken(secrets, purchase, downloadToken)
    // Without its token, a purchase that isn't granted is unknown.
    const isGranted = isHolder ? yield* store(ensureGranted(purchase)) : purchase.status === "granted"
    if (!isGranted) return yield* purchaseNotFound(statusUrl())
    if (!isHolder)
      return yield* secrets.retiredKeyIds.has(keyIdOfToken(downloadToken))
        ? downloadTokenRetired
        : downloadForbidden(statusUrl())
    const ageMillis = (yield* Clock.currentTimeMillis) - purchase.createdAtMillis
    if (ageMillis > (files.maxAgeMillis ?? Infinity)) return yield* downloadExpired
    const { slug } = purchase
    const downloadId = yield* countLimited(purchase.id, chargeKey)
    const newest = yield* Effect.onError(openNewest(slug), () => Effect.ignore(release(downloadId)))
    yield* store(items.countDownload(slug))
    return { ...newest, downloadId }
  })

  return { open, ensureOpens, download, release }
})
