import type { TillEvent } from "@till402/core"
import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { parseAbi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { oweForEach, payOnceFor, placeMulticall, price } from "./drain.ts"
import { openShop } from "./refundShop.ts"

/*
 * The ledger against a real chain. Refunds stop when the two contradict each other.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

describe("the ledger against the chain", () => {
  it("reports a transfer that paid for nothing", async () => {
    const shop = await openShop({ chain, official })
    const till = await shop.openTill()
    await shop.search(till)
    const stranger = privateKeyToAccount(generatePrivateKey())
    await chain.mint(stranger.address, 1_000n)
    await chain.client.setBalance({ address: stranger.address, value: 10n ** 18n })
    const transaction = await chain.client.writeContract({
      account: stranger,
      chain: chain.client.chain,
      address: chain.usdc,
      abi: parseAbi(["function transfer(address to, uint256 value) returns (bool)"]),
      functionName: "transfer",
      args: [shop.payTo, 100n]
    })
    await chain.client.waitForTransactionReceipt({ hash: transaction })
    const check = await till.ledger.check({ chain: true })
    expect(check.isBalanced).toBe(true)
    expect(check.chain).toMatchObject({ transfers: 2, provenEntries: 1, foreignTransfers: 1 })
    expect(check.chain!.foreign).toEqual([
      {
        network: "eip155:84532",
        payTo: shop.payTo,
        from: stranger.address.toLowerCase(),
        amountAtomic: 100n,
        transaction,
        logIndex: expect.any(Number)
      }
    ])
  })

  it("finds a search whose payment a facilitator only claimed to have settled, once that payment has expired", async () => {
    // A separate chain, whose clock is set forward.
    const late = await startChain()
    onTestFinished(() => late.stop())
    const honest = await startFacilitator({ chain: late })
    onTestFinished(() => honest.stop())
    const lie = `0x${"ab".repeat(32)}`
    let lies = 1
    const shop = await openShop(
      { chain: late, official: honest },
      {
        payments: async (payload, requirements) =>
          lies-- > 0
            ? { success: true, transaction: lie, network: requirements.network }
            : honest.client.settle(payload, requirements)
      }
    )
    const till = await shop.openTill()
    for (let call = 0; call < 2; call++) await shop.search(till)
    expect(await late.balanceOf(shop.payTo)).toBe(10_000n)
    expect(await till.ledger.check()).toMatchObject({ isBalanced: true, settledEntries: 2 })
    const early = await till.ledger.check({ chain: true })
    expect(early).toMatchObject({ isBalanced: true })
    expect(early.chain).toMatchObject({ transfers: 1, provenEntries: 1, openEntries: 1 })

    await late.client.increaseTime({ seconds: 600 })
    await late.client.mine({ blocks: 1 })
    const check = await till.ledger.check({ chain: true })
    expect(check.isBalanced).toBe(false)
    const lied = (await till.charges.list()).find(({ transaction }) => transaction === lie)
    expect(check.faults).toEqual([
      { chargeKey: lied!.key, fault: "the chain shows no transfer of its payment" }
    ])
    expect(check.chain).toMatchObject({ transfers: 1, provenEntries: 1, openEntries: 0 })
  })
})

it("6 refunds for one payment: one is sent at most, then all stop", async () => {
  await placeMulticall(chain)
  const shop = await openShop({ chain, official })
  const seller = await shop.openTill({})
  const attacker = privateKeyToAccount(generatePrivateKey())
  await chain.mint(attacker.address, price)
  await chain.client.setBalance({ address: attacker.address, value: 10n ** 18n })
  const nonces = Array.from({ length: 6 }, () => generatePrivateKey())
  const validBefore = Math.floor(Date.now() / 1000) + 3_600
  const transaction = await payOnceFor(chain, attacker, shop.payTo, nonces, validBefore)
  expect(await chain.balanceOf(attacker.address)).toBe(0n)
  await oweForEach(chain, shop.filename, nonces, {
    payer: attacker.address,
    payTo: shop.payTo,
    transaction,
    validBefore
  })
  await waitForBlock(chain)

  const events: Array<TillEvent> = []
  const till = await shop.openTill({
    refundWallet: shop.wallet,
    onEvent: (event) => {
      events.push(event)
    }
  })
  await vi.waitFor(
    async () => expect((await till.refunds.status()).stopped?.reason).toBe("payment_not_on_chain"),
    { timeout: 60_000 }
  )
  // A charge without a transfer can stop refunds before the paid one's turn: then none is sent.
  await till.dispose()
  await waitForBlock(chain)
  const refunded = await chain.balanceOf(attacker.address)
  expect([0n, price]).toContain(refunded)
  expect(await chain.balanceOf(shop.wallet.address)).toBe(1_000_000_000n - refunded)
  expect(events.filter(({ level }) => level === "error")).toEqual([
    {
      level: "error",
      message: "Refunds are stopped until an operator resumes them",
      code: "refunds_stopped",
      reason: "payment_not_on_chain",
      transaction
    }
  ])
  // Comparing the ledger with the chain gives the same result.
  const check = await seller.ledger.check({ chain: true })
  expect(check.faults).toHaveLength(5)
  expect(new Set(check.faults.map(({ fault }) => fault))).toEqual(
    new Set(["its authorization was used up without paying"])
  )
  expect(check.faults.map(({ chargeKey }) => chargeKey.endsWith(nonces[0]!))).not.toContain(true)
  expect(check.chain).toMatchObject({ transfers: 1, provenEntries: 1, openEntries: 0 })
})

/** Waits until what was sent before is in a block whose timestamp is more than a second later. */
async function waitForBlock(chain: Chain): Promise<void> {
  const { timestamp } = await chain.client.getBlock()
  await vi.waitFor(
    async () => expect((await chain.client.getBlock()).timestamp).toBeGreaterThan(timestamp + 1n),
    { timeout: 60_000 }
  )
}
