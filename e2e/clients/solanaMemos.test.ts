import { PlacementRefused, type FacilitatorClient, type TillOptions } from "@till402/core"
import { sampleShop } from "@till402/sandbox"
import { address as toAddress } from "@solana/kit"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { facilitatorOn, feePayerSigner } from "./solanaPayments.ts"
import { fund, refundsOn } from "./solanaRefundShop.ts"
import { openSolanaShop, origin, recordingPayments, refusalOf, startSolanaRail } from "./solanaShop.ts"
import { openV1Payer } from "./solanaV1Payer.ts"

/*
 * A client that knows no memo buys a product, whose 402 names one: with the official facilitator, and with the local one.
 */

let rail: Awaited<ReturnType<typeof startSolanaRail>>
beforeAll(async () => {
  // Blocks are final at once, so that refunds need not wait for their payments.
  rail = await startSolanaRail({ finalitySlots: 0 })
})
afterAll(() => rail?.stop())

const facilitators = {
  official: async (): Promise<Required<FacilitatorClient>> => rail.official.client,
  local: async () => {
    const { address } = await feePayerSigner()
    rail.chain.airdrop(toAddress(address))
    return facilitatorOn(rail.chain.rpcUrl, { confirmTimeoutMillis: 10_000 })
  }
}

/** A shop, and a buyer with `x402-fetch` whose payments are noted. */
const openShop = async (
  name: keyof typeof facilitators,
  change: (client: Required<FacilitatorClient>) => Partial<TillOptions> = () => ({})
) => {
  const client = await facilitators[name]()
  const { chain, official } = rail
  const shop = await openSolanaShop(
    { chain, official: { ...official, client } },
    { settle: client.settle, ...change(client) }
  )
  const { payments, recording } = recordingPayments(shop.send)
  const { pay, payer } = await openV1Payer(chain, recording, 1_000_000_000n)
  const present = (init: RequestInit) =>
    shop.send(`${origin}/x402/buy`, {
      ...init,
      headers: { "content-type": "application/json", "x-payment": payments[0]! }
    })
  return { ...shop, payer, buy: () => pay(`${origin}/x402/buy`, shop.order), present }
}

const forAnother = (order: RequestInit): RequestInit => ({
  ...order,
  body: String(order.body).replace("ada@", "mallory@")
})

describe.each(["official", "local"] as const)("with the %s facilitator", (name) => {
  it("is proven on the chain, and a retry gets the same response", async () => {
    const { buy, order, payer, present, received, shop, till } = await openShop(name)
    const bought = await buy()
    expect(bought.status, await bought.clone().text()).toBe(200)
    const text = await bought.text()
    expect(await (await present(order)).text()).toBe(text)
    expect(await refusalOf(await present(forAnother(order)))).toBe("payment_already_used")
    const [charge, ...others] = await till.charges.list()
    expect([charge?.state, others]).toEqual(["settled", []])
    expect(charge!.key).toContain(payer.address)
    expect(await received()).toBe(charge!.amountAtomic)
    await expect.poll(() => shop.orders.length, { timeout: 60_000 }).toBe(1)
    const { chain: compared, faults } = await till.ledger.check({ chain: true })
    expect([compared?.transfers, compared?.provenEntries, faults]).toEqual([1, 1, []])
  })

  it("is found on the chain when the facilitator's response is lost", async () => {
    const { buy, order, present, received, till } = await openShop(name, (client) => ({
      facilitator: {
        ...client,
        settle: async (payload: unknown, requirements: unknown) => {
          await client.settle(payload, requirements)
          throw new Error("connection reset")
        }
      }
    }))
    const bought = await buy()
    expect(bought.status, await bought.clone().text()).toBe(200)
    expect(await (await present(order)).text()).toBe(await bought.text())
    const [charge] = await till.charges.list()
    expect(await received()).toBe(charge!.amountAtomic)
  })

  it("is refunded to its payer when the order can't be placed", async () => {
    const { chain } = rail
    await fund(chain, 1_000_000_000n)
    const solanaRefunds = await refundsOn(chain.rpcUrl, { confirmTimeoutMillis: 5_000 })
    const { quote } = sampleShop().fulfilment
    const { buy, payer, till } = await openShop(name, () => ({
      refunds: { perPayerPerHour: "1000.00" },
      solanaRefunds,
      fulfilment: { quote, place: () => Promise.reject(new PlacementRefused({ reason: "out_of_stock" })) }
    }))
    const bought = await buy()
    const { orderId }: { readonly orderId: string } = JSON.parse(await bought.text())
    const statusOf = async () => {
      await till.orders.processNow(orderId)
      return (await till.orders.find(orderId))?.status
    }
    await expect.poll(statusOf, { timeout: 60_000 }).toBe("refunded")
    expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n)
    expect((await till.ledger.check()).faults).toEqual([])
  })
})
