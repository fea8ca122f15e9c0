import { Effect, Layer } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { memory } from "../../../src/stores/memory.ts"
import { Charges, type NewCharge } from "../../../src/ports/Charges.ts"
import {
  buy,
  type Call,
  challengeOf,
  email,
  expectFailed,
  expectRefused,
  jsonOf,
  openTill,
  shippingAddress,
  vaultBuy
} from "../../toll/openTill.ts"
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
    expect(jsonOf(unpaid)["error"]).toMatch(/send the same payment again, never a new one\. /)
    expect(challengeOf(unpaid).error).not.toMatch(/never a new one/)
  })
})

/** What a client may send when it words its order anew. */
const reworded: ReadonlyArray<readonly [string, Record<string, unknown>]> = [
  ["an empty line2", { shippingAddress: { ...shippingAddress, line2: "" } }],
  ["a ZIP+4", { shippingAddress: { ...shippingAddress, postalCode: `${shippingAddress.postalCode}-1234` } }],
  ["a phone number", { shippingAddress: { ...shippingAddress, phone: "+1 503 555 0100" } }],
  [
    "other letters and spaces",
    {
      email: email.toUpperCase(),
      shippingAddress: { ...shippingAddress, name: " ada  LOVELACE", city: "NEWARK", state: "New Jersey" }
    }
  ],
  [
    "the page instead of the code",
    { asin: undefined, productUrl: "https://www.amazon.com/dp/b000000001?th=1" }
  ]
]

describe.each(reworded)("an order reworded with %s", (_, changes) => {
  const retry: Call = { ...buy, body: { ...Object(buy.body), ...changes } }

  it("is the same order: 409, nothing is charged, and the first payment gets its response", async () => {
    const shop = await openTill()
    const payment = await shop.payFor(buy)
    const first = await shop.present(buy, payment)
    expect(first.status, first.text).toBe(200)
    const refused = await shop.present(retry, await shop.payFor(retry))
    expectFailed(refused, 409, "DUPLICATE_ORDER")
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(await shop.till.orders.list()).toHaveLength(1)
    expect((await shop.present(buy, payment)).text).toBe(first.text)
    // On purpose it is sold, by the payment that was refused.
    expect((await shop.presentAgain(retry, await shop.payFor(retry))).status).toBe(200)
  })
})

it("an order reworded at the same moment is sold once", async () => {
  const file = sharedFile()
  const shops = [await file.open(), await file.open()]
  const retry = { ...buy, body: { ...Object(buy.body), shippingAddress: { ...shippingAddress, line2: "" } } }
  const calls = [buy, retry]
  const payments = await Promise.all(shops.map((shop, index) => shop.payFor(calls[index]!)))
  const responses = await Promise.all(
    shops.map((shop, index) => shop.present(calls[index]!, payments[index]!))
  )
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
  expect(shops.flatMap(({ facilitator }) => facilitator.settled)).toHaveLength(1)
})

it("storefront pages with their query in another order are the same order; another variant isn't", async () => {
  const shop = await openTill()
  const pageOf = (query: string): Call => ({
    ...buy,
    body: { shippingAddress, email, productUrl: `https://tote.example/products/tote?${query}` }
  })
  const first = pageOf("variant=4001&colour=red")
  expect((await shop.present(first, await shop.payFor(first))).status).toBe(200)
  const same = pageOf("colour=red&variant=4001")
  expectFailed(await shop.present(same, await shop.payFor(same)), 409, "DUPLICATE_ORDER")
  const another = pageOf("colour=red&variant=4002")
  expect((await shop.present(another, await shop.payFor(another))).status).toBe(200)
})

/** A till that shows what its store is asked to claim. */
const openSpied = async () => {
  const claimed: Array<NewCharge> = []
  const storage = Layer.effect(
    Charges,
    Effect.map(Charges, (store) =>
      Charges.of({
        ...store,
        claim: (charge, ...others) => {
          claimed.push(charge)
          return store.claim(charge, ...others)
        }
      })
    )
  ).pipe(Layer.provideMerge(memory()))
  return { claimed, shop: await openTill({ storage }) }
}

it("a payment that was refused as a repetition is recorded as one that guards nothing", async () => {
  const { claimed, shop } = await openSpied()
  expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
  const second = JSON.parse(Buffer.from(await shop.payFor(buy), "base64").toString())
  second.extensions = {
    "payment-identifier": { info: { required: false, id: "pay_7d5d747be160e280504c099d984bcfe0" } }
  }
  const header = Buffer.from(JSON.stringify(second)).toString("base64")
  expectFailed(await shop.present(buy, header), 409, "DUPLICATE_ORDER")
  const [, asked, refused] = claimed
  expect(asked).toMatchObject({ repeatKey: claimed[0]!.repeatKey, paymentId: expect.stringMatching(/^pay_/) })
  expect(refused).toMatchObject({ repeatKey: "", paymentId: "", exposureAtomic: "0" })
})

it("the store gets no text of an order, only its keyed digest", async () => {
  const { claimed, shop } = await openSpied()
  expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
  expect(claimed.map(({ repeatKey }) => repeatKey)).toEqual([expect.stringMatching(/^\w+:[\w-]{43}$/)])
  for (const text of [email, ...Object.values(shippingAddress).filter(({ length }) => length > 2)])
    expect(JSON.stringify(claimed).toLowerCase()).not.toContain(text.toLowerCase())
})

it("the payment that was refused as a repetition buys on purpose, and is watched until then", async () => {
  const shop = await openTill()
  expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
  const second = await shop.payFor(buy)
  expectFailed(await shop.present(buy, second), 409, "DUPLICATE_ORDER")
  expect(
    (await shop.till.charges.list({ state: "voided" })).map(({ amountAtomic }) => amountAtomic > 0n)
  ).toEqual([true])
  expectFailed(await shop.present(buy, second), 409, "DUPLICATE_ORDER")
  const bought = await shop.presentAgain(buy, second)
  expect(bought.status, bought.text).toBe(200)
  expect((await shop.present(buy, second)).text).toBe(bought.text)
  expect(shop.facilitator.settled).toHaveLength(2)
})

it("a wallet without money after its first payment isn't asked for another one", async () => {
  const shop = await openTill({ limits: { failedPayerMillis: 60_000 } })
  expect((await shop.present(buy, await shop.payFor(buy))).status).toBe(200)
  shop.facilitator.rejectsVerification("insufficient_funds")
  // Also while the failure is remembered.
  for (let time = 0; time < 2; time++) {
    const refused = await shop.present(buy, await shop.payFor(buy))
    expectFailed(refused, 409, "DUPLICATE_ORDER")
    expect(refused.text).not.toContain("accepts")
  }
})

describe("the payment of a contract wallet, whose signature can't be checked here", () => {
  /** Longer than that of an ordinary account. */
  const ofContract = async (shop: Awaited<ReturnType<typeof openTill>>, id?: string) => {
    const payment = JSON.parse(Buffer.from(await shop.payFor(buy), "base64").toString())
    payment.payload.signature = `0x${"11".repeat(100)}`
    if (id !== undefined) payment.extensions = { "payment-identifier": { info: { required: false, id } } }
    return Buffer.from(JSON.stringify(payment)).toString("base64")
  }
  const id = "pay_7d5d747be160e280504c099d984bcfe0"

  it("learns nothing where it is refused, but is refused as a repetition once the facilitator verified it", async () => {
    const shop = await openTill()
    const { orderId } = jsonOf(await shop.present(buy, await shop.payFor(buy)))
    shop.facilitator.rejectsVerification("invalid_payment")
    const refused = await shop.present(buy, await ofContract(shop))
    expectRefused(refused, "invalid_payment")
    expect(refused.text).not.toContain(String(orderId))
    shop.facilitator.verify.reset()
    expectFailed(await shop.present(buy, await ofContract(shop)), 409, "DUPLICATE_ORDER")
  })

  it("gets no response of another payment by its id", async () => {
    const shop = await openTill()
    const first = await shop.present(buy, await ofContract(shop, id))
    expect(first.status, first.text).toBe(200)
    const second = await shop.present(buy, await ofContract(shop, id))
    expectFailed(second, 409, "DUPLICATE_ORDER")
    expect(second.text).not.toContain("processing")
    expect(shop.facilitator.settled).toHaveLength(1)
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
    const vault = { open: async () => ({ body: Buffer.from("PK") }), maxAgeMillis: 60_000 }
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
