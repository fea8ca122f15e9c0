import { solanaPayingFetch } from "@till402/sandbox/solana"
import { createHash } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  decoded,
  nextWallet,
  openSolanaShop,
  origin,
  recordingPayments,
  refusalOf,
  searchUrl,
  startSolanaRail,
  trackUrl
} from "./solanaShop.ts"
import { openV1Payer } from "./solanaV1Payer.ts"

/*
 * Official clients and the official facilitator on a local Solana chain.
 */

let rail: Awaited<ReturnType<typeof startSolanaRail>>
beforeAll(async () => {
  rail = await startSolanaRail()
})
afterAll(() => rail?.stop())

describe("the official version-2 client", () => {
  it("pays every route, each with a proof on the chain", async () => {
    const { chain } = rail
    const { order, pay, payer, received, till, vaultItem } = await openSolanaShop(rail)
    const found = await pay(searchUrl)
    expect(found.status, await found.clone().text()).toBe(200)
    expect(decoded(found.headers.get("payment-response"))).toMatchObject({
      success: true,
      network: chain.caip2,
      payer: payer.address
    })
    expect((await pay(trackUrl)).status).toBe(200)
    const bought = await pay(`${origin}/x402/buy`, order)
    expect(bought.status, await bought.clone().text()).toBe(200)
    const purchase = await pay(`${origin}/x402/vault/buy`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ slug: vaultItem.slug, walletAddress: payer.address, email: "ada@example.com" })
    })
    expect(purchase.status, await purchase.clone().text()).toBe(200)
    const charges = await till.charges.list()
    expect(charges.map(({ state }) => state)).toEqual(["settled", "settled", "settled", "settled"])
    const total = charges.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)
    expect(await received()).toBe(total)
    expect(await chain.balanceOf(payer.address)).toBe(1_000_000_000n - total)
    const { chain: compared, faults } = await till.ledger.check({ chain: true })
    expect(faults).toEqual([])
    expect(compared).toMatchObject({
      networks: [chain.caip2],
      transfers: 4,
      provenEntries: 4,
      openEntries: 0,
      foreignTransfers: 0
    })
  })

  it("can't pay without money, and is charged nothing", async () => {
    const { send, received } = await openSolanaShop(rail)
    const { chain } = rail
    const poor = await nextWallet(chain)
    await chain.mint(poor.address, 5n)
    const refused = await solanaPayingFetch(chain, poor, 1_000, send)(trackUrl)
    expect(await refusalOf(refused)).toBe("invalid_exact_svm_transaction_simulation_failed")
    expect(await received()).toBe(0n)
  })
})

describe("the official version-1 client", () => {
  it("pays, although it adds no memo", async () => {
    const { received, send } = await openSolanaShop(rail)
    const { pay, payer } = await openV1Payer(rail.chain, send, 1_000_000n)
    const response = await pay(searchUrl)
    expect(response.status, await response.clone().text()).toBe(200)
    expect(decoded(response.headers.get("x-payment-response"))).toMatchObject({
      success: true,
      network: "solana-devnet",
      payer: payer.address
    })
    expect(await received()).toBe(10_000n)
  })
})

describe("a payment", () => {
  it("presented again, also with the fee payer's signature from the chain, gets the recorded response", async () => {
    const { payer, received, send } = await openSolanaShop(rail)
    const { payments, recording } = recordingPayments(send)
    const first = await solanaPayingFetch(rail.chain, payer, 1_000, recording)(trackUrl)
    const text = await first.text()
    const payment = decoded(payments[0]!)
    const signed = Buffer.from((payment["payload"] as { readonly transaction: string }).transaction, "base64")
    // The other half of the transaction, which anybody can read on the chain.
    signed.set(createHash("sha512").update("fee payer").digest(), 1)
    const copy = { ...payment, payload: { transaction: signed.toString("base64") } }
    for (const header of [payments[0]!, Buffer.from(JSON.stringify(copy)).toString("base64")]) {
      const again = await send(trackUrl, { headers: { "payment-signature": header } })
      expect([again.status, await again.text()]).toEqual([200, text])
      const elsewhere = await send(searchUrl, { headers: { "payment-signature": header } })
      expect(await refusalOf(elsewhere)).toBe("payment_already_used")
    }
    expect(await received()).toBe(520_000n)
  })
})
