import { describe, expect, it } from "vitest"
import { fakeFacilitator } from "../../../testing/src/index.ts"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import {
  buy,
  type Call,
  challengeOf,
  email,
  expectFailed,
  expectRefused,
  jsonOf,
  openTill,
  type OpenOptions,
  receiptOf,
  search,
  shop as ask,
  track,
  workDone
} from "./openTill.ts"
import { devnet, feePayer, paySolana, solanaPayTo, thief, tokenAccountOf, wallet } from "./solana.ts"
import { headerOf, payChallenge } from "./wallet.ts"

const onSolana = { network: "solana-devnet", payTo: solanaPayTo }

/** A till on Base Sepolia and Solana's devnet, with a facilitator for both. */
const openBoth = async (options: OpenOptions = {}) => {
  const facilitator = fakeFacilitator({ networks: ["eip155:84532", devnet.caip2, "solana-devnet"] })
  const till = await openTill({ networks: ["base-sepolia", onSolana], facilitator, ...options })
  return { ...till, facilitator }
}

describe("a 402 on two rails", () => {
  it("offers both in the version-1 body and in the version-2 header", async () => {
    const shop = await openBoth()
    const unpaid = await shop.send(search)
    const { accepts } = jsonOf(unpaid) as { accepts: ReadonlyArray<Record<string, unknown>> }
    expect(accepts.map(({ network, payTo }) => [network, payTo])).toEqual([
      ["base-sepolia", "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"],
      ["solana-devnet", solanaPayTo]
    ])
    expect(accepts[1]).toMatchObject({ asset: devnet.asset, maxAmountRequired: "10000", extra: { feePayer } })
    const header = challengeOf(unpaid)
    expect(header.accepts.map(({ network }) => network)).toEqual(["eip155:84532", devnet.caip2])
    expect(header.accepts[1]).toEqual({
      scheme: "exact",
      network: devnet.caip2,
      amount: "10000",
      asset: devnet.asset,
      payTo: solanaPayTo,
      maxTimeoutSeconds: 120,
      extra: { feePayer }
    })
  })

  it("names the quote in the memo of buy", async () => {
    const shop = await openBoth()
    const { accepts } = await shop.challenge(buy)
    const { quoteId } = accepts[0]!.extra
    expect(quoteId).toMatch(/^[0-9a-f-]{36}$/)
    // No longer than the id: the header has no room to lose.
    expect(accepts[1]!.extra["memo"]).toBe(`buy:${quoteId!.replaceAll("-", "")}`)
    expect(accepts[0]!.extra["memo"]).toBeUndefined()
  })

  it("leaves Solana out until the facilitator names its fee payer, and warns", async () => {
    const shop = await openBoth({ facilitator: fakeFacilitator({ networks: ["eip155:84532"] }) })
    const { accepts } = await shop.challenge(search)
    expect(accepts.map(({ network }) => network)).toEqual(["eip155:84532"])
    expect(shop.events.filter(({ code }) => code === "fee_payer_unknown")).toMatchObject([
      { level: "warning", network: devnet.caip2 }
    ])
    const payment = paySolana({
      resource: { url: "" },
      accepts: (await (await openBoth()).challenge(search)).accepts
    })
    expectRefused(await shop.present(search, payment), "unsupported_scheme_or_network")
  })

  it("offers Solana alone, to a payTo there", async () => {
    const shop = await openBoth({ networks: ["solana-devnet"], payTo: solanaPayTo })
    const { accepts } = await shop.challenge(search)
    expect(accepts.map(({ network, payTo }) => [network, payTo])).toEqual([[devnet.caip2, solanaPayTo]])
  })
})

describe("a payment on Solana", () => {
  it("that has settled gets its response where no fee payer is known at that moment", async () => {
    const { storage } = sharedDatabase()
    const options: OpenOptions = { settlement: { track: "before-work" } }
    const before = await openBoth({ ...options, storage: storage() })
    before.tracker.track.failsWith(new Error("reset by peer"))
    const payment = paySolana(await before.challenge(track))
    expectFailed(await before.present(track, payment), 502, "TRACKING_PROVIDER_ERROR")
    expect(before.facilitator.settled).toHaveLength(1)
    await before.till.dispose()

    const facilitator = fakeFacilitator({ networks: ["eip155:84532"] })
    const after = await openBoth({ ...options, facilitator, storage: storage() })
    const { accepts } = await after.challenge(track)
    expect(accepts.map(({ network }) => network)).toEqual(["eip155:84532"])
    const response = await after.present(track, payment)
    expect(response.status, response.text).toBe(200)
    expect(facilitator.settle.calls).toEqual([])
  })

  it.each([1, 2] as const)("of version %s buys its response, once", async (version) => {
    const shop = await openBoth()
    const payment = paySolana(await shop.challenge(search), { version })
    const response = await shop.present(search, payment)
    expect(response.status, response.text).toBe(200)
    expect(shop.facilitator.settled).toMatchObject([{ payTo: solanaPayTo, amountAtomic: "10000" }])
    expect(receiptOf(response)).toMatchObject({
      transaction: shop.facilitator.settled[0]!.transaction,
      payer: wallet.address
    })
    expect(await shop.present(search, payment)).toMatchObject({ status: 200, text: response.text })
    expect(workDone(shop)).toBe(1)
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(await shop.till.charges.list({ limit: 10 })).toMatchObject([
      { state: "settled", network: devnet.caip2, payer: wallet.address }
    ])
  })

  it("is the same payment in another encoding, and buys one request", async () => {
    const shop = await openBoth()
    const challenge = await shop.challenge(search)
    const blockhash = tokenAccountOf(thief.address)
    const paid = paySolana(challenge, { transaction: { blockhash } })
    const signed = { blockhash, feePayerSignature: new Uint8Array(64).fill(3) }
    const again = paySolana(challenge, { transaction: signed })
    expect(again).not.toBe(paid)
    const first = await shop.present(search, paid)
    expect(await shop.present(search, again)).toMatchObject({ status: 200, text: first.text })
    expectRefused(await shop.present({ path: "/x402/search?q=other" }, again), "payment_already_used")
    expect(workDone(shop)).toBe(1)
  })

  it("that repeats an order in other words is refused once it is verified, and for a used-up quote gets a new price", async () => {
    const shop = await openBoth()
    const challenge = await shop.challenge(buy)
    const first = await shop.present(buy, paySolana(challenge))
    expect(first.status, first.text).toBe(200)
    const reworded = { ...buy, body: { ...Object(buy.body), email: email.toUpperCase() } }
    expect((await shop.present(buy, paySolana(challenge))).status).toBe(402)
    for (const call of [buy, reworded])
      expectFailed(await shop.present(call, paySolana(await shop.challenge(call))), 409, "DUPLICATE_ORDER")
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("is settled by the fee payer that it was signed for", async () => {
    const shop = await openBoth()
    expect((await shop.present(search, paySolana(await shop.challenge(search)))).status).toBe(200)
    const [, requirements] = shop.facilitator.settle.calls[0]!
    expect(requirements).toMatchObject({ network: devnet.caip2, extra: { feePayer } })
  })

  it("lost on its way from the facilitator stays pending, and is settled by a retry", async () => {
    const shop = await openBoth()
    const payment = paySolana(await shop.challenge(search))
    shop.facilitator.losesNextSettlement(false)
    expectFailed(await shop.present(search, payment), 503, "SETTLEMENT_PENDING")
    expect((await shop.present(search, payment)).status).toBe(200)
    expect(workDone(shop)).toBe(1)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("leaves payments on EVM as they are", async () => {
    const shop = await openBoth()
    const payment = headerOf(await payChallenge(await shop.challenge(track), { option: 0 }))
    expect((await shop.present(track, payment)).status).toBe(200)
    expect(shop.facilitator.settled).toMatchObject([{ network: "eip155:84532" }])
  })
})

const random = "00112233445566778899aabbccddeeff"
/** The same product at the same price, for another address. */
const otherBuy: Call = { ...buy, body: { ...Object(buy.body), email: "mallory@mail.example" } }
const memosSent = ({ facilitator }: Awaited<ReturnType<typeof openBoth>>): ReadonlyArray<unknown> =>
  [...facilitator.verify.calls, ...facilitator.settle.calls].flatMap(([payment, { extra }]) => [
    extra?.["memo"],
    (payment as { accepted?: { extra: Record<string, string> } }).accepted?.extra["memo"]
  ])

describe("a payment on Solana for buy", () => {
  it.each([
    [2, "with the memo of its quote", undefined],
    [1, "without a memo, as x402-fetch makes it", null],
    [2, "without a memo, as x402-solana makes it", null],
    [2, "with a random memo, as agentcash makes it", random]
  ] as const)("of version %s %s is verified and settled by what it has", async (version, _, memo) => {
    const shop = await openBoth()
    const challenge = await shop.challenge(buy)
    const payment = paySolana(challenge, { version, ...(memo === undefined ? {} : { transfer: { memo } }) })
    const bought = await shop.present(buy, payment)
    expect(bought.status, bought.text).toBe(200)
    const named = memo === undefined ? challenge.accepts[1]!.extra["memo"] : undefined
    expect(memosSent(shop)).toEqual([named, named, named, named])
    expect(await shop.till.orders.list()).toMatchObject([
      { chargeKey: expect.stringContaining(wallet.address) }
    ])
    // Its response was lost on the way to the client.
    expect(await shop.present(buy, payment)).toMatchObject({ status: 200, text: bought.text })
    expectRefused(await shop.present(otherBuy, payment), "payment_already_used")
    expect(await shop.till.orders.list()).toHaveLength(1)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("without a memo, presented for two requests at once, buys one of them", async () => {
    const shop = await openBoth()
    const payment = paySolana(await shop.challenge(buy), { version: 1, transfer: { memo: null } })
    await shop.challenge(otherBuy)
    const responses = await Promise.all([buy, otherBuy].map((call) => shop.present(call, payment)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 402])
    expectRefused(
      responses.find(({ status }) => status === 402)!,
      "payment_already_used"
    )
    expect(await shop.till.orders.list()).toHaveLength(1)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("without a memo names its quote as on EVM: by accepted, if the client repeats it", async () => {
    const shop = await openBoth()
    const other = await shop.challenge(otherBuy)
    await shop.challenge(buy)
    const payment = paySolana(other, { transfer: { memo: null } })
    expectRefused(await shop.present(buy, payment), "quote_expired")
    expect((await shop.present(otherBuy, payment)).status).toBe(200)
  })

  it("with the memo of another quote buys nothing, here and at a fixed price", async () => {
    const shop = await openBoth()
    await shop.challenge(buy)
    // Of version 1, which repeats no quote: only the signed memo names it.
    const payment = paySolana(await shop.challenge(otherBuy), { version: 1 })
    expectRefused(await shop.present(buy, payment), "invalid_exact_svm_payload_memo_mismatch")
    const { accepts, resource } = await shop.challenge(search)
    const memo = (await shop.challenge(otherBuy)).accepts[1]!.extra["memo"]!
    const sameAmount = paySolana({ accepts, resource }, { version: 1, transfer: { memo } })
    expectRefused(await shop.present(search, sameAmount), "invalid_exact_svm_payload_memo_mismatch")
    expect(workDone(shop)).toBe(0)
    expect(shop.facilitator.verify.calls).toHaveLength(0)
    expect((await shop.present(otherBuy, payment)).status).toBe(200)
  })

  it("without a memo is the same payment within one blockhash, and another one in the next", async () => {
    const shop = await openBoth()
    const pay = async (call: Call, block: string) => {
      const transaction = { blockhash: tokenAccountOf(block) }
      return paySolana(await shop.challenge(call), { version: 1, transfer: { memo: null }, transaction })
    }
    const [first, second, third] = [
      await pay(buy, wallet.address),
      await pay(otherBuy, wallet.address),
      await pay(otherBuy, thief.address)
    ]
    expect(second).toBe(first)
    expect((await shop.present(buy, first)).status).toBe(200)
    expectRefused(await shop.present(otherBuy, second), "payment_already_used")
    expect((await shop.present(otherBuy, third)).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(2)
  })

  it("without a memo is settled by a later process with what was stored", async () => {
    const { storage } = sharedDatabase()
    const before = await openBoth({ storage: storage() })
    const payment = paySolana(await before.challenge(buy), { transfer: { memo: null } })
    before.facilitator.losesNextSettlement(false)
    expectFailed(await before.present(buy, payment), 503, "SETTLEMENT_PENDING")
    await before.till.dispose()
    const after = await openBoth({ storage: storage() })
    expect((await after.present(buy, payment)).status).toBe(200)
    expect(after.facilitator.settled).toHaveLength(1)
    expect(memosSent(after)).toEqual([undefined, undefined])
    expect(await after.till.orders.list()).toHaveLength(1)
  })
})

describe("nothing is done for a payment on Solana", () => {
  it.each([
    ["to another account", { destination: tokenAccountOf(thief.address) }, "payload_recipient_mismatch"],
    ["in another token", { mint: tokenAccountOf(thief.address) }, "payload_mint_mismatch"],
    ["of another amount", { amount: 1n }, "payload_amount_mismatch"],
    ["that another wallet should pay", { authority: thief.address }, "payload_no_transfer_instruction"]
  ])("%s", async (_, transfer, code) => {
    const shop = await openBoth()
    const payment = paySolana(await shop.challenge(search), { transfer })
    expectRefused(await shop.present(search, payment), `invalid_exact_svm_${code}`)
    expect(workDone(shop)).toBe(0)
    expect(shop.facilitator.verify.calls).toHaveLength(0)
  })

  it("that isn't signed by its payer", async () => {
    const shop = await openBoth()
    const challenge = await shop.challenge(ask)
    const header = JSON.parse(Buffer.from(paySolana(challenge), "base64").toString())
    const bytes = Buffer.from(header.payload.transaction, "base64")
    bytes[70]! ^= 1
    header.payload.transaction = bytes.toString("base64")
    const forged = Buffer.from(JSON.stringify(header)).toString("base64")
    expectRefused(await shop.present(ask, forged), "invalid_exact_svm_payload_signature_invalid")
    expect(workDone(shop)).toBe(0)
  })

  it("that is no transaction, or names an EVM network", async () => {
    const shop = await openBoth()
    const challenge = await shop.challenge(search)
    const header = JSON.parse(Buffer.from(paySolana(challenge), "base64").toString())
    const present = (change: object) =>
      shop.present(search, Buffer.from(JSON.stringify({ ...header, ...change })).toString("base64"))
    expectRefused(await present({ payload: { transaction: "AAAA" } }), "invalid_payload")
    const { accepted } = header
    expectRefused(await present({ accepted: { ...accepted, network: "eip155:84532" } }), "invalid_network")
  })
})
