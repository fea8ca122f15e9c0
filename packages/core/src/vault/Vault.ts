import { Clock, Context, Effect, Layer } from "effect"
import { ApiFailure, storeFailure, upstreamFailure, validationFailure } from "../ApiFailure.ts"
import type { StoreError } from "../domain/Errors.ts"
import type {
  VaultBuyRequest,
  VaultItem,
  VaultPage,
  VaultPurchaseResponse,
  VaultQuery
} from "../domain/Vault.ts"
import { makeBackground } from "../Background.ts"
import { Identifiers } from "../Identifiers.ts"
import { renderMail } from "../mail/Rendering.ts"
import type { MailTemplates } from "../mail/Templates.ts"
import { Mailer } from "../ports/Mailer.ts"
import { type VaultFile, VaultFiles } from "../ports/VaultFiles.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { equalInConstantTime, Secrets } from "../Secrets.ts"

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
    readonly settled: (purchaseId: string) => Effect.Effect<void, StoreError>
    readonly abandoned: (purchaseId: string) => Effect.Effect<void, StoreError>
    /** Opens the file of a granted purchase for who holds its token. */
    readonly download: (
      purchaseId: string,
      downloadToken: string
    ) => Effect.Effect<{ readonly slug: string; readonly file: VaultFile }, ApiFailure>
    readonly open: (slug: string) => Effect.Effect<VaultFile, ApiFailure>
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
  message: "No purchase has this id. Nothing was charged."
})
const forbidden = new ApiFailure({
  status: 403,
  code: "DOWNLOAD_FORBIDDEN",
  message: "The downloadToken is not that of this purchase. Nothing was charged."
})

const make = Effect.fnUntraced(function* (templates: Partial<MailTemplates>) {
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const files = yield* VaultFiles
  const secrets = yield* Secrets
  const mailer = yield* Effect.serviceOption(Mailer)
  const inBackground = yield* makeBackground
  const store = <A>(effect: Effect.Effect<A, StoreError>) => Effect.mapError(effect, storeFailure)

  /** Derived, not stored: a retried payment gets the same token, a stolen database opens nothing. */
  const tokenOf = (purchaseId: string, keyId: string): string | undefined => {
    const digest = secrets.digest("download", purchaseId.toLowerCase(), keyId)
    return digest === undefined ? undefined : `${keyId}.${digest}`
  }

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
    yield* store(purchases.reserve({ id, chargeKey, slug, walletAddress, email, createdAtMillis }))
    const downloadToken = tokenOf(id, secrets.currentKeyId)!
    return { purchaseId: id, downloadToken, item: { slug, title, productType, price, coverImageUrl } }
  })

  const confirm = Effect.fnUntraced(function* (purchaseId: string) {
    if (mailer._tag === "None") return
    const purchase = yield* purchases.find(purchaseId)
    const bought = purchase && (yield* items.findBySlug(purchase.slug))
    const downloadToken = tokenOf(purchaseId, secrets.currentKeyId)
    if (purchase === undefined || bought === undefined || downloadToken === undefined) return
    const faults: Array<string> = []
    const mail = renderMail(
      { _tag: "VaultPurchased", purchaseId, title: bought.title, downloadToken },
      {
        to: purchase.email,
        idempotencyKey: `purchase-confirmed:${purchaseId}`,
        templates,
        onFault: ({ reason, template }) => faults.push(`${template}: ${reason}`)
      }
    )
    if (faults.length > 0)
      yield* Effect.logWarning("A mail template failed; the default one was used", faults[0])
    yield* mailer.value.send(mail)
  })

  const settled = Effect.fn("Vault.settled")(function* (purchaseId: string) {
    if (!(yield* purchases.grant(purchaseId))) return
    const mailing = confirm(purchaseId).pipe(
      Effect.catch((error) =>
        Effect.logWarning("A purchase confirmation could not be sent", purchaseId, error._tag)
      )
    )
    yield* inBackground(mailing)
  })

  const open = Effect.fn("Vault.open")(function* (slug: string) {
    return yield* Effect.mapError(files.open({ slug }), upstreamFailure)
  })

  const download = Effect.fn("Vault.download")(function* (purchaseId: string, downloadToken: string) {
    const purchase = yield* store(purchases.find(purchaseId.toLowerCase()))
    if (purchase?.status !== "granted") return yield* purchaseNotFound
    const due = tokenOf(purchase.id, downloadToken.split(".")[0]!)
    if (due === undefined || !equalInConstantTime(due, downloadToken)) return yield* forbidden
    const file = yield* open(purchase.slug)
    yield* store(items.countDownload(purchase.slug))
    return { slug: purchase.slug, file }
  })

  return Vault.of({ search, item, reserve, settled, abandoned: (id) => purchases.cancel(id), download, open })
})
