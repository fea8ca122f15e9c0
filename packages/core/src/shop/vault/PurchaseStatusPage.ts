import { Effect, Schema } from "effect"
import { ApiFailure } from "../../domain/ApiFailure.ts"
import type { Charge } from "../../ports/Charges.ts"
import type { StatusAction, StatusKind, StatusPage } from "../../ports/StatusPages.ts"
import type { VaultItems } from "../ports/VaultItems.ts"
import type { VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import type { Vault } from "./Vault.ts"

/** The newest versions of an item that are listed. */
const maxFiles = 100

const timeOf = (millis: number): string => new Date(millis).toISOString()

const stateOf = ({ status }: VaultPurchase, charge: Charge | undefined): string => {
  if (charge?.refund === undefined) return status
  return charge.refund._tag === "Sent" ? "refunded" : "refund_due"
}

/** How the wallet that paid comes by a token that opens the download. */
const tokenHelp =
  "To get a new one, sign a new challenge and POST it to the address of this page followed by /token. The current one ends then. It is in the response that issued it, and in the mail if one was sent."

type Items = Pick<VaultItems["Service"], "findBySlug" | "versions">

const pageOf = (items: Items, purchase: VaultPurchase): StatusPage => {
  const { chargeKey, createdAtMillis, dueAtMillis, id, slug, status, tokenNumber } = purchase
  return {
    id,
    chargeKey,
    stateOf: (charge) => stateOf(purchase, charge),
    outline: { purchaseId: id, createdAt: timeOf(createdAtMillis) },
    whole: Effect.gen(function* () {
      const item = yield* items.findBySlug(slug)
      const files = yield* items.versions(slug, maxFiles)
      return {
        downloadToken: { isReplaced: tokenNumber > 0, help: tokenHelp },
        item: { slug, title: item?.title ?? null, productType: item?.productType ?? null },
        files: files.map(({ digest, publishedAtMillis, size, version }) => ({
          version,
          size,
          digest: `sha256:${digest}`,
          publishedAt: timeOf(publishedAtMillis)
        }))
      }
    }),
    isResponseStale: tokenNumber > 0,
    // Only a payment is awaited: a mail changes nothing here.
    changesAtMillis: status === "reserved" ? dueAtMillis : undefined
  }
}

/** The proof was used in another process, or the purchase isn't paid. */
const noToken = new ApiFailure({
  status: 409,
  code: "TOKEN_NOT_ISSUED",
  message:
    "No token was issued: this proof was used before, or the purchase isn't paid yet. Sign a new challenge."
})

const identifier = Schema.String.annotate({ description: "Identifier of the purchase." })

const newTokenAction = ({ newToken }: Pick<Vault["Service"], "newToken">): StatusAction => ({
  statement: "Sign in to get a new download token for your purchase. The old one ends.",
  returns: {
    purchaseId: identifier,
    downloadToken: Schema.String.annotate({ description: "The new secret; the old one has ended." }),
    isMailed: Schema.Boolean.annotate({ description: "Whether a mail has it, too." })
  },
  errors: [
    {
      code: "TOKEN_NOT_ISSUED",
      status: 409,
      meaning: "the proof was used before, or the purchase isn't paid yet"
    }
  ],
  run: (purchaseId, nonce) =>
    Effect.flatMap(newToken(purchaseId, nonce), (issued) =>
      issued === undefined ? Effect.fail(noToken) : Effect.succeed({ purchaseId, ...issued })
    )
})

const time = Schema.String.annotate({ format: "date-time" })
const text = Schema.NullOr(Schema.String)

const shows = {
  status: Schema.Literals(["reserved", "granted", "refund_due", "refunded"]).annotate({
    description: "granted once it is paid."
  }),
  purchaseId: identifier,
  createdAt: time.annotate({ description: "When it was bought." }),
  downloadToken: Schema.Struct({
    isReplaced: Schema.Boolean.annotate({ description: "Whether a newer token has replaced it." }),
    help: Schema.String.annotate({ description: "How to get a new one." })
  }).annotate({
    description: "Whether a newer token has replaced that of the first response, and how to get one."
  }),
  item: Schema.Struct({
    slug: Schema.String.annotate({ description: "Name of the item in requests." }),
    title: text.annotate({ description: "Name of the item." }),
    productType: text.annotate({ description: "Kind of asset." })
  }).annotate({ description: "What was bought." }),
  files: Schema.Array(
    Schema.Struct({
      version: Schema.Int.annotate({ description: "Number of the version." }),
      size: Schema.Int.annotate({ description: "Bytes of the archive." }),
      digest: Schema.String.annotate({ description: "sha256: and the archive's digest in hexadecimal." }),
      publishedAt: time.annotate({ description: "When it was published." })
    })
  ).annotate({ description: "Versions of the archive that are listed." })
}

/** The status pages of purchases, where their wallets also get new download tokens. */
export const purchaseStatusPages = (
  purchases: Pick<VaultPurchases["Service"], "find">,
  items: Items,
  vault: Pick<Vault["Service"], "newToken">
): StatusKind => ({
  path: "purchases",
  subject: "purchase",
  summary: "Status of a purchase",
  statement: "Sign in to see your purchase.",
  shows,
  find: (id) => Effect.map(purchases.find(id), (purchase) => purchase && pageOf(items, purchase)),
  actions: { token: newTokenAction(vault) }
})
