import { causeName } from "../../runtime/causeName.ts"
import { report } from "../ports/ShopEvents.ts"
import { Clock, Effect, Option } from "effect"
import { type RunInBackground, makeBackground } from "../../runtime/Background.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { StatusPages } from "../../ports/StatusPages.ts"
import { MailContact, OwnTemplates } from "../mail/OwnTemplates.ts"
import { mailBackoff, maxMailAttempts } from "../mail/MailTimings.ts"
import { workLeaseMillis } from "../../runtime/workLeaseMillis.ts"
import { type Charge, Charges } from "../../ports/Charges.ts"
import { guardedMailer } from "../ports/Mailer.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { Secrets } from "../../runtime/Secrets.ts"
import type { ApiFailure } from "../../domain/ApiFailure.ts"
import { tokensLimited } from "../ports/ApiFailures.ts"
import { downloadTokenOf } from "./DownloadToken.ts"
import { type MailingServices, sendConfirmation } from "./PurchaseMailing.ts"

/*
 * The life of a purchase after it is reserved. The purchases table is the source of truth and records when a purchase
 * is due next, so a process may die at any point, and the next sweep continues.
 */

const batchSize = 32
/** A whole batch, with each mail at its deadline (at most 40 seconds), takes less time than its lease. */
const concurrency = 8
/** The lease of the first mail, which is sent at once: longer than its deadline. */
const firstMailMillis = 60_000
const maxRecheckMillis = 6 * 3_600_000

/** The pause before an unpaid purchase is checked again: as long as it has existed, up to 6 hours. */
export const recheckDelayMillis = (ageMillis: number): number =>
  Math.min(Math.max(ageMillis, workLeaseMillis), maxRecheckMillis)

/** Judges by its charge whether a reserved purchase is paid, may still be, or never will be. Pure. */
export const paymentOutcome = (
  { id }: Pick<VaultPurchase, "id">,
  charge: Pick<Charge, "state" | "refund" | "subject"> | undefined
): "Paid" | "Open" | "Unpaid" => {
  if (charge === undefined || charge.state === "voided" || charge.refund !== undefined) return "Unpaid"
  // A claim names its subject only with its response.
  if (charge.state === "claimed") return "Open"
  if (charge.subject?.id !== id) return "Unpaid"
  // Age decides nothing: an outcome may stay unknown for days.
  return charge.state === "settled" ? "Paid" : "Open"
}

interface Services extends MailingServices {
  readonly charges: Charges["Service"]
  readonly purchases: VaultPurchases["Service"]
  readonly inBackground: RunInBackground
}

/** Sends the mail of a purchase that is leased until `dueAtMillis`, and schedules a retry if needed. */
const confirm = Effect.fnUntraced(function* (
  services: Services,
  purchase: VaultPurchase,
  dueAtMillis: number
): Effect.fn.Return<void, StoreError> {
  const { purchases } = services
  const { attempts, id } = purchase
  const result = yield* sendConfirmation(services, purchase)
  if (result === "NotSent" && attempts < maxMailAttempts) {
    const retryAtMillis = (yield* Clock.currentTimeMillis) + mailBackoff(attempts)
    yield* purchases.reschedule(id, dueAtMillis, retryAtMillis)
    return
  }
  if (result === "NotSent")
    yield* report(
      "Error",
      "purchase_mail_given_up",
      "A purchase confirmation is given up; the buyer has no mail with the token",
      { purchaseId: id }
    )
  yield* purchases.reschedule(id, dueAtMillis, undefined)
})

/** Grants a purchase whose payment has settled, and sends its mail in the background. Idempotent. */
const grant = Effect.fnUntraced(function* (
  services: Services,
  purchaseId: string
): Effect.fn.Return<void, StoreError> {
  const { inBackground, mailer, purchases } = services
  const nowMillis = yield* Clock.currentTimeMillis
  const dueAtMillis = Option.isNone(mailer) ? undefined : nowMillis + firstMailMillis
  const granted = yield* purchases.grant(purchaseId, dueAtMillis)
  if (granted && dueAtMillis !== undefined) return yield* inBackground(processById(services, purchaseId))
  if (!granted && (yield* purchases.find(purchaseId)) === undefined)
    yield* report("Error", "purchase_missing", "A payment settled for a purchase that doesn't exist", {
      purchaseId
    })
})

/**
 * Whether a purchase may be downloaded. The settlement that grants it may be recorded, and its buyer have the response,
 * before the grant is: it is granted now, because a download that settles first has been paid.
 */
const ensureGranted = Effect.fnUntraced(function* (
  services: Services,
  purchase: VaultPurchase
): Effect.fn.Return<boolean, StoreError> {
  if (purchase.status === "granted") return true
  if (paymentOutcome(purchase, yield* services.charges.find(purchase.chargeKey)) !== "Paid") return false
  yield* grant(services, purchase.id)
  return true
})

/** New tokens of a purchase in a day. */
const tokensPerDay = 3
const dayMillis = 86_400_000

/** What a wallet gets that asks for a new token. `undefined`: its purchase isn't paid, or its proof was used. */
export type IssuedToken = { readonly downloadToken: string; readonly isMailed: boolean } | undefined

/** Issues a new token by a proof of the wallet that paid: the old one ends, and the new one is mailed. */
const renew = Effect.fnUntraced(function* (
  services: Services,
  purchase: VaultPurchase,
  nonce: string
): Effect.fn.Return<IssuedToken, StoreError | ApiFailure> {
  const { inBackground, mailer, purchases, secrets } = services
  if (!(yield* ensureGranted(services, purchase))) return undefined
  const { email, id } = purchase
  const atMillis = yield* Clock.currentTimeMillis
  const isMailed = Option.isSome(mailer) && email !== undefined
  const dueAtMillis = isMailed ? atMillis + firstMailMillis : undefined
  const renewal = yield* purchases.renewToken(
    { purchaseId: id, keyId: secrets.currentKeyId, nonce, atMillis, dueAtMillis },
    { sinceMillis: atMillis - dayMillis, max: tokensPerDay }
  )
  if (renewal._tag === "Limited")
    return yield* tokensLimited(Math.ceil((renewal.oldestMillis + dayMillis - atMillis) / 1000))
  if (renewal._tag !== "Renewed") return undefined
  if (isMailed) yield* inBackground(processById(services, id))
  const { tokenNumber } = renewal.purchase
  return { downloadToken: downloadTokenOf(secrets, id, secrets.currentKeyId, tokenNumber)!, isMailed }
})

/** Checks the payment of a purchase that has been reserved for a long time. */
const checkPayment = Effect.fnUntraced(function* (
  services: Services,
  purchase: VaultPurchase,
  dueAtMillis: number
): Effect.fn.Return<void, StoreError> {
  const { charges, purchases } = services
  switch (paymentOutcome(purchase, yield* charges.find(purchase.chargeKey))) {
    case "Paid":
      return yield* grant(services, purchase.id)
    case "Unpaid":
      return yield* purchases.cancel(purchase.id)
    case "Open": {
      const nowMillis = yield* Clock.currentTimeMillis
      const recheckAtMillis = nowMillis + recheckDelayMillis(nowMillis - purchase.createdAtMillis)
      yield* purchases.reschedule(purchase.id, dueAtMillis, recheckAtMillis)
    }
  }
})

/** Processes one purchase. A failure doesn't stop the others: the purchase is due again when its lease ends. */
const process = (services: Services, purchase: VaultPurchase): Effect.Effect<void> => {
  const { dueAtMillis, status } = purchase
  if (dueAtMillis === undefined) return Effect.void
  const step =
    status === "granted"
      ? confirm(services, purchase, dueAtMillis)
      : checkPayment(services, purchase, dueAtMillis)
  return Effect.catchCause(step, (cause) =>
    report(
      "Error",
      "purchase_step_failed",
      "A step of a purchase failed and is retried",
      { purchaseId: purchase.id },
      cause
    )
  )
}

const processById = (services: Services, id: string): Effect.Effect<void> =>
  services.purchases.find(id).pipe(
    Effect.flatMap((purchase) => (purchase === undefined ? Effect.void : process(services, purchase))),
    Effect.catch(({ cause, operation }) =>
      report("Warn", "purchase_mail_delayed", "A purchase confirmation is sent later", {
        operation,
        error: causeName(cause)
      })
    )
  )

/** Processes the purchases that are due now, each once: sends mails that failed, cancels those that were never paid. */
const sweep = Effect.fn("Vault.sweep")(function* (services: Services): Effect.fn.Return<void, StoreError> {
  const startMillis = yield* Clock.currentTimeMillis
  for (;;) {
    const untilMillis = (yield* Clock.currentTimeMillis) + workLeaseMillis
    const taken = yield* services.purchases.take(startMillis, untilMillis, batchSize)
    if (taken.length === 0) return
    yield* Effect.forEach(taken, (purchase) => process(services, purchase), { concurrency, discard: true })
  }
})

/** Makes the service that handles purchases after they are reserved. */
export const makePurchaseLife = Effect.gen(function* () {
  const services: Services = {
    charges: yield* Charges,
    items: yield* VaultItems,
    purchases: yield* VaultPurchases,
    secrets: yield* Secrets,
    mailer: yield* guardedMailer,
    inBackground: yield* makeBackground,
    templates: yield* OwnTemplates,
    contact: yield* MailContact,
    pages: yield* StatusPages
  }
  return {
    /** Grants a purchase whose payment has settled, and sends its mail in the background. Idempotent. */
    settled: Effect.fn("Vault.settled")((purchaseId: string) => grant(services, purchaseId)),
    ensureGranted: (purchase: VaultPurchase) => ensureGranted(services, purchase),
    renew: (purchase: VaultPurchase, nonce: string) => renew(services, purchase, nonce),
    sweep: sweep(services)
  }
})
