import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import {
  buy,
  type Call,
  challengeOf,
  email,
  expectFailed,
  jsonOf,
  openTill,
  search,
  vaultBuy
} from "../../toll/openTill.ts"
import { openDatabase, sharedFile } from "../vault/openShop.ts"
import { otherPayer, type PayOptions, payer } from "../../toll/wallet.ts"

/*
 * The extension `payment-identifier`: a client names its payment, and finds by that name what became of it.
 */

type Shop = Awaited<ReturnType<typeof openTill>>
interface Extended {
  readonly extensions?: Readonly<Record<string, { readonly info: object; readonly schema: object }>>
}

/** A payment with an id, as the official client adds it. */
const named = async (shop: Shop, call: Call, id: unknown, how: PayOptions = {}): Promise<string> => {
  const payment = JSON.parse(Buffer.from(await shop.payFor(call, how), "base64").toString())
  const extensions = { "payment-identifier": { info: { required: false, id } } }
  return Buffer.from(JSON.stringify({ ...payment, extensions })).toString("base64")
}

const id = "pay_7d5d747be160e280504c099d984bcfe0"
const otherId = "pay_00000000000000000000000000000000"
const receiptOf = ({ headers }: { readonly headers: Headers }) => headers.get("payment-response")

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe.each([
  ["buy", buy],
  ["vault buy", vaultBuy]
])("a payment of %s with an id", (_, call) => {
  it("gets the response of the first one with it, for the same body, and isn't charged", async () => {
    const shop = await openTill()
    const first = await shop.present(call, await named(shop, call, id))
    expect(first.status, first.text).toBe(200)
    const retry = await shop.present(call, await named(shop, call, id))
    expect([retry.status, retry.text, receiptOf(retry)]).toEqual([200, first.text, receiptOf(first)])
    // Also on purpose: the id says that it is the same one.
    expect((await shop.presentAgain(call, await named(shop, call, id))).text).toBe(first.text)
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("gets it in another process, too", async () => {
    const database = openDatabase()
    const [one, other] = [await database.open(), await database.open()]
    const first = await one!.present(call, await named(one!, call, id))
    expect((await other!.present(call, await named(other!, call, id))).text).toBe(first.text)
  })

  it("is 409 for another body", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await named(shop, call, id))).status).toBe(200)
    const another = { ...call, body: { ...Object(call.body), email: "grace@mail.example" } }
    expectFailed(await shop.present(another, await named(shop, another, id)), 409, "PAYMENT_ID_USED")
    expect((await shop.present(another, await named(shop, another, otherId))).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(2)
  })

  it("is sold once with one id for two bodies at the same moment, in two processes", async () => {
    const file = sharedFile()
    const shops = [await file.open(), await file.open()]
    const another = { ...call, body: { ...Object(call.body), email: "grace@mail.example" } }
    const calls = [call, another]
    const payments = await Promise.all(shops.map((shop, index) => named(shop, calls[index]!, id)))
    const responses = await Promise.all(
      shops.map((shop, index) => shop.presentAgain(calls[index]!, payments[index]!))
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = responses.find(({ status }) => status === 409)!
    expectFailed(refused, 409, "PAYMENT_ID_USED")
    expect(shops.flatMap(({ facilitator }) => facilitator.settled)).toHaveLength(1)
  })

  it("is 409 DUPLICATE_ORDER for the same order in other words", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await named(shop, call, id))).status).toBe(200)
    const retry = { ...call, body: { ...Object(call.body), email: email.toUpperCase() } }
    expectFailed(await shop.present(retry, await named(shop, retry, id)), 409, "DUPLICATE_ORDER")
    // On purpose, it takes another id.
    expectFailed(await shop.presentAgain(retry, await named(shop, retry, id)), 409, "PAYMENT_ID_USED")
    expect((await shop.presentAgain(retry, await named(shop, retry, otherId))).status).toBe(200)
  })

  it("never makes a second order by a new id for a retry", async () => {
    const shop = await openTill()
    expect((await shop.present(call, await named(shop, call, id))).status).toBe(200)
    expectFailed(await shop.present(call, await named(shop, call, otherId)), 409, "DUPLICATE_ORDER")
    expect(shop.facilitator.settled).toHaveLength(1)
  })

  it("counts for its payer and operation alone", async () => {
    const shop = await openTill()
    const first = await shop.present(call, await named(shop, call, id))
    const theirs = await shop.present(call, await named(shop, call, id, { account: otherPayer }))
    expect([theirs.status, theirs.text === first.text]).toEqual([200, false])
    const elsewhere = call === buy ? vaultBuy : buy
    expect((await shop.present(elsewhere, await named(shop, elsewhere, id))).status).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(3)
  })

  it("counts for a proven signature alone", async () => {
    const shop = await openTill()
    const first = await shop.present(call, await named(shop, call, id))
    const forged = JSON.parse(Buffer.from(await named(shop, call, id), "base64").toString())
    forged.payload.signature = `0x${"11".repeat(64)}1b`
    const refused = await shop.present(call, Buffer.from(JSON.stringify(forged)).toString("base64"))
    expect(refused.status).toBe(402)
    expect(refused.text).not.toContain(String(Object.values(jsonOf(first))[0]))
  })

  it("is a new one where the first was refused", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    shop.facilitator.settle.returns({ success: false, errorReason: "insufficient_funds", transaction: "" })
    expect((await shop.present(call, await named(shop, call, id))).status).toBe(402)
    shop.facilitator.settle.reset()
    expect((await shop.present(call, await named(shop, call, id))).status).toBe(200)
  })

  it.each(["short", "x".repeat(129), "with spaces in its name", "", 7])(
    "is 400 with the id %j, and nothing is charged",
    async (wrong) => {
      const shop = await openTill()
      const response = await shop.present(call, await named(shop, call, wrong))
      expectFailed(response, 400, "VALIDATION_ERROR")
      expect(shop.facilitator.verify.calls).toEqual([])
    }
  )

  it("is offered by the 402", async () => {
    const shop = await openTill()
    const { extensions } = challengeOf(await shop.send(call)) as Extended
    expect(extensions?.["payment-identifier"]?.info).toEqual({ required: false })
  })

  it("is found by operators", async () => {
    const shop = await openTill()
    await shop.present(call, await named(shop, call, id))
    expect(await shop.till.charges.list({ paymentId: id })).toMatchObject([
      { paymentId: id, state: "settled" }
    ])
    expect(await shop.till.charges.list({ paymentId: id, payer: payer.address })).toHaveLength(1)
    expect(await shop.till.charges.list({ paymentId: otherId })).toEqual([])
  })
})

it("a vault response is sent again by its id as long as by its payment", async () => {
  const shop = await openTill()
  const first = await shop.present(vaultBuy, await named(shop, vaultBuy, id))
  vi.setSystemTime(Date.now() + 9 * 60_000)
  expect((await shop.present(vaultBuy, await named(shop, vaultBuy, id))).text).toBe(first.text)
  vi.setSystemTime(Date.now() + 2 * 60_000)
  const late = await shop.present(vaultBuy, await named(shop, vaultBuy, id))
  expectFailed(late, 409, "DUPLICATE_ORDER")
  expect(late.text).not.toContain("downloadToken")
})

it("other routes ignore an id", async () => {
  const shop = await openTill()
  for (const each of [id, id, "x"])
    expect((await shop.present(search, await named(shop, search, each))).status).toBe(200)
  expect(shop.facilitator.settled).toHaveLength(3)
})

it.each([
  ["buy", buy, 4020],
  ["vault buy", vaultBuy, 2592]
])("the header of the 402 of %s hasn't grown by the offer", async (_, call, before) => {
  const shop = await openTill({ baseUrl: "https://shop.example" })
  const unpaid = await shop.till.fetch(new Request(`https://shop.example${call.path}`, { method: "POST" }))
  expect(unpaid.headers.get("payment-required")!.length).toBeLessThanOrEqual(before)
})
