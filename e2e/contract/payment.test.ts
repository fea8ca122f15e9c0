import { describe, expect, it } from "vitest"
import { calls, type Operation } from "./calls.ts"
import { account, type Deviation, headerOf, pay, readChallenge, signPayment, toHeader } from "./payer.ts"
import { type Call, openShop, requestOf, type Shop } from "./till.ts"

const payable: ReadonlyArray<Operation> = ["search", "shop", "buy", "track", "vaultSearch", "vaultBuy"]

describe("every form of payment is accepted", () => {
  const forms = [
    [1, "X-PAYMENT"],
    [1, "PAYMENT-SIGNATURE"],
    [2, "PAYMENT-SIGNATURE"],
    [2, "X-PAYMENT"]
  ] as const
  describe.each(payable)("by %s", (operation) => {
    it.each(forms)("version %d in %s", async (version, header) => {
      const shop = await openShop()
      const { response } = await pay(shop, calls[operation], { version, header })
      expect(response.status, await response.clone().text()).toBe(200)
      expect(shop.settlements).toHaveLength(1)
    })
  })
})

describe("a paid response", () => {
  it.each(payable)("%s: PAYMENT-RESPONSE is a version-2 payer's receipt", async (operation) => {
    const shop = await openShop()
    const { response } = await pay(shop, calls[operation], { version: 2 })
    expect(headerOf(response, "payment-response")).toMatchObject({
      success: true,
      transaction: shop.settlements[0]?.transaction,
      network: "eip155:84532",
      payer: account.address
    })
    expect(response.headers.has("x-payment-response")).toBe(false)
  })

  it.each(payable)("%s: a version-1 payer gets X-PAYMENT-RESPONSE as well", async (operation) => {
    const shop = await openShop()
    const { response } = await pay(shop, calls[operation], { version: 1 })
    const receipt = { success: true, transaction: shop.settlements[0]?.transaction, payer: account.address }
    expect(headerOf(response, "payment-response")).toMatchObject(receipt)
    expect(headerOf(response, "x-payment-response")).toMatchObject({ ...receipt, network: "base-sepolia" })
  })

  it.each(payable)("%s: can't be stored by a shared cache", async (operation) => {
    const shop = await openShop()
    const { response } = await pay(shop, calls[operation])
    const cacheControl = response.headers.get("cache-control")?.split(/\s*,\s*/)
    expect(cacheControl).toEqual(expect.arrayContaining(["private", "no-store"]))
    expect(
      response.headers
        .get("vary")
        ?.toLowerCase()
        .split(/\s*,\s*/)
    ).toEqual(expect.arrayContaining(["payment-signature", "x-payment"]))
  })
})

/** A refusal: 402 with a fresh challenge and a reason, without a provider call or a settlement. */
const expectPaymentRefused = async (shop: Shop, response: Response) => {
  const { body } = await readChallenge(response)
  expect(body.error).not.toBe("")
  expect(body.accepts).toHaveLength(1)
  expect(headerOf(response, "payment-response")).toMatchObject({
    success: false,
    errorReason: body.error.split(":")[0],
    transaction: "",
    network: expect.stringMatching(/^eip155:\d+$/)
  })
  expect(shop.calls.searchA).toEqual([])
  expect(shop.settlements).toEqual([])
  return body.error
}

const seconds = (offset: number) => String(Math.floor(Date.now() / 1000) + offset)
const stranger = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"

describe("a payment that does not meet the offer is refused with 402", () => {
  const deviations: ReadonlyArray<readonly [string, () => Deviation]> = [
    ["less than the price", () => ({ authorization: { value: "9999" } })],
    ["more than the price", () => ({ authorization: { value: "10001" } })],
    ["to somebody else", () => ({ authorization: { to: stranger } })],
    ["expired", () => ({ authorization: { validBefore: seconds(-1) } })],
    ["about to expire", () => ({ authorization: { validBefore: seconds(2) } })],
    ["not valid yet", () => ({ authorization: { validAfter: seconds(300) } })],
    ["valid for a day", () => ({ authorization: { validBefore: seconds(86_400) } })],
    [
      "amount changed after signing",
      () => ({ authorization: { value: "1" }, afterSigning: { value: "10000" } })
    ],
    ["payer changed after signing", () => ({ afterSigning: { from: stranger } })],
    ["nonce changed after signing", () => ({ afterSigning: { nonce: `0x${"ab".repeat(32)}` } })]
  ]
  describe.each([1, 2] as const)("version %d", (version) => {
    it.each(deviations)("%s", async (_, deviation) => {
      const shop = await openShop()
      const { response } = await pay(shop, calls.search, { version, deviation: deviation() })
      await expectPaymentRefused(shop, response)
    })
    it("on a network that is not offered", async () => {
      const shop = await openShop()
      const { header } = await readChallenge(await shop.send(calls.search))
      const document =
        version === 1 ? { network: "polygon" } : { accepted: { ...header.accepts[0], network: "eip155:137" } }
      const { response } = await pay(shop, calls.search, { version, deviation: { document } })
      await expectPaymentRefused(shop, response)
    })
    it("by a scheme that is not offered", async () => {
      const shop = await openShop()
      const { header } = await readChallenge(await shop.send(calls.search))
      const document =
        version === 1 ? { scheme: "upto" } : { accepted: { ...header.accepts[0], scheme: "upto" } }
      const { response } = await pay(shop, calls.search, { version, deviation: { document } })
      await expectPaymentRefused(shop, response)
    })
  })

  it("in another token", async () => {
    const shop = await openShop()
    const { header } = await readChallenge(await shop.send(calls.search))
    const document = { accepted: { ...header.accepts[0], asset: stranger } }
    const { response } = await pay(shop, calls.search, { deviation: { document } })
    await expectPaymentRefused(shop, response)
  })

  it("made for another resource, according to its own field", async () => {
    const shop = await openShop()
    const document = { resource: { url: "https://shop.example/x402/vault/search" } }
    const { response } = await pay(shop, calls.search, { deviation: { document } })
    await expectPaymentRefused(shop, response)
  })
})

describe("a header that is no payment is refused with 402", () => {
  it.each<[string, string]>([
    ["not base64", "%%%"],
    ["empty JSON text", Buffer.from("").toString("base64")],
    ["base64 of no JSON", Buffer.from("hello").toString("base64")],
    ["null", toHeader(null)],
    ["a number", toHeader(5)],
    ["an array", toHeader([])],
    ["{}", toHeader({})],
    ["version 3", toHeader({ x402Version: 3, scheme: "exact", network: "base-sepolia", payload: {} })],
    ["version 1 without payload", toHeader({ x402Version: 1, scheme: "exact", network: "base-sepolia" })],
    ["version 2 without accepted", toHeader({ x402Version: 2, payload: {} })]
  ])("%s", async (_, value) => {
    for (const header of ["PAYMENT-SIGNATURE", "X-PAYMENT"]) {
      const shop = await openShop()
      await expectPaymentRefused(shop, await shop.send({ ...calls.search, headers: { [header]: value } }))
    }
  })

  it("two different payments at once", async () => {
    const shop = await openShop()
    const challenge = await readChallenge(await shop.send(calls.search))
    const headers = {
      "PAYMENT-SIGNATURE": await signPayment(challenge, 2),
      "X-PAYMENT": await signPayment(challenge, 1)
    }
    await expectPaymentRefused(shop, await shop.send({ ...calls.search, headers }))
  })
})

describe("the facilitator's response", () => {
  it("a payment it reports as invalid is refused with its reason", async () => {
    const shop = await openShop({
      options: {
        facilitator: {
          verify: async () => ({ isValid: false, invalidReason: "insufficient_funds" }),
          settle: () => Promise.reject(new Error("must not be called"))
        }
      }
    })
    const { response } = await pay(shop, calls.search)
    expect(await expectPaymentRefused(shop, response)).toContain("insufficient_funds")
  })

  it("a refused settlement is a 402, and the response is withheld", async () => {
    const shop = await openShop({
      options: {
        facilitator: {
          verify: async () => ({ isValid: true }),
          settle: async () => ({ success: false, errorReason: "insufficient_funds", transaction: "" })
        }
      }
    })
    const { response } = await pay(shop, calls.search)
    const { body } = await readChallenge(response)
    expect(body.error).toContain("insufficient_funds")
    expect(JSON.stringify(body)).not.toContain("Walnut desk lamp")
    expect(headerOf(response, "payment-response")).toMatchObject({
      success: false,
      errorReason: "insufficient_funds",
      payer: account.address.toLowerCase()
    })
  })
})

const paidCall = (call: Call, payment: string) => requestOf(call, { "PAYMENT-SIGNATURE": payment })

describe("one payment buys one request", () => {
  it.each(payable)(
    "%s: the same again gives the same bytes and the same receipt, charged once",
    async (operation) => {
      const shop = await openShop()
      const { again, response } = await pay(shop, calls[operation])
      const replay = await again()
      expect([response.status, replay.status]).toEqual([200, 200])
      expect(await replay.text()).toBe(await response.text())
      expect(replay.headers.get("payment-response")).toBe(response.headers.get("payment-response"))
      expect(shop.settlements).toHaveLength(1)
      const { reply, searchA, track } = shop.calls
      for (const inputs of [reply, searchA, track]) expect(inputs.length).toBeLessThanOrEqual(1)
    }
  )

  it("download: the same again gives the same archive, charged once", async () => {
    const shop = await openShop()
    const { response: bought } = await pay(shop, calls.vaultBuy)
    const { downloadToken, purchaseId } = (await bought.json()) as {
      downloadToken: string
      purchaseId: string
    }
    const call = { path: `/x402/vault/download/${purchaseId}?downloadToken=${downloadToken}` }
    const { again, response } = await pay(shop, call)
    const replay = await again()
    expect([response.status, replay.status]).toEqual([200, 200])
    expect(await replay.bytes()).toEqual(await response.bytes())
    expect(shop.settlements).toHaveLength(2)
  })

  it("buy: the same again places one order", async () => {
    const shop = await openShop()
    const { again, response } = await pay(shop, calls.buy)
    const first = (await response.json()) as { orderId: string }
    const second = (await (await again()).json()) as { orderId: string }
    expect(second.orderId).toBe(first.orderId)
    expect(await shop.till.orders.list()).toHaveLength(1)
  })

  it.each<[string, Call, Call]>([
    ["another query", calls.search, { path: "/x402/search?q=desk" }],
    ["another route of the same price", calls.search, calls.vaultSearch],
    ["another body", calls.shop, { ...calls.shop, body: { message: "a desk" } }],
    ["another shipment", calls.track, { path: "/x402/track?number=OTHER-1" }],
    [
      "another item's buyer",
      calls.vaultBuy,
      { ...calls.vaultBuy, body: { ...calls.vaultBuy.body, email: "eve@example.com" } }
    ]
  ])("%s: 402", async (_, call, other) => {
    for (const version of [1, 2] as const) {
      const shop = await openShop()
      const { again, response } = await pay(shop, call, { version })
      expect(response.status).toBe(200)
      const refused = await again(other)
      const { body } = await readChallenge(refused)
      expect(body.error).toMatch(/another|used/i)
      expect(headerOf(refused, "payment-response")).toMatchObject({
        success: false,
        errorReason: "payment_already_used"
      })
      expect(shop.settlements).toHaveLength(1)
    }
  })

  it("a new signature over a used nonce is refused", async () => {
    const shop = await openShop()
    const { challenge, payment } = await pay(shop, calls.search)
    const document = JSON.parse(Buffer.from(payment, "base64").toString()) as {
      payload: { authorization: { nonce: string } }
    }
    const { nonce } = document.payload.authorization
    const second = await signPayment(challenge, 2, { authorization: { nonce, validBefore: seconds(90) } })
    expect((await shop.till.fetch(paidCall(calls.search, second))).status).toBe(402)
    expect(shop.settlements).toHaveLength(1)
  })

  it("the same query in another order is the same request", async () => {
    const shop = await openShop()
    const { again, response } = await pay(shop, { path: "/x402/search?q=lamp&page=2" })
    const replay = await again({ path: "/x402/search?page=2&q=lamp" })
    expect(replay.status).toBe(200)
    expect(await replay.text()).toBe(await response.text())
    expect(shop.settlements).toHaveLength(1)
  })

  it.each([2, 10])("%d copies at once call the provider once and are charged once", async (count) => {
    const shop = await openShop({
      script: {
        reply: async () => {
          await new Promise((resolve) => setTimeout(resolve, 150))
          return { reply: "Here you are.", products: [] }
        }
      }
    })
    const payment = await signPayment(await readChallenge(await shop.send(calls.shop)), 2)
    const responses = await Promise.all(
      Array.from({ length: count }, () => shop.till.fetch(paidCall(calls.shop, payment)))
    )
    expect(shop.calls.reply).toHaveLength(1)
    expect(shop.settlements).toHaveLength(1)
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200))
    expect(new Set(await Promise.all(responses.map((each) => each.text()))).size).toBe(1)
  })
})
