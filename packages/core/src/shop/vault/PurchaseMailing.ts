import { Effect, Option } from "effect"
import type { StoreError } from "../../domain/Errors.ts"
import { renderMail } from "../mail/Rendering.ts"
import type { MailedContact, MailTemplates } from "../mail/Templates.ts"
import type { GuardedMailer } from "../ports/Mailer.ts"
import type { VaultItems } from "../ports/VaultItems.ts"
import type { VaultPurchase } from "../ports/VaultPurchases.ts"
import { report } from "../ports/ShopEvents.ts"
import type { StatusPages } from "../../ports/StatusPages.ts"
import type { Secrets } from "../../runtime/Secrets.ts"
import { downloadTokenOf } from "./DownloadToken.ts"

/** The services and templates that a confirmation needs. */
export interface MailingServices {
  readonly items: VaultItems["Service"]
  readonly secrets: Secrets["Service"]
  readonly mailer: Option.Option<GuardedMailer>
  readonly templates: Partial<MailTemplates>
  readonly contact: MailedContact
  readonly pages: Pick<StatusPages["Service"], "urlOf">
}

/** The result of sending a mail. `Impossible`: rejected for good, or there is no recipient or no mailer. */
export type MailResult = "Sent" | "Impossible" | "NotSent"

/** Sends the buyer of a vault item the confirmation with the download token. */
export const sendConfirmation = Effect.fnUntraced(function* (
  { contact, items, mailer, pages, secrets, templates }: MailingServices,
  { email, id, keyId, slug, tokenNumber }: VaultPurchase
): Effect.fn.Return<MailResult, StoreError> {
  // The token of the response; a new one where its key is retired.
  const downloadToken =
    downloadTokenOf(secrets, id, keyId, tokenNumber) ??
    downloadTokenOf(secrets, id, secrets.currentKeyId, tokenNumber)
  if (Option.isNone(mailer) || email === undefined || downloadToken === undefined) return "Impossible"
  // An item whose slug has changed since is still the one that was bought.
  const title = (yield* items.findBySlug(slug))?.title ?? slug
  const statusUrl = pages.urlOf({ kind: "purchase", id })
  const faults: Array<string> = []
  const mail = renderMail(
    {
      _tag: "VaultPurchased",
      purchaseId: id,
      title,
      downloadToken,
      ...contact,
      ...(statusUrl && { statusUrl })
    },
    {
      to: email,
      // A new token's mail is another one.
      idempotencyKey: `purchase-confirmed:${id}${tokenNumber === 0 ? "" : `:${tokenNumber}`}`,
      templates,
      onFault: ({ reason, template }) => faults.push(`${template}: ${reason}`)
    }
  )
  if (faults.length > 0)
    yield* report("Warn", "mail_template_failed", "A mail template failed; the default one was used", {
      reason: faults[0]
    })
  return yield* Effect.matchEffect(mailer.value.send(mail), {
    onSuccess: () => Effect.succeed<MailResult>("Sent"),
    onFailure: ({ _tag }) =>
      Effect.as(
        report("Warn", "purchase_mail_failed", "A purchase confirmation could not be sent", {
          purchaseId: id,
          error: _tag
        }),
        _tag === "MailRejected" ? ("Impossible" as const) : ("NotSent" as const)
      )
  })
})
