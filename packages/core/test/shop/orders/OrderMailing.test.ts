import { Effect, Layer, Logger } from "effect"
import { describe, expect, it } from "vitest"
import { MailRejected, UpstreamUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { MailContact, OwnTemplates } from "../../../src/shop/mail/OwnTemplates.ts"
import type { MailTemplates } from "../../../src/shop/mail/Templates.ts"
import { OrderMailing } from "../../../src/shop/orders/OrderMailing.ts"
import { type Charge, Charges } from "../../../src/ports/Charges.ts"
import { type Mail, Mailer } from "../../../src/shop/ports/Mailer.ts"
import type { Order, OrderMail } from "../../../src/shop/ports/Orders.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { asClaimed, lease } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleCharge, sampleOrder } from "../../../../testing/src/stores/records.ts"
import { statusPages, statusRoot } from "./statusPages.ts"

const nowMillis = 10_000
const due = (kind: OrderMail["kind"], dueAtMillis = nowMillis): OrderMail => ({
  kind,
  attempts: 0,
  dueAtMillis
})

interface Scene {
  readonly failsWith?: MailRejected | UpstreamUnavailable
  readonly isWithoutMailer?: boolean
  readonly templates?: Partial<MailTemplates>
  readonly chargeState?: Charge["state"]
  readonly support?: string
}

/** What becomes of an order's first mail. */
const sendOf = (order: Order, scene: Scene = {}) => {
  const { chargeState = "claimed", failsWith, isWithoutMailer = false, support, templates = {} } = scene
  const sent: Array<Mail> = []
  const events: Array<TillEvent> = []
  const mailer = Layer.succeed(Mailer, {
    send: (mail: Mail) =>
      Effect.suspend(() => {
        sent.push(mail)
        return failsWith === undefined ? Effect.void : Effect.fail(failsWith)
      })
  })
  return Effect.runPromise(
    Effect.gen(function* () {
      const charges = yield* Charges
      const refund = { _tag: "Sent", transaction: "0xback" } as const
      const charge = { ...asClaimed(sampleCharge(), lease("me", 0)), refund, state: chargeState }
      const mailing = OrderMailing.use((service) => service.send(order, order.mails[0]!)).pipe(
        Effect.provide(isWithoutMailer ? OrderMailing.layer : Layer.provide(OrderMailing.layer, mailer)),
        Effect.provideService(Charges, { ...charges, find: () => Effect.succeed(charge) }),
        Effect.provideService(OwnTemplates, templates),
        Effect.provideService(MailContact, support === undefined ? {} : { support }),
        Effect.provide(statusPages)
      )
      return { event: yield* mailing, sent, events }
    }).pipe(Effect.provide([Charges.layerMemory, Logger.layer([eventLogger((event) => events.push(event))])]))
  )
}

describe("a mail of an order", () => {
  it("is sent", async () => {
    const { event, sent } = await sendOf(sampleOrder({ mails: [due("shipped", 7)] }))
    expect(event).toEqual({ _tag: "MailSent", kind: "shipped", dueAtMillis: 7 })
    expect(sent).toHaveLength(1)
  })

  it.each<[string, Partial<Order>, Scene]>([
    ["there is no mailer", {}, { isWithoutMailer: true }],
    ["there is no address", { email: undefined }, {}]
  ])("is given up where %s", async (_, change, scene) => {
    const { event, sent } = await sendOf(sampleOrder({ mails: [due("confirmed", 7)], ...change }), scene)
    expect(event).toEqual({ _tag: "MailFailed", kind: "confirmed", dueAtMillis: 7, isFinal: true })
    expect(sent).toEqual([])
  })

  it.each<[MailRejected | UpstreamUnavailable, boolean]>([
    [new MailRejected({ message: "no such mailbox: ada@example.com" }), true],
    [new UpstreamUnavailable({ port: "mail" }), false]
  ])("fails as its mailer does, for good or not: %s", async (failsWith, isFinal) => {
    const { event, events } = await sendOf(sampleOrder({ mails: [due("confirmed")] }), { failsWith })
    expect(event).toEqual({ _tag: "MailFailed", kind: "confirmed", dueAtMillis: nowMillis, isFinal })
    expect(events.at(-1)).toMatchObject({
      level: "warning",
      code: "order_mail_failed",
      error: failsWith._tag
    })
    expect(JSON.stringify(events)).not.toContain("ada@")
  })

  it("is the default one where the host's template fails, which is reported to the operator", async () => {
    const templates: Partial<MailTemplates> = {
      OrderConfirmed: () => {
        throw new Error("no such key")
      }
    }
    const { event, events, sent } = await sendOf(sampleOrder({ mails: [due("confirmed")] }), { templates })
    expect(event._tag).toBe("MailSent")
    expect(sent[0]!.text).toContain("15.27")
    expect(events).toMatchObject([
      { code: "mail_template_failed", reason: expect.stringContaining("OrderConfirmed") }
    ])
  })
})

describe("the content of a mail", () => {
  it("of a confirmation is what was paid, and where it goes", async () => {
    const order = sampleOrder({ mails: [due("confirmed")] })
    const { text, to } = (await sendOf(order)).sent[0]!
    expect(to).toBe("ada@example.com")
    for (const shown of ["Canvas tote bag", "9.50", "0.78", "4.99", "15.27", "Springfield", order.id])
      expect(text).toContain(shown)
    expect(text).not.toContain("Main Street")
  })

  it("of a refund names its reason and its transaction", async () => {
    const { text } = (await sendOf(sampleOrder({ mails: [due("refunded")], reason: "out_of_stock" })))
      .sent[0]!
    for (const shown of ["15.27", "0xback"]) expect(text).toContain(shown)
  })
})

describe("the mail of a failed order", () => {
  const failed = sampleOrder({ mails: [due("failed")], reason: "out_of_stock" })

  it("says that the money comes back, where it was paid", async () => {
    const paid = (await sendOf(failed, { chargeState: "settled" })).sent[0]!
    expect(paid.text).toContain("We pay back 15.27 USD")
    expect(paid.text).toContain("out of stock")
    const unpaid = (await sendOf(failed, { chargeState: "voided" })).sent[0]!
    expect(unpaid.text).not.toContain("15.27")
  })

  it("names the status page of the order", async () => {
    const { sent } = await sendOf(failed)
    expect(sent[0]!.text).toContain(`${statusRoot}/orders/${failed.id}`)
  })

  it("names who answers questions", async () => {
    const { sent } = await sendOf(failed, { support: "help@shop.example" })
    expect(sent[0]!.text).toContain("Questions? help@shop.example")
  })
})

describe("the key of a mail", () => {
  const keyOf = async (kind: OrderMail["kind"], change: Partial<Order> = {}) =>
    (await sendOf(sampleOrder({ mails: [due(kind)], ...change }))).sent[0]!.idempotencyKey
  const parcel = { carrier: "UPS", trackingNumber: "1Z9" }

  it("is of its order and its kind", async () => {
    const { id } = sampleOrder()
    expect(await keyOf("confirmed")).toBe(`order-confirmed:${id}`)
    expect(await keyOf("refunded")).toBe(`order-refunded:${id}`)
    expect(await keyOf("shipped", { shipments: [parcel] })).toMatch(
      new RegExp(`^order-shipped:${id}:[0-9a-f]{16}$`)
    )
  })

  it("is another for other parcels, and the same for the same", async () => {
    const parcels = [
      [],
      [parcel],
      [{ ...parcel, trackingNumber: "1Z8" }],
      [{ ...parcel, carrier: "FedEx" }],
      [{ ...parcel, trackingUrl: "https://t.example/1Z9" }],
      [parcel, { carrier: "UPS", trackingNumber: "1Z8" }]
    ]
    const keys = await Promise.all(parcels.map((shipments) => keyOf("shipped", { shipments })))
    expect(new Set(keys).size).toBe(parcels.length)
    expect(await keyOf("shipped", { shipments: [{ ...parcel }] })).toBe(keys[1])
  })
})
