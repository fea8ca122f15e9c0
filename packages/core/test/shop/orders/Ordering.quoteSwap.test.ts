import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { buy, expectRefused, openTill, vaultBuy, vaultItem } from "../../toll/openTill.ts"
import { headerOf, payChallenge } from "../../toll/wallet.ts"

/*
 * The quote that is bought has to be the one whose amount and id were judged, not whichever stands for
 * the request once the payment has been verified.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

it("a payment never buys a quote that took the place of the agreed one while it was verified", async () => {
  const shop = await openTill()
  const payment = await shop.payFor(buy)
  shop.facilitator.verify.returnsOnce(async () => {
    vi.setSystemTime(Date.now() + 600_000)
    shop.fulfilment.quote.returns({
      product: { title: "Canvas tote bag" },
      subtotal: "90.00",
      tax: "0.00",
      shipping: "9.00",
      total: "99.00",
      currency: "USD",
      reference: "upstream-quote-dearer",
      expiresAt: new Date(Date.now() + 600_000)
    })
    await shop.challenge(buy)
    return { isValid: true }
  })
  expectRefused(await shop.present(buy, payment), "quote_expired")
  expect([shop.facilitator.settle.calls.length, (await shop.till.orders.list()).length]).toEqual([0, 0])
})

it("a quote buys one order of ten payments at once", async () => {
  const shop = await openTill()
  shop.facilitator.delays(10)
  const challenge = await shop.challenge(buy)
  const payments = await Promise.all(Array.from({ length: 10 }, () => payChallenge(challenge)))
  const responses = await Promise.all(payments.map((payment) => shop.present(buy, headerOf(payment))))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  expect([shop.facilitator.settled.length, (await shop.till.orders.list()).length]).toEqual([1, 1])
})

it("a quote buys one order of ten payments at once that want one each", async () => {
  const shop = await openTill()
  shop.facilitator.delays(10)
  const challenge = await shop.challenge(buy)
  const payments = await Promise.all(Array.from({ length: 10 }, () => payChallenge(challenge)))
  const responses = await Promise.all(payments.map((payment) => shop.presentAgain(buy, headerOf(payment))))
  expect(responses.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 9 }, () => 402)])
  for (const response of responses) if (response.status === 402) expectRefused(response, "quote_expired")
  expect([shop.facilitator.settled.length, (await shop.till.orders.list()).length]).toEqual([1, 1])
})

it("a vault item whose price changes while it is paid for is not sold at the old one", async () => {
  const shop = await openTill()
  const payment = await shop.payFor(vaultBuy)
  shop.facilitator.verify.returnsOnce(async () => {
    await shop.till.vault.put({ ...vaultItem, price: vaultItem.price + 1 })
    return { isValid: true }
  })
  expectRefused(await shop.present(vaultBuy, payment), "price_changed")
  expect(shop.facilitator.settle.calls).toHaveLength(0)
})
