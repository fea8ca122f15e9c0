import { Effect, Layer, Option } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { fromDollars } from "../../domain/Money.ts"
import { purchaseOf } from "../goods/OrderIdentity.ts"
import { VaultBuyRequest, VaultPurchaseResponse } from "../goods/VaultItem.ts"
import { PaymentRefused } from "../../toll/request/PaymentErrors.ts"
import { upstreamCodes } from "../ports/ApiFailures.ts"
import { StatusPages } from "../../ports/StatusPages.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { VaultPurchases } from "../ports/VaultPurchases.ts"
import { purchaseStatusPages } from "../vault/PurchaseStatusPage.ts"
import { Mailer } from "../ports/Mailer.ts"
import { Vault } from "../vault/Vault.ts"
import { saleDocuments, statusHeaders } from "./saleDocuments.ts"
import { type Operation, operationLayer, type Quoted } from "../../operations/Operation.ts"
import { bodyErrors, failure, maxQuoteAtomic, respondWith } from "../../operations/RouteParts.ts"
import { orderRepeats } from "./orderRepeats.ts"
import { vaultBuyNames } from "./OtherNames.ts"
import { publishedExample } from "./publishedExample.ts"
import { ShopSettings } from "./ShopSettings.ts"

/** The contract of `vault/buy`: path, input, responses and documentation. */
export const endpoint = HttpApiEndpoint.post("vaultBuy", "/x402/vault/buy", {
  payload: VaultBuyRequest,
  success: VaultPurchaseResponse,
  error: [...bodyErrors, failure(404)]
}).annotateMerge(
  OpenApi.annotations({
    summary: "Buy a vault item",
    description:
      "Buys a digital asset; the payment equals its price. Returns the purchase id and the secret token that its download needs. Keep the payment that you send: if its response is lost, send the same one again. Another payment of the same wallet for the same item, walletAddress and email gets a 409, and isn't charged. A response that is sent again has the first token, also once a new one has ended it. If the token is lost, sign in at the page that the Link header names, with the wallet that paid, to get a new one."
  })
)

export const example = {
  input: {
    slug: "an-item",
    walletAddress: "So11111111111111111111111111111111111111112",
    email: "ada@example.com"
  },
  output: {
    purchaseId: "9d1f4f52-5a0c-4f6f-8c1e-6f1f0a7b2c3d",
    downloadToken: "the secret of this purchase",
    item: {
      slug: "an-item",
      title: "An item",
      productType: "skill",
      price: 10,
      coverImageUrl: "https://images.example/an-item.png"
    }
  }
}

const priceChanged = new PaymentRefused({
  refusal: {
    code: "price_changed",
    message: "the item's price has changed; nothing was charged, pay the new price"
  }
})

/** `POST /x402/vault/buy`: sale of a vault item at its price. */
export const layer = operationLayer(
  Effect.gen(function* () {
    const vault = yield* Vault
    const pages = yield* StatusPages
    yield* pages.add(purchaseStatusPages(yield* VaultPurchases, yield* VaultItems, vault))
    const { duplicateOrderMillis, secretResponseLifetimeMillis } = yield* ShopSettings
    const priceOf = (request: VaultBuyRequest) =>
      Effect.map(vault.item(request.slug), (item): Quoted => ({
        atomic: fromDollars(item.price),
        description: `Vault item: ${item.title}`.slice(0, 500),
        extra: {}
      }))
    return {
      endpoint,
      documents: {
        ...saleDocuments({
          hasMailer: Option.isSome(yield* Effect.serviceOption(Mailer)),
          mails: "A mail to the email in the body has the purchase id and the token, too."
        }),
        headers: statusHeaders(pages, "purchase"),
        description: "Purchase of a vault item",
        mimeType: "application/json",
        follows: "vaultSearch",
        example: yield* publishedExample(endpoint, example),
        errors: [
          { code: "ITEM_NOT_FOUND", status: 404, meaning: "no item has this slug: search for one" },
          ...upstreamCodes("vault")
        ]
      },
      input: { otherNames: vaultBuyNames },
      settlement: { proofRequired: true },
      response: { encrypted: true, replayMillis: secretResponseLifetimeMillis },
      // What can be downloaded need not be bought again.
      ...orderRepeats<VaultBuyRequest>(duplicateOrderMillis === 0 ? 0 : vault.downloadableMillis, {
        identityOf: purchaseOf,
        goodsAt: (statusUrl) =>
          statusUrl === undefined
            ? "The seller knows your purchase by the transaction of the first payment."
            : `Your purchase is at ${statusUrl}: sign in there with the wallet that paid, and POST to ${statusUrl}/token for a new download token.`
      }),
      price: {
        _tag: "Quoted",
        indicative: {
          atomic: fromDollars(10),
          description:
            "Indicative amount, not payable: send the body (slug, walletAddress, email) without payment to receive the item's price.",
          extra: { indicative: "true" }
        },
        minAtomic: fromDollars(1),
        maxAtomic: maxQuoteAtomic,
        quote: priceOf,
        currentQuote: priceOf
      },
      work: Effect.fnUntraced(function* (request, charge) {
        const item = yield* vault.item(request.slug)
        if (fromDollars(item.price).toString() !== charge.agreed.amount) return yield* priceChanged
        // Before the payment settles: an archive that is missing can't be sold.
        yield* vault.ensureOpens(request.slug)
        const purchase = yield* vault.reserve(request, item, charge.key)
        const subject = { kind: "purchase", id: purchase.purchaseId }
        return respondWith(purchase, subject, pages.headersOf(subject))
      })
    } satisfies Operation<VaultBuyRequest>
  })
).pipe(Layer.provideMerge(Vault.layer))
