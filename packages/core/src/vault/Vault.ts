import { Clock, Context, Effect, Layer } from "effect"
import {
  ApiFailure,
  nothingCharged,
  storeFailure,
  upstreamFailure,
  validationFailure
} from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import type {
  VaultBuyRequest,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "../domain/Vault.ts"
import { Identifiers } from "../Identifiers.ts"
import type { MailTemplates } from "../mail/Templates.ts"
import * as Pace from "../orders/Pace.ts"
import { type VaultFile, VaultFiles } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { equalInConstantTime, Secrets } from "../Secrets.ts"
import { downloadTokenOf } from "./DownloadToken.ts"
import { makePurchaseLife } from "./PurchaseLife.ts"

/** The vault's use cases: search, sale, download. */
export class Vault extends Context.Service<
  Vault,
  {
    readonly search: (query: VaultQuery) => Effect.Effect<VaultPage, ApiFailure>
    readonly item: (slug: string) => Effect.Effect<VaultItem, ApiFailure>
    /** Reserves a purchase for a charge; it is granted once its payment has settled. */
    readonly reserve: (
      request: VaultBuyRequest,
      item: VaultItem,
      chargeKey: string
    ) => Effect.Effect<VaultPurchaseResponse, ApiFailure>
    /** Grants a purchase that is paid for, and begins to send its mail; comes more than once. */
    readonly settled: (purchaseId: string) => Effect.Effect<void, StoreError>
    readonly abandoned: (purchaseId: string) => Effect.Effect<void, StoreError>
    /** Opens the file of a granted purchase for who holds its token. */
    readonly download: (
      purchaseId: string,
      downloadToken: string
    ) => Effect.Effect<{ readonly slug: string; readonly file: VaultFile }, ApiFailure>
    readonly open: (slug: string) => Effect.Effect<VaultFile, ApiFailure>
    /** Sees to the purchases that are due: sends mails that did not go out, clears away what nobody will pay for. */
    readonly sweep: Effect.Effect<void, StoreError>
  }
>()("@till402/core/Vault") {
  static readonly layer = (templates: Partial<MailTemplates>) => Layer.effect(Vault, make(templates))
}

const itemNotFound = new ApiFailure({
  status: 404,
  code: "ITEM_NOT_FOUND",
  message: "No vault item has this slug; find one with GET /x402/vault/search."
})
const purchaseNotFound = new ApiFailure({
  status: 404,
  code: "PURCHASE_NOT_FOUND",
  message: `No purchase has this id.${nothingCharged}`
})
const forbidden = new ApiFailure({
  status: 403,
  code: "DOWNLOAD_FORBIDDEN",
  message: `The downloadToken is not that of this purchase.${nothingCharged}`
})

const make = Effect.fnUntraced(function* (templates: Partial<MailTemplates>) {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* VaultFiles
  const secrets = yield* Secrets
  const { settled, sweep } = yield* makePurchaseLife(templates)
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.mapError(effect, storeFailure)

  const search = Effect.fn("Vault.search")(function* (query: VaultQuery) {
    const page = yield* store(items.search(query))
    return (
      page ??
      (yield* validationFailure([{ path: "cursor", message: "is not the nextCursor of an earlier page" }]))
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
    // Looked at when its payment must have settled, should nothing be heard of that.
    const dueAtMillis = createdAtMillis + Pace.paymentPatience
    const purchase = { id, chargeKey, slug, walletAddress, email, createdAtMillis, dueAtMillis }
    yield* store(purchases.reserve(purchase))
    const downloadToken = downloadTokenOf(secrets, id, secrets.currentKeyId)!
    return { purchaseId: id, downloadToken, item: { slug, title, productType, price, coverImageUrl } }
  })

  const open = Effect.fn("Vault.open")(function* (slug: string) {
    return yield* Effect.mapError(files.open({ slug }), upstreamFailure)
  })

  const download = Effect.fn("Vault.download")(function* (purchaseId: string, downloadToken: string) {
    const purchase = yield* store(purchases.find(purchaseId.toLowerCase()))
    if (purchase?.status !== "granted") return yield* purchaseNotFound
    const due = downloadTokenOf(secrets, purchase.id, downloadToken.split(".")[0]!)
    if (due === undefined || !equalInConstantTime(due, downloadToken)) return yield* forbidden
    const file = yield* open(purchase.slug)
    yield* store(items.countDownload(purchase.slug))
    return { slug: purchase.slug, file }
  })

  const abandoned = (id: string) => purchases.cancel(id)
  return Vault.of({ search, item, reserve, settled, abandoned, download, open, sweep })
})
