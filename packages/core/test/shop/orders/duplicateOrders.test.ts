import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { buy, type Call, challengeOf, expectFailed, jsonOf, openTill, vaultBuy } from "../../toll/openTill.ts"
import { sharedFile } from "../vault/openShop.ts"
import { headerOf, otherPayer, payChallenge } from "../../toll/wallet.ts"

/*
 * A second payment of the same payer for the same body: its client may have lost the response to the first one.
 */

const orderCalls: ReadonlyArray<readonly [string, Call]> = [
  ["buy", buy],
  ["vault buy", vaultBuy]
]

describe.each(orderCalls)("a second payment for the same body of %s", (_, call) => {
  it("is refused without a charge, and the first one still gets its response", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(call)
    const first = await shop.present(call, payment)
    const refused = await shop.present(call, await shop.payFor(call))
    expectFailed(refused, 409, "DUPLICATE_ORDER")
    expect(refused.headers.get("payment-required")).toBeNull()
    expect(jsonOf(refused)["message"]).toMatch(
      /not charged.*first payment again.*Allow-Duplicate-Order: true/
    )
    expect(shop.facilitator.settled).toHaveLength(1)
    const again = await shop.present(call, payment)
    expect([again.status, again.text]).toEqual([200, first.text])
  })

  it("is refused in another process, at once with the first", async () => {
    const file = sharedFile()
    const shops = [await file.open(), await file.open()]
    const payments = await Promise.all(shops.map((shop) => shop.payFor(call)))
    const responses = await Promise.all(shops.map((shop, index) => shop.present(call, payments[index]!)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(shops.flatMap(({ facilitator }) => facilitator.settled)).toHaveLength(1)
  })

  it("is sold on purpose, and guards the next one", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    const second = await shop.payFor(call)
    const bought = await shop.presentAgain(call, second)
    expect(bought.status, bought.text).toBe(200)
    // The header is no part of the request that the payment is bound to.
    expect((await shop.present(call, second)).text).toBe(bought.text)
    expectFailed(await shop.present(call, await shop.payFor(call)), 409, "DUPLICATE_ORDER")
    expect(shop.facilitator.settled).toHaveLength(2)
  })

  it("is sold to another payer, or for another body", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    expect((await shop.present(call, await shop.payFor(call, { account: otherPayer }))).status).toBe(200)
    const other = { ...call, body: { ...Object(call.body), email: "grace@mail.example" } }
    expect((await shop.present(other, await shop.payFor(other))).status).toBe(200)
  })

  it("tells nothing to who presents an old payment of the payer to somebody else", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    const stale = { validAfter: "0", validBefore: String(Math.floor(Date.now() / 1_000) - 60) }
    for (const authorization of [
      { value: "1", to: otherPayer.address },
      { value: "1", ...stale }
    ]) {
      const refused = await shop.present(call, await shop.payFor(call, { authorization }))
      expect(refused.status, refused.text).toBe(402)
      expect(refused.text).not.toContain("x402-status")
    }
  })

  it("is sold where the first one was refused", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.settle.returns({ success: false, errorReason: "insufficient_funds", transaction: "" })
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(402)
    shop.facilitator.settle.reset()
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
  })

  it("is the same body in another spelling", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    const body: Record<string, unknown> = Object(call.body)
    const spelled = { ...call, body: { note: "x", ...Object.fromEntries(Object.entries(body).toReversed()) } }
    expectFailed(await shop.present(spelled, await shop.payFor(spelled)), 409, "DUPLICATE_ORDER")
  })

  it("is sold where the host doesn't want the guard", async () => {
    const shop = await openTill({ duplicateOrderMillis: 0 })
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
  })

  it("is warned about in the body of the 402, and not in its header", async () => {
    const shop = await openTill()
    const unpaid = await shop.send(call)
    expect(jsonOf(unpaid)["error"]).toMatch(/send the same payment again, never a new one$/)
    expect(challengeOf(unpaid).error).not.toMatch(/never a new one/)
  })
})

it("a payment for a quote that the first one has used gets 409, and no new price", async () => {
  const shop = await openTill()
  const challenge = await shop.challenge(buy)
  const [first, second] = await Promise.all([payChallenge(challenge), payChallenge(challenge)])
  expect((await shop.present(buy, headerOf(first))).status).toBe(200)
  const refused = await shop.present(buy, headerOf(second))
  expectFailed(refused, 409, "DUPLICATE_ORDER")
  expect(refused.text).not.toContain("accepts")
})

it("a stranger who names the payer learns nothing of what they bought", async () => {
  const shop = await openTill()
  const challenge = await shop.challenge(buy)
  expect((await shop.present(buy, headerOf(await payChallenge(challenge)))).status).toBe(200)
  const payment = JSON.parse(Buffer.from(await shop.payFor(buy), "base64").toString()) as {
    payload: { signature: string }
  }
  payment.payload.signature = `0x${"11".repeat(64)}1b`
  const forged = await shop.present(buy, Buffer.from(JSON.stringify(payment)).toString("base64"))
  expect(forged.status).toBe(402)
})

describe("with time", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it("an order can be repeated, and what can be downloaded need not be bought again", async () => {
    const shop = await openTill({ duplicateOrderMillis: 60_000 })
    for (const [, call] of orderCalls)
      expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    vi.setSystemTime(Date.now() + 60_001)
    expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 409, "DUPLICATE_ORDER")
  })

  it("what can't be downloaded any more can be bought again", async () => {
    const vault = { open: async () => ({ body: new Uint8Array(1) }), maxAgeMillis: 60_000 }
    const shop = await openTill({ vault })
    expect((await shop.present(vaultBuy, await shop.payFor(vaultBuy))).status).toBe(200)
    vi.setSystemTime(Date.now() + 60_001)
    expect((await shop.present(vaultBuy, await shop.payFor(vaultBuy))).status).toBe(200)
  })

  it("an order whose refund is due can be repeated", async () => {
    const shop = await openTill()
    const { orderId } = jsonOf(await shop.present(buy, await shop.payFor(buy)))
    await vi.waitFor(async () =>
      expect((await shop.till.orders.find(String(orderId)))?.status).toBe("placed")
    )
    await shop.till.orders.cancel(String(orderId))
    await vi.waitFor(async () =>
      expect((await shop.till.orders.find(String(orderId)))?.status).toBe("refund_due")
    )
    expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
  })
})
