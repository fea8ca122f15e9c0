import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect, onTestFinished, vi } from "vitest"
import { memory } from "../../src/stores/memory.ts"
import { type PaymentEvent, PaymentFeed } from "../../src/runtime/PaymentEvents.ts"
import { PlacementRefused, TemporarilyUnavailable } from "../../src/shop/ports/PortErrors.ts"
import { buy, email, jsonOf, openTill, track, vaultBuy } from "../toll/openTill.ts"
import { payer } from "../toll/wallet.ts"
import { fakes, pay, started, trackingTill, until } from "./hosted.ts"

const codesOf = (events: ReadonlyArray<PaymentEvent>) => events.map(({ code }) => code)

describe("what onPayment receives", () => {
  it("of a call: its 402, its settlement, its outcome, and a replay", async () => {
    const events: Array<PaymentEvent> = []
    const { payFor, present } = await openTill({ onPayment: (event) => void events.push(event) })
    const payment = await payFor(track)
    await present(track, payment)
    await present(track, payment)
    await expect
      .poll(() => codesOf(events))
      .toEqual(["payment_required", "payment_settled", "payment_paid", "payment_replayed"])
    const [required, settled, paid, replayed] = events
    expect(required).toMatchObject({ operation: "track", amountAtomic: 520_000n })
    for (const event of [settled, paid, replayed])
      expect(event).toMatchObject({
        operation: "track",
        network: "eip155:84532",
        amountAtomic: 520_000n,
        chargeKey: settled!.chargeKey,
        transaction: settled!.transaction
      })
    expect(settled!.transaction).toMatch(/^0x/)
    expect(paid!.durationMillis).toBeTypeOf("number")
  })

  it("of refusals, failed work and faults of a request: the reason as a code", async () => {
    const events: Array<PaymentEvent> = []
    const till = await openTill({ onPayment: (event) => void events.push(event) })
    till.tracker.track.failsOnceWith(new TemporarilyUnavailable({ message: "closed" }))
    const payment = await till.payFor(track)
    await till.present(track, payment)
    await till.present({ path: "/x402/track" }, payment)
    await till.present(track, "no payment")
    till.facilitator.verify.returns(async () => ({ isValid: false, invalidReason: "insufficient_funds" }))
    await till.present(track, await till.payFor(track))
    await expect
      .poll(() =>
        events.filter(({ code }) => code !== "payment_required").map(({ code, reason }) => [code, reason])
      )
      .toEqual([
        ["payment_failed", "TRACKING_PROVIDER_UNAVAILABLE"],
        ["payment_failed", "VALIDATION_ERROR"],
        ["payment_refused", "invalid_payload"],
        ["payment_refused", "insufficient_funds"]
      ])
  })

  it("of a refund: the transaction that sent it, once", async () => {
    const events: Array<PaymentEvent> = []
    const shop = await openTill({ onPayment: (event) => void events.push(event) })
    shop.fulfilment.place.failsOnceWith(new PlacementRefused({ reason: "sold_out" }))
    await shop.present(buy, await shop.payFor(buy))
    await expect.poll(async () => (await shop.till.orders.list())[0]?.status).toBe("refund_due")
    const [order] = await shop.till.orders.list()
    const transaction = `0x${"ab".repeat(32)}`
    for (let times = 0; times < 2; times++) await shop.till.orders.markRefunded(order!.id, transaction)
    await expect.poll(() => codesOf(events)).toContain("payment_refunded")
    const refunds = events.filter(({ code }) => code === "payment_refunded")
    expect(refunds).toEqual([
      expect.objectContaining({
        operation: "buy",
        chargeKey: order!.chargeKey,
        network: "eip155:84532",
        transaction
      })
    ])
    expect(refunds[0]!.amountAtomic).toBe(order!.offer.total.atomic)
  })

  it.effect("of a till of Effect, given beside its settings", () =>
    Effect.gen(function* () {
      const events: Array<PaymentEvent> = []
      const onPayment = (event: PaymentEvent) => void events.push(event)
      const paid = yield* Effect.andThen(
        started,
        Effect.provide(
          Effect.tap(pay(), () => until(() => events.length >= 3)),
          trackingTill(fakes(), memory(), { onPayment })
        )
      )
      expect(paid.status).toBe(200)
      expect(codesOf(events)).toEqual(["payment_required", "payment_settled", "payment_paid"])
    })
  )

  it("never the signature, the header, an email or a token", async () => {
    const events: Array<PaymentEvent> = []
    const { payFor, present } = await openTill({ onPayment: (event) => void events.push(event) })
    const payment = await payFor(vaultBuy)
    const bought = await present(vaultBuy, payment)
    await expect.poll(() => codesOf(events)).toContain("payment_paid")
    const text = JSON.stringify(events, (_, value: unknown) =>
      typeof value === "bigint" ? `${value}` : value
    )
    const { signature } = JSON.parse(Buffer.from(payment, "base64").toString("utf8")).payload
    const { downloadToken } = jsonOf(bought) as { readonly downloadToken: string }
    for (const secret of [payment, signature, email, downloadToken]) expect(text).not.toContain(secret)
    // The chain shows it, too.
    expect(text).toContain(payer.address.toLowerCase())
  })

  it("touches no payment where it throws, rejects or never ends", async () => {
    const failures = [
      () => {
        throw new Error("my own fault")
      },
      async () => {
        throw new Error("my own fault")
      },
      () => new Promise<void>(() => undefined)
    ]
    for (const [index, onPayment] of failures.entries()) {
      const { events, payFor, present } = await openTill({ onPayment })
      for (let call = 0; call < 3; call++)
        expect((await present(track, await payFor(track))).status).toBe(200)
      if (index < 2)
        await expect
          .poll(() => events.filter(({ code }) => code === "payment_listener_failed").length)
          .toBe(1)
    }
  })
})

describe("a till whose payments nobody reads", () => {
  it("makes no event, also once a reader has left", async () => {
    const publish = vi.spyOn(PaymentFeed.prototype, "publish")
    onTestFinished(() => publish.mockRestore())
    const { payFor, present, till } = await openTill()
    await present(track, await payFor(track))
    expect(publish).not.toHaveBeenCalled()
    const reader = till.payments()
    const read = reader.next()
    await payFor(track)
    expect((await read).value).toMatchObject({ code: "payment_required" })
    await reader.return?.()
    publish.mockClear()
    await present(track, await payFor(track))
    expect(publish).not.toHaveBeenCalled()
  })
})

describe("till.payments()", () => {
  it("gives each reader the events from then on, and ends with the till", async () => {
    const { payFor, present, till } = await openTill()
    const first = till.payments()
    const read: Array<string> = []
    const reading = (async () => {
      for await (const { code } of first) read.push(code)
    })()
    await present(track, await payFor(track))
    await till.dispose()
    await reading
    expect(read).toEqual(["payment_required", "payment_settled", "payment_paid"])
  })
})
