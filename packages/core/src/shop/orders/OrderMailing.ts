import { report } from "../ports/ShopEvents.ts"
import { Context, Effect, Layer } from "effect"
import { keccakOfText } from "../../domain/Hex.ts"
import type { StoreError } from "../../domain/Errors.ts"
import { format, type Money } from "../../domain/Money.ts"
import { renderMail } from "../mail/Rendering.ts"
import { MailContact, OwnTemplates } from "../mail/OwnTemplates.ts"
import type { MailedContact, MailFacts } from "../mail/Templates.ts"
import { Charges } from "../../ports/Charges.ts"
import { StatusPages } from "../../ports/StatusPages.ts"
import { guardedMailer } from "../ports/Mailer.ts"
import type { Order, OrderMail } from "../ports/Orders.ts"
import type { MailSelector, OrderEvent } from "./OrderEvent.ts"

/** Sends the mails of orders. */
export class OrderMailing extends Context.Service<
  OrderMailing,
  {
    /** Sends a mail of an order, and returns the resulting event. */
    readonly send: (order: Order, mail: Required<MailSelector>) => Effect.Effect<OrderEvent, StoreError>
  }
>()("@till402/core/OrderMailing") {
  static readonly layer = Layer.effect(
    OrderMailing,
    Effect.suspend(() => make)
  )
}

/** Reads what a mail of an order needs. */
const factsOf = Effect.fnUntraced(function* (
  charges: Charges["Service"],
  order: Order,
  kind: OrderMail["kind"]
): Effect.fn.Return<MailFacts, StoreError> {
  const { chargeKey, id: orderId, offer, reason, shipments, shippingAddress } = order
  const { imageUrl, title } = offer.product
  const amount = (money: Money) => format(money)
  switch (kind) {
    case "confirmed":
      return {
        _tag: "OrderConfirmed",
        orderId,
        product: { title, ...(imageUrl === undefined ? {} : { imageUrl }) },
        lines: {
          subtotal: amount(offer.subtotal),
          tax: amount(offer.tax),
          shipping: amount(offer.shipping),
          ...(offer.fee === undefined ? {} : { fee: amount(offer.fee) }),
          total: amount(offer.total),
          currency: offer.total.currency
        },
        shipTo: {
          name: shippingAddress?.name ?? "",
          city: shippingAddress?.city ?? "",
          country: (shippingAddress?.country ?? "").toUpperCase()
        }
      }
    case "shipped":
      return { _tag: "OrderShipped", orderId, product: { title }, parcels: shipments }
    case "failed": {
      const isPaid = (yield* charges.find(chargeKey))?.state === "settled"
      return {
        _tag: "OrderFailed",
        orderId,
        product: { title },
        ...(isPaid ? { amount: amount(offer.total) } : {}),
        currency: offer.total.currency,
        ...(reason === undefined ? {} : { reason })
      }
    }
    case "refunded": {
      const refund = (yield* charges.find(chargeKey))?.refund
      return {
        _tag: "OrderRefunded",
        orderId,
        product: { title },
        amount: amount(offer.total),
        currency: offer.total.currency,
        ...(reason === undefined ? {} : { reason }),
        ...(refund?._tag === "Sent" ? { transaction: refund.transaction } : {})
      }
    }
  }
})

const make = Effect.gen(function* () {
  const templates = yield* OwnTemplates
  const contact = yield* MailContact
  const pages = yield* StatusPages
  const contactFor = ({ id }: Order): MailedContact => {
    const statusUrl = pages.urlOf({ kind: "order", id })
    return statusUrl === undefined ? contact : { ...contact, statusUrl }
  }
  const charges = yield* Charges
  const mailer = yield* guardedMailer

  const send = Effect.fn("OrderMailing.send")(function* (
    order: Order,
    { dueAtMillis, kind }: Required<MailSelector>
  ): Effect.fn.Return<OrderEvent, StoreError> {
    if (mailer._tag === "None" || order.email === undefined) {
      return { _tag: "MailFailed", kind, dueAtMillis, isFinal: true }
    }
    const faults: Array<string> = []
    const rendered = renderMail(
      { ...(yield* factsOf(charges, order, kind)), ...contactFor(order) },
      {
        to: order.email,
        idempotencyKey: keyOf(order, kind),
        templates,
        onFault: ({ reason, template }) => faults.push(`${template}: ${reason}`)
      }
    )
    if (faults.length > 0)
      yield* report("Warn", "mail_template_failed", "A mail template failed; the default one was used", {
        reason: faults[0]
      })
    return yield* Effect.matchEffect(mailer.value.send(rendered), {
      onSuccess: () => Effect.succeed<OrderEvent>({ _tag: "MailSent", kind, dueAtMillis }),
      onFailure: (error) =>
        Effect.as(
          report("Warn", "order_mail_failed", "A mail of an order could not be sent", {
            orderId: order.id,
            reason: kind,
            error: error._tag
          }),
          {
            _tag: "MailFailed",
            kind,
            dueAtMillis,
            isFinal: error._tag === "MailRejected"
          } as const
        )
    })
  })

  return OrderMailing.of({ send })
})

/** The idempotency key of a mail. Other parcels (a second one, or a new number) make another mail. */
const keyOf = ({ id, shipments }: Order, kind: OrderMail["kind"]): string =>
  kind === "shipped" ? `order-shipped:${id}:${digestOf(shipments)}` : `order-${kind}:${id}`

/** Digest of the parcels as the mail shows them, in 16 hexadecimal digits. */
const digestOf = (shipments: Order["shipments"]): string => {
  const shown = shipments.map(({ carrier, trackingNumber, trackingUrl }) => [
    carrier,
    trackingNumber,
    trackingUrl
  ])
  return keccakOfText(JSON.stringify(shown)).slice(2, 18)
}
