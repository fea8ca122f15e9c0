import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { toHex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { startChain, type Chain } from "../../src/chain/index.ts"
import { authorize } from "./authorize.ts"
import { startFacilitator } from "../../src/facilitator/index.ts"

/*
 * Ten minutes without a transaction, skipped on the chain's clock and on ours. A chain keeps the time of its latest
 * block until it mines another, and the facilitator simulates payments at that time.
 */

const idleSeconds = 601

afterEach(() => {
  vi.useRealTimers()
})

const open = async (blockSeconds: number) => {
  const chain = await startChain({ blockSeconds })
  onTestFinished(() => chain.stop())
  const facilitator = await startFacilitator({ chain })
  onTestFinished(() => facilitator.stop())
  const payer = privateKeyToAccount(generatePrivateKey())
  await chain.mint(payer.address, 50_000n)
  return { chain, facilitator, payer }
}

const nowSeconds = (): number => Math.floor(Date.now() / 1000)

const blockSecondsOf = async ({ client }: Chain): Promise<number> =>
  Number((await client.getBlock({ blockTag: "latest" })).timestamp)

/** Lets time pass without transactions. */
const idle = async ({ client }: Chain): Promise<void> => {
  await client.increaseTime({ seconds: idleSeconds })
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + idleSeconds * 1000 })
}

/** A payment of a client that subtracts a minute, or ten, from the current time. */
const pay = async ({ chain, payer }: Awaited<ReturnType<typeof open>>, subtractedSeconds: number) => {
  const payload = await authorize(chain, payer, {
    to: chain.accounts(5).address,
    value: 10_000n,
    validAfter: BigInt(nowSeconds() - subtractedSeconds),
    validBefore: BigInt(nowSeconds() + 120),
    nonce: toHex(BigInt(subtractedSeconds), { size: 32 })
  })
  const requirements = {
    scheme: "exact",
    network: "eip155:84532",
    amount: "10000",
    asset: chain.usdc,
    payTo: payload.authorization.to,
    maxTimeoutSeconds: 120,
    extra: { name: "USDC", version: "2" }
  }
  return [{ x402Version: 2, accepted: requirements, payload }, requirements] as const
}

describe("a chain after ten idle minutes", () => {
  it("verifies and settles payments dated in the past if it keeps mining", async () => {
    const opened = await open(1)
    const { chain, facilitator } = opened
    await idle(chain)
    // A public network always has a block of a few seconds ago.
    await vi.waitFor(
      async () => expect(await blockSecondsOf(chain)).toBeGreaterThan(nowSeconds() - 30),
      10_000
    )
    for (const subtracted of [60, 600]) {
      const payment = await pay(opened, subtracted)
      expect(await facilitator.client.verify(...payment)).toMatchObject({ isValid: true })
      expect(await facilitator.client.settle(...payment)).toMatchObject({ success: true })
    }
  })

  it("refuses them as failed simulations if it mines only transactions", async () => {
    const opened = await open(0)
    const { chain, facilitator } = opened
    const before = await blockSecondsOf(chain)
    await idle(chain)
    for (const subtracted of [60, 600]) {
      const payment = await pay(opened, subtracted)
      expect(await facilitator.client.verify(...payment)).toMatchObject({
        isValid: false,
        invalidReason: "invalid_exact_evm_transaction_simulation_failed"
      })
    }
    // The reason: contracts still see the time of the latest block, when the payments aren't valid yet.
    expect(await blockSecondsOf(chain)).toBe(before)
    await chain.client.mine({ blocks: 1 })
    expect(await facilitator.client.verify(...(await pay(opened, 60)))).toMatchObject({ isValid: true })
  })
})

describe("a chain that mines every few seconds", () => {
  it("still mines a transaction at once", async () => {
    const chain = await startChain({ blockSeconds: 3_600 })
    onTestFinished(() => chain.stop())
    const block = await chain.client.getBlockNumber()
    await chain.mint(chain.accounts(3).address, 1n)
    expect(await chain.client.getBlockNumber()).toBe(block + 1n)
  })

  it("refuses an interval that is not a whole number of seconds", async () => {
    await expect(startChain({ blockSeconds: 0.5 })).rejects.toThrow(/blockSeconds must be a whole number/)
    await expect(startChain({ blockSeconds: -1 })).rejects.toThrow(/blockSeconds must be a whole number/)
  })
})
