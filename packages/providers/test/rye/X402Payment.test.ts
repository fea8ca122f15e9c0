import { rye, type RyeOptions } from "@till402/providers/rye"
import { readTransfer, verdictOf } from "@till402/providers/treasury"
import * as fc from "fast-check"
import { HttpResponse } from "msw"
import { encodeFunctionData, erc20Abi, type Hex, serializeTransaction } from "viem"
import { assert, describe, it } from "vitest"
import { prepareTransfer } from "../../src/treasury/TokenTransfer.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { FakeNode } from "../treasury/fakeNode.ts"
import { account, rejectionOf, startTreasury } from "../treasury/treasuries.ts"
import { type IntentFixture, intentFixture } from "./fakeRye.ts"
import { startShop } from "./shop.ts"

const server = interceptRequests()

const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const deposit = "0x00000000000000000000000000000000000000d1"
const amount = 97_350_000n
const demand = { recipient: deposit, maxAmountRequired: "97.35" }
const id = intentFixture("2-awaiting").id

const offered = (change: Partial<IntentFixture> = {}) => ({
  ...intentFixture("2-awaiting"),
  createdAt: new Date().toISOString(),
  ...change
})

/** A shop whose orders are paid by x402, on a fake of Base. */
const start = (change: Partial<RyeOptions> & { readonly funds?: bigint } = {}) => {
  const { funds = 1_000_000_000n, ...options } = change
  const node = new FakeNode(8_453)
  node.fund(usdc, account.address, funds)
  const { paying } = startTreasury({ node, network: "base" })
  server.use(node.handler())
  const started = startShop(server, { treasury: paying, ...options })
  const paid = () => node.balance(usdc, deposit)
  started.upstream.x402 = { demand, isPaid: () => paid() === amount }
  return { ...started, node, paid }
}

describe("an order that is paid by x402", () => {
  it.each([[false], [true]])(
    "is confirmed with the transaction that pays the demand (in the intent: %s)",
    async (inIntent) => {
      const { paid, place, shop, upstream } = start()
      upstream.x402 = {
        ...upstream.x402!,
        demand: { ...demand, currency: "USDC", network: "base" },
        inIntent
      }
      upstream.put(offered())
      assert.deepStrictEqual(await place(id), { reference: id })
      assert.deepStrictEqual([paid(), upstream.goods], [amount, [id]])
      assert.strictEqual(await shop.find("order-1"), id)
      const confirmed = upstream.received.filter(({ path }) => path.endsWith("/confirm"))
      assert.strictEqual(confirmed.length, 2)
      for (const { body } of confirmed) {
        assert.deepStrictEqual(body, { paymentMethod: { type: "x402", network: "base" } })
      }
    }
  )

  it("is quoted with the surcharge, whatever the drawdown balance", async () => {
    const { quote, upstream } = start()
    upstream.balanceCents = undefined
    upstream.arrange = (intent) => {
      intent.offer!.cost["surcharge"] = { amountSubunits: 500, currencyCode: "USD" }
    }
    assert.strictEqual((await quote()).total, "97.35")
    assert.strictEqual(upstream.count(/billing/), 0)
  })

  it("is paid once, however often it is placed", async () => {
    const { node, paid, place, upstream } = start()
    upstream.put(offered())
    await Promise.all([place(id), place(id), place(id)])
    await place(id)
    assert.deepStrictEqual([paid(), node.sent.length, upstream.goods], [amount, 1, [id]])
  })

  it("is paid once if the confirmation is lost, and confirmed by the next call or a lookup", async () => {
    for (const next of ["place", "find"] as const) {
      const { node, paid, place, shop, upstream } = start()
      upstream.put(offered())
      upstream.next(/confirm$/, (act) => {
        upstream.next(/confirm$/, () => HttpResponse.json({}, { status: 503 }))
        return act()
      })
      assert.strictEqual((await rejectionOf(place(id)))._tag, "TemporarilyUnavailable")
      assert.deepStrictEqual([paid(), upstream.goods], [amount, []])
      assert.strictEqual(next === "find" ? await shop.find("order-1") : (await place(id)).reference, id)
      assert.deepStrictEqual([paid(), node.sent.length, upstream.goods], [amount, 1, [id]])
    }
  })

  it("is refused if its intent fails after the payment, whether it is looked up or placed", async () => {
    const { place, shop, upstream } = start()
    const intent = upstream.put(offered())
    upstream.next(/confirm$/, (act) => {
      upstream.next(/confirm$/, () => HttpResponse.json({}, { status: 503 }))
      return act()
    })
    assert.strictEqual((await rejectionOf(place(id)))._tag, "TemporarilyUnavailable")
    intent.state = "failed"
    intent.failureReason = { code: "product_out_of_stock" }
    assert.isUndefined(await shop.find("order-1"))
    assert.deepInclude(await rejectionOf(place(id)), { _tag: "PlacementRefused", reason: "out_of_stock" })
  })

  it("isn't paid by a lookup once its intent has failed", async () => {
    const { node, paid, place, shop, upstream } = start()
    const intent = upstream.put(offered())
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(place(id))
    intent.state = "failed"
    intent.failureReason = { code: "checkout_intent_expired" }
    assert.isUndefined(await shop.find("order-1"))
    assert.deepStrictEqual([paid(), node.sent.length], [0n, 0])
  })

  it.each<[string, object, object]>([
    [
      "more than agreed",
      { maxAmountRequired: "97.350001" },
      { _tag: "PlacementRefused", reason: "price_changed" }
    ],
    ["no amount", { maxAmountRequired: "a lot" }, { _tag: "ResponseMalformed" }],
    ["nothing", { maxAmountRequired: "0" }, { _tag: "ResponseMalformed" }],
    ["an account that is none", { recipient: "base:d1" }, { _tag: "ResponseMalformed" }],
    ["another coin", { currency: "ETH" }, { _tag: "ResponseMalformed" }],
    ["another network", { network: "solana" }, { _tag: "ResponseMalformed" }],
    ["a payment before yesterday", { expiresAt: "2020-01-01T00:00:00Z" }, { _tag: "NotPlaced" }]
  ])("is not paid if Rye demands %s", async (_what, change, error) => {
    const { node, place, upstream } = start()
    upstream.x402 = { ...upstream.x402!, demand: { ...demand, ...change } }
    upstream.put(offered())
    assert.deepInclude(await rejectionOf(place(id)), error)
    assert.strictEqual(node.sent.length, 0)
  })

  it("waits while the treasury is underfunded", async () => {
    const { node, place, upstream } = start({ funds: 1n })
    upstream.put(offered())
    assert.deepInclude(await rejectionOf(place(id)), { _tag: "NotPlaced", code: "TreasuryUnderfunded" })
    node.fund(usdc, account.address, 1_000_000_000n)
    assert.deepStrictEqual(await place(id), { reference: id })
  })

  it("needs a treasury on Base", () => {
    const { paying } = startTreasury()
    assert.throws(() => rye({ apiKey: "RYE/x", treasury: paying }), /network base/)
  })
})

describe("a prepared transfer", () => {
  it("is the same as viem's, and what the treasury signs", () => {
    const address = fc
      .uint8Array({ minLength: 20, maxLength: 20 })
      .map((bytes): Hex => `0x${Buffer.from(bytes).toString("hex")}`)
    fc.assert(
      fc.property(
        fc.record({
          chainId: fc.integer({ min: 1, max: 2 ** 31 }),
          token: address,
          payee: address,
          amountAtomic: fc.bigInt(0n, 2n ** 256n - 1n)
        }),
        ({ amountAtomic, chainId, payee, token }) => {
          const prepared = prepareTransfer({ amountAtomic, chainId, payee, token })
          const data = encodeFunctionData({
            abi: erc20Abi,
            functionName: "transfer",
            args: [payee, amountAtomic]
          })
          assert.strictEqual(prepared, serializeTransaction({ type: "eip1559", chainId, to: token, data }))
          assert.strictEqual(
            verdictOf(prepared, { chainId, token, payees: [payee], amountAtomic })._tag,
            "Accepted"
          )
          assert.strictEqual(readTransfer(prepared)?.amountAtomic, amountAtomic)
        }
      )
    )
  })
})
