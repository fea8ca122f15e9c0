import type { TreasuryOptions } from "@till402/providers/treasury"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { usdc } from "../treasury/fakeNode.ts"
import { account, rejectionOf, startTreasury } from "../treasury/treasuries.ts"
import { context, request } from "./shop.ts"
import { server, amount, start } from "./payments.ts"

interceptRequests(server)

const unreachable = () => HttpResponse.error()

describe("placing an order", () => {
  it("pays Crossmint's order and reports the transaction", async () => {
    const { first, paid, place, upstream } = start()
    const { reference } = await place()
    assert.strictEqual(reference, first().orderId)
    assert.deepStrictEqual([paid(), upstream.goods], [amount, [reference]])
    const notified = upstream.received.find(({ path }) => path.endsWith("/payment"))!
    assert.strictEqual(notified.path, `/api/2022-06-09/orders/${reference}/payment`)
    assert.match(JSON.stringify(notified.body), /^\{"type":"crypto-tx-id","txId":"0x[0-9a-f]{64}"\}$/)
  })

  it("isn't stopped by quotes that anybody can make fail, for goods of a shop that doesn't respond", async () => {
    const { place, quote, upstream } = start()
    const { reference } = await quote()
    for (let count = 0; count < 5; count++) {
      upstream.replies.push(() => HttpResponse.json({}, { status: 504 }))
      await rejectionOf(quote({ email: `${count}@example.com` }))
    }
    assert.deepStrictEqual(await place(), { reference })
  })

  it("again pays nothing, and returns the same", async () => {
    const { node, paid, place, upstream } = start()
    const placed = await place()
    assert.deepStrictEqual(await place(), placed)
    assert.deepStrictEqual([paid(), node.sent.length, upstream.goods.length], [amount, 1, 1])
    assert.strictEqual(upstream.count("POST", /payment$/), 1)
  })

  it("ten times at once pays once", async () => {
    const { node, paid, place, quote, upstream } = start()
    await quote()
    const all = await Promise.all(Array.from({ length: 10 }, () => place()))
    assert.strictEqual(new Set(all.map(({ reference }) => reference)).size, 1)
    assert.deepStrictEqual([paid(), node.nonceOf(account.address), upstream.goods.length], [amount, 1, 1])
  })

  it("does not report what Crossmint has seen", async () => {
    const { place, upstream } = start()
    upstream.isListening = true
    await place()
    assert.deepStrictEqual([upstream.count("POST", /payment$/), upstream.goods.length], [0, 1])
  })

  it("accepts the transaction that Crossmint credits, however it is written", async () => {
    const { first, journal, place, upstream } = start()
    upstream.isListening = true
    const { reference } = await place()
    const { transaction } = journal.records()[0]!
    first().payment.received = { amount: "97.35", currency: "usdc", txId: transaction.toUpperCase() }
    assert.deepStrictEqual(await place(), { reference })
  })

  it("leaves an order to the operator that Crossmint credits to another transaction", async () => {
    const { first, paid, place, quote, shop, upstream } = start()
    await quote()
    upstream.replies.push(undefined, (act) => {
      first().payment.received = { amount: "97.35", currency: "usdc", txId: `0x${"ab".repeat(32)}` }
      return act()
    })
    assert.strictEqual((await rejectionOf(place()))._tag, "OtherPayment")
    assert.strictEqual(paid(), amount)
    assert.strictEqual((await rejectionOf(shop.find("order-1")))._tag, "OtherPayment")
    assert.strictEqual(upstream.count("POST", /payment$/), 0)
  })

  it("pays nothing if Crossmint was already paid, and doesn't say that it placed the order", async () => {
    const { first, node, place, quote, shop } = start()
    const { reference } = await quote()
    assert.isUndefined(await shop.find("order-1", { reference }))
    for (const change of [{ status: "in-progress" }, { status: "completed" }]) {
      Object.assign(first().payment, change)
      assert.strictEqual((await rejectionOf(place()))._tag, "OtherPayment")
      // Nor that it was never placed: it would be refunded, and the parcel is on its way.
      assert.strictEqual((await rejectionOf(shop.find("order-1", { reference })))._tag, "OtherPayment")
    }
    assert.strictEqual(node.sent.length, 0)
  })

  it("pays nothing if Crossmint refunded the payment", async () => {
    const { first, node, place, quote } = start()
    await quote()
    first().payment.refunded = { amount: "97.35", currency: "usdc", txId: "0x1", chain: "base-sepolia" }
    assert.strictEqual((await rejectionOf(place()))._tag, "OtherPayment")
    assert.strictEqual(node.sent.length, 0)
  })
})

describe("placing an order after an outcome that is not known", () => {
  it("finds the payment whose sending was cut off, and pays once", async () => {
    const { node, paid, place, shop, upstream } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "lost" })
    assert.strictEqual((await rejectionOf(place()))._tag, "TemporarilyUnavailable")
    const { reference } = await place()
    assert.deepStrictEqual([paid(), upstream.goods], [amount, [reference]])
    assert.strictEqual(await shop.find("order-1"), reference)
  })

  it("sends the payment that never left, and pays once", async () => {
    const { node, paid, place } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    assert.strictEqual((await rejectionOf(place()))._tag, "TemporarilyUnavailable")
    await place()
    assert.deepStrictEqual([paid(), node.nonceOf(account.address)], [amount, 1])
  })

  it("brings a payment that was begun to its end by looking for it", async () => {
    const { first, node, paid, place, shop, upstream } = start()
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(place())
    assert.strictEqual(await shop.find("order-1"), first().orderId)
    assert.deepStrictEqual([paid(), node.nonceOf(account.address)], [amount, 1])
    assert.deepStrictEqual(upstream.goods, [first().orderId])
  })

  it("looks in vain while the payment is not on the chain", async () => {
    const { node, place, shop } = start()
    node.isMining = false
    await rejectionOf(place())
    const { _tag, code } = await rejectionOf(shop.find("order-1"))
    assert.deepStrictEqual([_tag, code], ["TemporarilyUnavailable", "PaymentPending"])
  })

  it("is placed only once Crossmint has seen its payment", async () => {
    const { paid, place, shop, upstream } = start()
    // Accepted, and not seen: Crossmint's node doesn't have the transaction yet.
    upstream.replies.push(undefined, undefined, undefined, () => HttpResponse.json({}))
    assert.deepInclude(await rejectionOf(place()), { _tag: "TemporarilyUnavailable", code: "PaymentNotSeen" })
    assert.deepStrictEqual([paid(), upstream.goods.length], [amount, 0])
    const reference = await shop.find("order-1")
    assert.deepStrictEqual(upstream.goods, [reference])
    assert.deepStrictEqual(await place(), { reference })
    assert.strictEqual(paid(), amount)
  })

  it("reports a payment to Crossmint when it is looked up", async () => {
    const { paid, place, shop, upstream } = start()
    upstream.replies.push(undefined, undefined, undefined, unreachable)
    await rejectionOf(place())
    assert.deepStrictEqual([paid(), upstream.goods.length], [amount, 0])
    const reference = await shop.find("order-1")
    assert.deepStrictEqual(upstream.goods, [reference])
  })

  it("reports a payment to Crossmint that could not be reported before", async () => {
    const { paid, place, upstream } = start()
    upstream.replies.push(undefined, undefined, undefined, unreachable)
    assert.strictEqual((await rejectionOf(place()))._tag, "TemporarilyUnavailable")
    assert.deepStrictEqual([paid(), upstream.goods], [amount, []])
    const { reference } = await place()
    assert.deepStrictEqual([paid(), upstream.goods], [amount, [reference]])
  })

  it("accepts a refused report if Crossmint has seen the payment", async () => {
    const { paid, place, upstream } = start()
    upstream.replies.push(undefined, undefined, undefined, (act) => {
      act()
      return HttpResponse.json({ error: true, message: "already paid" }, { status: 409 })
    })
    await place()
    assert.strictEqual(paid(), amount)
  })

  it("fails if Crossmint refuses the report and has seen nothing, and completes later without paying again", async () => {
    const { node, paid, place, upstream } = start()
    upstream.replies.push(undefined, undefined, undefined, () => new HttpResponse(null, { status: 409 }))
    assert.strictEqual((await rejectionOf(place()))._tag, "Rejected")
    await place()
    assert.deepStrictEqual([paid(), node.sent.length, upstream.goods.length], [amount, 1, 1])
  })

  it("waits for a payment that is not on the chain yet, without a second one", async () => {
    const { node, paid, place } = start()
    node.isMining = false
    const { _tag, code } = await rejectionOf(place())
    assert.deepStrictEqual([_tag, code], ["TemporarilyUnavailable", "PaymentPending"])
    await rejectionOf(place())
    node.mine()
    await place()
    assert.deepStrictEqual([paid(), node.nonceOf(account.address)], [amount, 1])
  })

  it("finds nothing after a failed payment", async () => {
    const { node, place, shop } = start()
    node.isMining = false
    await rejectionOf(place())
    node.fund(usdc, account.address, -1_000_000_000n)
    node.mine()
    assert.isUndefined(await shop.find("order-1"))
    assert.deepInclude(await rejectionOf(place()), { _tag: "PlacementRefused", reason: "payment_failed" })
  })
})

describe("what is not there", () => {
  it("can't be placed", async () => {
    const { node, shop } = start()
    const order = { ...request, orderId: "order-1", reference: "../../wallets?x=1", total: "97.35" }
    assert.deepInclude(await rejectionOf(shop.place(order, context)), { _tag: "NotPlaced", code: "HTTP_404" })
    assert.strictEqual(node.sent.length, 0)
  })

  it("is not found, without a call", async () => {
    const { shop, upstream } = start()
    assert.isUndefined(await shop.find("order-2"))
    assert.strictEqual(upstream.received.length, 0)
  })
})

describe("a treasury of a host's own", () => {
  const own = (change: Partial<TreasuryOptions>): TreasuryOptions => ({
    ...startTreasury().paying,
    ...change
  })
  const failing = (error: unknown) => async () => {
    throw error
  }

  it("may fail with anything, and its words are kept to itself", async () => {
    const { open, place, quote } = start()
    await quote()
    const treasury = own({ find: failing(new RangeError("vault 7 of Ada")) })
    const rejection = await rejectionOf(place("order-1", {}, open({ treasury })))
    assert.deepStrictEqual([rejection._tag, rejection["code"]], ["TreasuryFailed", "RangeError"])
    assert.notInclude(String(rejection["message"]), "Ada")
    const odd = own({ find: failing("locked") })
    assert.strictEqual(
      (await rejectionOf(place("order-1", {}, open({ treasury: odd }))))._tag,
      "TreasuryFailed"
    )
  })

  it("is notified when its caller cancels", async () => {
    const { open, quote } = start()
    const { reference } = await quote()
    const controller = new AbortController()
    const aborted = new Promise<string>((resolve) => {
      const find: TreasuryOptions["find"] = (_key, options) =>
        new Promise(() => options?.signal?.addEventListener("abort", () => resolve("aborted")))
      const order = { ...request, orderId: "order-1", reference, total: "97.35" }
      open({ treasury: own({ find }) })
        .place(order, { signal: controller.signal })
        .catch(() => undefined)
    })
    setTimeout(() => controller.abort(), 10)
    assert.strictEqual(await aborted, "aborted")
  })
})
