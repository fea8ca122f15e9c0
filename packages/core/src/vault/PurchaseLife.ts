import { Clock, Effect } from "effect"
import { makeBackground } from "../Background.ts"
import type { StoreError } from "../domain/Errors.ts"
import { renderMail } from "../mail/Rendering.ts"
import type { MailTemplates } from "../mail/Templates.ts"
import * as Pace from "../orders/Pace.ts"
import { type Charge, Charges } from "../ports/Charges.ts"
import { Mailer } from "../ports/Mailer.ts"
import { VaultItems } from "../ports/VaultItems.ts"
import { type VaultPurchase, VaultPurchases } from "../ports/VaultPurchases.ts"
import { Secrets } from "../Secrets.ts"
import { downloadTokenOf } from "./DownloadToken.ts"

/*
 * What becomes of a purchase once it is reserved. The table is the truth: it says when a purchase is looked at next, so
 * a process may die anywhere, and whoever sweeps next goes on.
 */

const batch = 32
/** A whole batch, each mail at its deadline (40 seconds at most), takes less time than a sweep has them (`Pace.lease`). */
const concurrency = 8
/** How long the mail that is sent at once has to itself: longer than its deadline. */
const firstMailMillis = 60_000

/** When a purchase that waits for its payment is looked at again: after as long as it has stood, up to 6 hours. */
const lookAgain = (standsSinceMillis: number): number =>
  Math.min(Math.max(standsSinceMillis, Pace.lease), 6 * 3_600_000)

/** What is to be expected of a purchase that has been reserved for long, by what its charge says. */
const outlookOf = ({ id }: VaultPurchase, charge: Charge | undefined): "Paid" | "Open" | "Hopeless" => {
  if (charge === undefined || charge.state === "voided" || charge.refund !== undefined) return "Hopeless"
  // What a claim is for, it says once it has an answer.
  if (charge.state === "claimed") return "Open"
  if (charge.subject?.id !== id) return "Hopeless"
  // Age alone says nothing: an outcome may stay unknown for days.
  return charge.state === "settled" ? "Paid" : "Open"
}

/** What came of a mail. */
type Mailed =
  | { readonly _tag: "Sent" }
  /** It never will be: refused for good, or there is nobody to send it to or with. */
  | { readonly _tag: "Impossible" }
  | { readonly _tag: "NotSent" }

export const makePurchaseLife = Effect.fnUntraced(function* (templates: Partial<MailTemplates>) {
  const charges = yield* Charges
  const items = yield* VaultItems
  const purchases = yield* VaultPurchases
  const secrets = yield* Secrets
  const mailer = yield* Effect.serviceOption(Mailer)
  const inBackground = yield* makeBackground

  const sendMail = Effect.fnUntraced(function* ({
    email,
    id,
    slug
  }: VaultPurchase): Effect.fn.Return<Mailed, StoreError> {
    const downloadToken = downloadTokenOf(secrets, id, secrets.currentKeyId)
    if (mailer._tag === "None" || email === undefined || downloadToken === undefined)
      return { _tag: "Impossible" }
    // An item whose slug has changed since is still what was bought.
    const title = (yield* items.findBySlug(slug))?.title ?? slug
    const faults: Array<string> = []
    const mail = renderMail(
      { _tag: "VaultPurchased", purchaseId: id, title, downloadToken },
      {
        to: email,
        idempotencyKey: `purchase-confirmed:${id}`,
        templates,
        onFault: ({ reason, template }) => faults.push(`${template}: ${reason}`)
      }
    )
    if (faults.length > 0)
      yield* Effect.logWarning("A mail template failed; the default one was used", faults[0])
    return yield* Effect.matchEffect(mailer.value.send(mail), {
      onSuccess: () => Effect.succeed<Mailed>({ _tag: "Sent" }),
      onFailure: ({ _tag }) =>
        Effect.as(Effect.logWarning("A purchase confirmation could not be sent", id, _tag), {
          _tag: _tag === "MailRejected" ? "Impossible" : "NotSent"
        } satisfies Mailed)
    })
  })

  /** The mail of a purchase that is in our hands until `dueAtMillis`, and what is due after it. */
  const confirm = Effect.fnUntraced(function* (purchase: VaultPurchase, dueAtMillis: number) {
    const { attempts, id } = purchase
    const mailed = yield* sendMail(purchase)
    if (mailed._tag !== "NotSent") return yield* purchases.reschedule(id, dueAtMillis, undefined)
    if (attempts < Pace.mailAttempts) {
      const againMillis = (yield* Clock.currentTimeMillis) + Pace.mailAgain(attempts)
      return yield* purchases.reschedule(id, dueAtMillis, againMillis)
    }
    yield* Effect.logError("A purchase confirmation is given up; the buyer has no mail with the token", id)
    return yield* purchases.reschedule(id, dueAtMillis, undefined)
  })

  const settled: (purchaseId: string) => Effect.Effect<void, StoreError> = Effect.fn("Vault.settled")(
    function* (purchaseId: string) {
      const nowMillis = yield* Clock.currentTimeMillis
      const dueAtMillis = mailer._tag === "None" ? undefined : nowMillis + firstMailMillis
      const granted = yield* purchases.grant(purchaseId, dueAtMillis)
      if (granted && dueAtMillis !== undefined) return yield* inBackground(seeToById(purchaseId))
      if (!granted && (yield* purchases.find(purchaseId)) === undefined)
        yield* Effect.logError("A purchase was paid for that is not there", purchaseId)
    }
  )

  const lookAfter = Effect.fnUntraced(function* (purchase: VaultPurchase, dueAtMillis: number) {
    switch (outlookOf(purchase, yield* charges.find(purchase.chargeKey))) {
      case "Paid":
        return yield* settled(purchase.id)
      case "Hopeless":
        return yield* purchases.cancel(purchase.id)
      case "Open": {
        const nowMillis = yield* Clock.currentTimeMillis
        const againMillis = nowMillis + lookAgain(nowMillis - purchase.createdAtMillis)
        yield* purchases.reschedule(purchase.id, dueAtMillis, againMillis)
      }
    }
  })

  /** One purchase that can't be seen to now must not keep the others waiting: it is due again in a while. */
  const seeTo = (purchase: VaultPurchase): Effect.Effect<void> => {
    const { dueAtMillis, status } = purchase
    if (dueAtMillis === undefined) return Effect.void
    const seen =
      status === "granted" ? Effect.asVoid(confirm(purchase, dueAtMillis)) : lookAfter(purchase, dueAtMillis)
    return Effect.catchCause(seen, (cause) =>
      Effect.logError("A purchase could not be seen to and is tried again", purchase.id, cause)
    )
  }

  const seeToById = (id: string): Effect.Effect<void> =>
    purchases.find(id).pipe(
      Effect.flatMap((purchase) => (purchase === undefined ? Effect.void : seeTo(purchase))),
      Effect.catch(({ cause, operation }) =>
        Effect.logWarning("A purchase confirmation is sent later", operation, cause)
      )
    )

  const sweep = Effect.gen(function* () {
    // Those that are due by now, each once.
    const sinceMillis = yield* Clock.currentTimeMillis
    for (;;) {
      const untilMillis = (yield* Clock.currentTimeMillis) + Pace.lease
      const taken = yield* purchases.take(sinceMillis, untilMillis, batch)
      if (taken.length === 0) return
      yield* Effect.forEach(taken, seeTo, { concurrency, discard: true })
    }
  }).pipe(Effect.withSpan("Vault.sweep"))

  return { settled, sweep }
})
