import { type FacilitatorClient, memory, Till } from "@till402/core"
import {
  type Chain,
  type LocalFacilitator,
  payingFetch,
  sampleShop,
  startChain,
  startFacilitator
} from "@till402/sandbox"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"

/*
 * A facilitator that fails or lies between payment and receipt, on a real chain: a paid order is never lost, an unpaid
 * one is never placed, and no second payment is requested.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain()
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

const order = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({
    asin: "",
    email: "ada@example.com",
    shippingAddress: {
      name: "Ada Lovelace",
      line1: "12 Analytical Way",
      city: "San Francisco",
      state: "CA",
      postalCode: "94105",
      country: "US"
    }
  })
}

/** A till over the real chain, a facilitator that settles by `settle` and verifies by `verify`, and a funded client. */
const open = async (
  settle: FacilitatorClient["settle"],
  verify: FacilitatorClient["verify"] = official.client.verify
) => {
  const shop = sampleShop()
  const { fulfilment, marketplaces, tracker } = shop
  const payTo = privateKeyToAccount(generatePrivateKey()).address
  let settlements = 0
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo,
    networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }],
    facilitator: {
      verify,
      settle: (payload, requirements) => {
        settlements++
        return settle(payload, requirements)
      },
      getSupported: official.client.getSupported
    },
    secret: generatePrivateKey(),
    limits: { failedPayerMillis: 0 },
    storage: memory(),
    fulfilment,
    marketplaces,
    tracker,
    onEvent: () => undefined
  })
  await till.ready
  const found = await marketplaces.marketplace_a.search(
    { q: "noise cancelling headphones", page: 1 },
    { signal: new AbortController().signal }
  )
  const body = order.body.replace('"asin":""', `"asin":"${found.products[0]!.asin}"`)
  const privateKey = generatePrivateKey()
  const payer = privateKeyToAccount(privateKey).address
  await chain.mint(payer, 1_000_000_000n)
  let paid: Request | undefined
  const pay = payingFetch(privateKey, 1_000, async (input, init) => {
    const request = new Request(input, init)
    if (request.headers.has("payment-signature")) paid = request.clone()
    return till.fetch(request)
  })
  return {
    till,
    shop,
    buy: () => pay("https://shop.example/x402/buy", { ...order, body }),
    search: () => pay("https://shop.example/x402/search?q=tote"),
    /** Sends the last payment again. */
    again: () => till.fetch(paid!.clone()),
    settlements: () => settlements,
    received: () => chain.balanceOf(payTo),
    orders: async () => (await till.orders.list()).map(({ status }) => status)
  }
}

const codeOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { code: string }).code

const placed = async (shop: Awaited<ReturnType<typeof open>>) => {
  await expect.poll(() => shop.orders()).toEqual(["placed"])
  expect(shop.shop.orders).toHaveLength(1)
}

describe("a facilitator that moved the money and lost its response", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("socket hang up"))],
    [
      "reports that it failed",
      async () => ({ success: false, errorReason: "unexpected_settle_error", transaction: "" })
    ],
    [
      "reports that it is pending",
      async () => ({ success: false, errorReason: "settlement_pending", transaction: "" })
    ]
  ] as const)(
    "%s: the chain shows the payment, so the order gets its response at once",
    async (_name, after) => {
      const shop = await open(async (payload, requirements) => {
        await official.client.settle(payload, requirements)
        return after()
      })
      const response = await shop.buy()
      expect(response.status).toBe(200)
      expect(response.headers.has("payment-response")).toBe(true)
      const bytes = await response.text()
      await placed(shop)
      // The same payment again gets the same response, and settles nothing.
      const replay = await shop.again()
      expect(await replay.text()).toBe(bytes)
      expect(shop.settlements()).toBe(1)
      expect(await shop.received()).toBeGreaterThan(0n)
      await shop.till.dispose()
    }
  )
})

describe("a facilitator that reports a settlement that didn't happen", () => {
  it("places nothing, and requests the same payment again instead of a new one", async () => {
    const shop = await open(async () => ({ success: true, transaction: `0x${"ab".repeat(32)}` }))
    const response = await shop.buy()
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toMatch(/^\d+$/)
    expect(await codeOf(response)).toBe("SETTLEMENT_PENDING")
    expect((await shop.again()).status).toBe(503)
    expect(await shop.received()).toBe(0n)
    expect(await shop.orders()).toEqual(["awaiting_payment"])
    expect(shop.shop.orders).toHaveLength(0)
    await shop.till.dispose()
  })

  it("does not count with another payment's transaction either", async () => {
    let borrowed = ""
    const honest = await open(official.client.settle)
    const response = await honest.buy()
    borrowed = (JSON.parse(atob(response.headers.get("payment-response")!)) as { transaction: string })
      .transaction
    const shop = await open(async () => ({ success: true, transaction: borrowed }))
    expect((await shop.buy()).status).toBe(503)
    expect(shop.shop.orders).toHaveLength(0)
    await honest.till.dispose()
    await shop.till.dispose()
  })
})

describe("a facilitator that failed before it sent anything", () => {
  it("accepts the same payment once it is back: one settlement on chain, one order", async () => {
    let isDown = true
    const shop = await open(async (payload, requirements) => {
      if (isDown) throw new Error("connection refused")
      return official.client.settle(payload, requirements)
    })
    expect(await codeOf(await shop.buy())).toBe("SETTLEMENT_PENDING")
    expect(await shop.received()).toBe(0n)
    isDown = false
    const response = await shop.again()
    expect(response.status).toBe(200)
    const { totalPrice } = (await response.json()) as { totalPrice: { amount: string } }
    expect(await shop.received()).toBe(BigInt(totalPrice.amount.replace(".", "")) * 10_000n)
    await placed(shop)
    await shop.till.dispose()
  })

  it("leaves the payment to the reconciler, which settles it without the caller", async () => {
    let isDown = true
    const shop = await open(async (payload, requirements) => {
      if (isDown) throw new Error("connection refused")
      return official.client.settle(payload, requirements)
    })
    expect((await shop.buy()).status).toBe(503)
    expect(await shop.till.reconcile()).toEqual({ settled: 0, pending: 1 })
    isDown = false
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    await placed(shop)
    expect((await shop.again()).status).toBe(200)
    await shop.till.dispose()
  })

  it("that refuses permanently causes a 402, and the prepared order is undone", async () => {
    const shop = await open(async () => ({
      success: false,
      errorReason: "insufficient_funds",
      transaction: ""
    }))
    const response = await shop.buy()
    expect(response.status).toBe(402)
    expect(((await response.json()) as { error: string }).error).toMatch(/^insufficient_funds/)
    expect(await shop.orders()).toEqual(["abandoned"])
    expect(shop.shop.orders).toHaveLength(0)
    await shop.till.dispose()
  })
})

describe("a payment that was refused and is settled anyway", () => {
  const refused = { success: false, errorReason: "insufficient_funds", transaction: "" }
  /** A facilitator that refuses payments and keeps them to settle later. */
  const openTreacherous = async () => {
    let kept: Parameters<FacilitatorClient["settle"]> | undefined
    const shop = await open(async (payload, requirements) => {
      kept = [payload, requirements]
      return refused
    })
    return { shop, moveIt: () => official.client.settle(...kept!) }
  }

  it("is due for refund: a refused payment's response is not stored", async () => {
    const { moveIt, shop } = await openTreacherous()
    expect((await shop.search()).status).toBe(402)
    expect((await shop.till.charges.list()).map(({ state }) => state)).toEqual(["voided"])
    expect((await moveIt()).success).toBe(true)
    for (let time = 0; time < 2; time++) {
      const replayed = await shop.again()
      expect(replayed.status).toBe(402)
      expect(((await replayed.json()) as { error: string }).error).toMatch(/^payment_refund_due/)
    }
    expect(await shop.received()).toBe(10_000n)
    expect((await shop.till.ledger.list()).map(({ kind }) => kind)).toEqual(["settled", "refund_due"])
    await shop.till.dispose()
  })

  it("is due for refund when its work was undone; the ledger records the refund once sent", async () => {
    const { moveIt, shop } = await openTreacherous()
    expect((await shop.buy()).status).toBe(402)
    expect(await shop.orders()).toEqual(["abandoned"])
    expect((await moveIt()).success).toBe(true)
    for (let time = 0; time < 2; time++) {
      const replayed = await shop.again()
      expect(replayed.status).toBe(402)
      expect(((await replayed.json()) as { error: string }).error).toMatch(/^payment_refund_due/)
    }
    const [charge] = await shop.till.charges.list({ state: "settled" })
    expect([charge!.refund, charge!.amountAtomic]).toEqual(["due", await shop.received()])
    expect(await shop.till.charges.recordRefund(charge!.key, `0x${"12".repeat(32)}`)).toBe(true)
    expect((await shop.till.ledger.list()).map(({ kind }) => kind).sort()).toEqual([
      "refund_due",
      "refunded",
      "settled"
    ])
    expect(await shop.till.ledger.check()).toMatchObject({ isBalanced: true, refunds: 1 })
    expect(shop.shop.orders).toHaveLength(0)
    await shop.till.dispose()
  })

  it("buys nothing any more when it is sent again; another one does", async () => {
    let refuses = true
    const shop = await open(async (payload, requirements) =>
      refuses ? refused : official.client.settle(payload, requirements)
    )
    expect((await shop.search()).status).toBe(402)
    refuses = false
    const again = await shop.again()
    expect([again.status, await shop.received()]).toEqual([402, 0n])
    expect(((await again.json()) as { error: string }).error).toMatch(/^payment_refused/)
    await expect.poll(async () => (await shop.search()).status, { interval: 1_500 }).toBe(200)
    expect(await shop.received()).toBe(10_000n)
    await shop.till.dispose()
  })
})

describe("a payment that repeats an order, and that somebody settles anyway", () => {
  const kinds = async ({ till }: Pick<Awaited<ReturnType<typeof open>>, "till">) =>
    (await till.ledger.list()).map(({ kind }) => kind).sort()
  /** A facilitator that keeps the last payment, and sends the second one as soon as it has verified it, if it `rushes`. */
  const openRepeated = async (rushes: boolean) => {
    let kept: Parameters<FacilitatorClient["verify"]> | undefined
    let verified = 0
    const shop = await open(official.client.settle, async (...payment) => {
      kept = payment
      const verdict = await official.client.verify(...payment)
      if (++verified === 2 && rushes) await official.client.settle(...payment)
      return verdict
    })
    return { shop, moveIt: () => official.client.settle(...kept!) }
  }
  const expectOneOrder = async ({ shop }: Pick<Awaited<ReturnType<typeof openRepeated>>, "shop">) => {
    await placed(shop)
    expect(await kinds(shop)).toEqual(["refund_due", "settled", "settled"])
    const refunds = (await shop.till.charges.list({ state: "settled" })).map(({ refund }) => refund)
    expect(refunds.sort()).toEqual(["due", undefined])
    expect(await shop.till.ledger.check()).toMatchObject({ isBalanced: true, refunds: 1 })
  }

  it("after its refusal: it is watched, so its refund is due", async () => {
    const { moveIt, shop } = await openRepeated(false)
    expect((await shop.buy()).status).toBe(200)
    const refused = await shop.buy()
    expect([refused.status, await codeOf(refused)]).toEqual([409, "DUPLICATE_ORDER"])
    expect(await kinds(shop)).toEqual(["settled"])
    expect((await moveIt()).success).toBe(true)
    const replayed = await shop.again()
    expect(((await replayed.json()) as { error: string }).error).toMatch(/^payment_refund_due/)
    await expectOneOrder({ shop })
    await shop.till.dispose()
  })

  it("before its refusal: the chain is read first", async () => {
    const { shop } = await openRepeated(true)
    expect((await shop.buy()).status).toBe(200)
    const refused = await shop.buy()
    expect(refused.status).toBe(402)
    expect(((await refused.json()) as { error: string }).error).toMatch(/^payment_refund_due/)
    await expectOneOrder({ shop })
    await shop.till.dispose()
  })
})
