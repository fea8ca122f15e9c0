import { describe, expect, it, vi } from "vitest"
import type { Hex } from "../../src/domain/Hex.ts"
import {
  readResponse,
  buy,
  type Call,
  downloadOf,
  expectRefused,
  jsonOf,
  openTill,
  receiptOf,
  search,
  shop,
  track,
  vaultBuy,
  vaultSearch,
  workDone,
  withoutExample
} from "./openTill.ts"
import { headerOf, nextNonce, otherPayer, payChallenge } from "./wallet.ts"

const calls: ReadonlyArray<readonly [string, Call]> = [
  ["search", search],
  ["shop", shop],
  ["track", track],
  ["buy", buy],
  ["vault search", vaultSearch],
  ["vault buy", vaultBuy]
]

describe.each(calls)("copies of one payment for %s", (_, call) => {
  it("run once, settle once and all get the same response", async () => {
    const shop = await openTill()
    shop.facilitator.delays(20)
    const payment = await shop.payFor(call)
    const responses = await Promise.all(Array.from({ length: 50 }, () => shop.present(call, payment)))
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1)
    expect(new Set(responses.map(({ headers }) => JSON.stringify([...headers]))).size).toBe(1)
    expect(shop.facilitator.verify.calls).toHaveLength(1)
    expect(shop.facilitator.settle.calls).toHaveLength(1)
    expect(receiptOf(responses[0]!).transaction).toBe(shop.facilitator.settled[0]!.transaction)
    expect(await shop.till.charges.list()).toHaveLength(1)
    // Much later: the same response again.
    if (call === buy) await vi.waitFor(() => expect(shop.fulfilment.orders.size).toBe(1))
    const work = workDone(shop)
    expect((await shop.present(call, payment)).text).toBe(responses[0]!.text)
    expect(workDone(shop)).toBe(work)
  })
})

it("copies of one payment for a download give the same archive, opened anew for each", async () => {
  const shop = await openTill()
  const bought = jsonOf(await shop.present(vaultBuy, await shop.payFor(vaultBuy)))
  const download = downloadOf(String(bought["purchaseId"]), String(bought["downloadToken"]))
  const payment = await shop.payFor(download)
  const responses = await Promise.all(Array.from({ length: 10 }, () => shop.present(download, payment)))
  expect(new Set(responses.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(responses[0]!.text).toMatch(/^PK/)
  expect(shop.facilitator.settled).toHaveLength(2)
})

describe("a payment that has bought a response", () => {
  const elsewhere: ReadonlyArray<readonly [string, Call, Call]> = [
    ["another route of the same price", search, vaultSearch],
    ["another query", search, { path: "/x402/search?q=tote%20bag" }],
    ["another page", search, { path: "/x402/search?q=tote&page=2" }],
    ["another body", shop, { path: "/x402/shop", body: { message: "a bag for book" } }],
    ["a dearer route", search, track]
  ]
  it.each(elsewhere)("buys nothing at %s", async (_, first, second) => {
    const shop = await openTill()
    const payment = await shop.payFor(first, { withoutResource: true })
    expect((await shop.present(first, payment)).status).toBe(200)
    const work = workDone(shop)
    expectRefused(await shop.present(second, payment), "payment_already_used")
    expect(workDone(shop)).toBe(work)
    expect(shop.facilitator.settle.calls).toHaveLength(1)
  })

  it("buys nothing for the same request spelt as the other version with another signature", async () => {
    const shop = await openTill()
    const challenge = await shop.challenge(search)
    const nonce = nextNonce()
    const first = await payChallenge(challenge, { authorization: { nonce } })
    expect((await shop.present(search, headerOf(first))).status).toBe(200)
    const again = await payChallenge(challenge, { version: 1, authorization: { nonce, validAfter: "0" } })
    expectRefused(await shop.present(search, headerOf(again)), "payment_already_used")
  })

  const forgeries: ReadonlyArray<readonly [string, (signature: Hex) => Hex]> = [
    ["a made-up signature", () => `0x${"11".repeat(64)}1b`],
    ["a signature with a byte behind it", (signature) => `${signature}00`],
    ["the other spelling of the signature", (signature) => `0x${signature.slice(2, 130)}00`]
  ]
  it.each(forgeries)(
    "returns nothing to a caller that knows payer and nonce and sends %s",
    async (_, forge) => {
      const shop = await openTill()
      const payment = await payChallenge(await shop.challenge(track))
      const response = await shop.present(track, headerOf(payment))
      expect(response.status).toBe(200)
      const { payload } = payment
      const forged = { ...payment, payload: { ...payload, signature: forge(payload.signature) } }
      const refused = await shop.present(track, headerOf(forged))
      expectRefused(refused, "payment_already_used")
      expect(withoutExample(refused)).not.toContain("InTransit")
    }
  )
})

describe("the same request", () => {
  const spellings: ReadonlyArray<readonly [string, Call, Call]> = [
    [
      "in another order of the query, with parameters that nobody knows",
      { path: "/x402/search?q=tote&priceMin=5&page=1" },
      { path: "/x402/search?utm=x&page=1&priceMin=5.0&q=tote&_=1" }
    ],
    ["with a default spelled out", search, { path: "/x402/search?q=tote&page=1" }],
    ["escaped otherwise", { path: "/x402/search?q=a%20b" }, { path: "/x402/search?q=a+b" }],
    [
      "with the keys of its body in another order, and one that nobody knows",
      { path: "/x402/shop", body: { message: "hi", context: { priceRange: { min: 1, max: 2 } } } },
      { path: "/x402/shop", body: { x: 1, context: { priceRange: { max: 2, min: 1 } }, message: "hi" } }
    ]
  ]
  it.each(spellings)("%s is the same request", async (_, first, second) => {
    const shop = await openTill()
    const payment = await shop.payFor(first)
    const response = await shop.present(first, payment)
    expect(response.status, response.text).toBe(200)
    const again = await shop.present(second, payment)
    expect([again.status, again.text]).toEqual([200, response.text])
    expect(shop.facilitator.settle.calls).toHaveLength(1)
  })

  it("below the prefix and without it is the same request", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(search)
    const response = await shop.present(search, payment)
    const bare = new Request(`http://127.0.0.1${search.path}`, { headers: { "x-payment": payment } })
    expect((await readResponse(await shop.till.fetch(bare))).text).toBe(response.text)
  })
})

describe("an unspent payment", () => {
  it("that names another resource buys nothing, and is still good where it belongs", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(search)
    expectRefused(await shop.present(vaultSearch, payment), "resource_mismatch")
    expect(workDone(shop)).toBe(0)
    expect((await shop.present(search, payment)).status).toBe(200)
  })

  it("is bound to the request that presents it first, of two at once", async () => {
    const shop = await openTill()
    shop.facilitator.delays(20)
    const payment = await shop.payFor(search, { withoutResource: true })
    const other: Call = { path: "/x402/search?q=other" }
    const responses = await Promise.all([shop.present(search, payment), shop.present(other, payment)])
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 402])
    expect(shop.marketplace.search.calls).toHaveLength(1)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("with a wrong signature claims nothing: the payer's own goes through", async () => {
    const shop = await openTill()
    const payment = await payChallenge(await shop.challenge(search))
    const { authorization } = payment.payload
    const stolen = await payChallenge(await shop.challenge(search), { account: otherPayer, authorization })
    expectRefused(await shop.present(search, headerOf(stolen)), "invalid_exact_evm_payload_signature")
    expect(shop.facilitator.verify.calls).toHaveLength(0)
    expect((await shop.present(search, headerOf(payment))).status).toBe(200)
  })

  it("is not claimed for an invalid request", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(search)
    expect((await shop.present({ path: "/x402/search?q=" }, payment)).status).toBe(400)
    expect((await shop.present({ path: "/x402/search?q=tote&page=0" }, payment)).status).toBe(400)
    expect(await shop.till.charges.list()).toEqual([])
    expect((await shop.present(search, payment)).status).toBe(200)
  })
})
