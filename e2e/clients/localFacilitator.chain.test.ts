import type { LocalFacilitatorSettings } from "@till402/providers/facilitator"
import { type Chain, startChain } from "@till402/sandbox"
import { type Hex, parseGwei } from "viem"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { losingTransactions, messageOf, signedPayment, startRelay, submit } from "./relayers.ts"

/*
 * A local facilitator on a chain where others act too: they use its payments and numbers, and blocks are reorganized.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
})
afterAll(() => chain.stop())
afterEach(async () => {
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
})

/** Too short for a slow machine: what is to settle with it is asked for until it has. */
const quick: Partial<LocalFacilitatorSettings> = { confirmTimeoutMillis: 300 }

describe("a payment that somebody else uses while it settles", () => {
  const race = async (
    compete: (payment: Awaited<ReturnType<typeof signedPayment>>) => Promise<Hex>,
    change: Partial<LocalFacilitatorSettings> = {}
  ) => {
    const payment = await signedPayment(chain)
    const { facilitator, journal } = await startRelay(chain, change)
    await chain.client.setAutomine(false)
    const settling = facilitator.settle(payment.payload, payment.requirements)
    await expect.poll(() => journal.records().length).toBe(1)
    const rival = await compete(payment)
    const pooled = async () => (await chain.client.getTxpoolStatus()).pending
    await expect.poll(pooled).toBe(2)
    await chain.client.mine({ blocks: 1 })
    const receipt = await chain.client.waitForTransactionReceipt({ hash: rival })
    expect(receipt.status).toBe("success")
    return { payment, facilitator, journal, settled: await settling }
  }
  const high = parseGwei("50")

  it("is settled if they submitted that very payment: their transaction is the proof", async () => {
    let rival: Hex | undefined
    const { payment, settled } = await race(
      async ({ signature, terms }) => (rival = await submit(chain, terms, signature, high))
    )
    expect(settled).toMatchObject({ success: true, transaction: rival })
    expect(await chain.balanceOf(payment.terms.to)).toBe(payment.terms.value)
  })

  it("is not settled if the payer used the nonce for a transfer of nothing", async () => {
    const useForNothing = async ({ payer, terms }: Awaited<ReturnType<typeof signedPayment>>) => {
      const nothing = { ...terms, value: 0n }
      return submit(chain, nothing, await payer.signTypedData(messageOf(chain, nothing)), high)
    }
    const { facilitator, payment, settled } = await race(useForNothing, { confirmTimeoutMillis: 2_000 })
    // Not final yet: the outcome stays open, and the money did not move.
    expect(settled).toMatchObject({ success: false })
    expect(settled.transaction).not.toBe("")
    expect(await chain.balanceOf(payment.terms.to)).toBe(0n)
    // A minute later it is final.
    await chain.client.setAutomine(true)
    await chain.client.increaseTime({ seconds: 70 })
    await chain.client.mine({ blocks: 2 })
    expect(await facilitator.settle(payment.payload, payment.requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used"
    })
  })
})

describe("a transaction number that is used up", () => {
  it("by a reverted settlement is followed by another, once the payer has the money again", async () => {
    const rich = await signedPayment(chain, { value: 1_000_000n })
    const { facilitator, journal } = await startRelay(chain)
    const settle = () => facilitator.settle(rich.payload, rich.requirements)
    // The payer spends the money elsewhere between simulation and block.
    const spending = await signedPayment(chain, { value: 1_000_000n }, rich.payer)
    await chain.client.setAutomine(false)
    const settling = settle()
    await expect.poll(() => journal.records().length).toBe(1)
    await submit(chain, spending.terms, spending.signature, parseGwei("50"))
    await expect.poll(async () => (await chain.client.getTxpoolStatus()).pending).toBe(2)
    await chain.client.mine({ blocks: 1 })
    const [first] = journal.records()
    const failed = { success: false, transaction: first!.transaction }
    expect(await settling).toMatchObject({ ...failed, errorReason: "transaction_failed" })
    await chain.client.setAutomine(true)
    // Not a refusal: something was sent.
    const short = { ...failed, errorReason: "invalid_exact_evm_insufficient_balance" }
    expect(await settle()).toMatchObject(short)
    expect(await chain.balanceOf(rich.terms.to)).toBe(0n)
    await chain.mint(rich.payer.address, 1_000_000n)
    expect(await settle()).toMatchObject({ success: true })
    expect(journal.records().map(({ attempt, nonce }) => [attempt, nonce])).toEqual([
      [0, 0],
      [1, 1]
    ])
    expect(await chain.balanceOf(rich.terms.to)).toBe(1_000_000n)
  })

  it("by a transaction that isn't ours is followed by another, when no reorganization can undo it", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const lost = await startRelay(chain, { ...quick, fetch: losingTransactions })
    await lost.facilitator.settle(payload, requirements)
    const account = lost.account
    const fees = { gas: 21_000n, maxFeePerGas: parseGwei("100"), maxPriorityFeePerGas: 1n }
    const call = { to: account.address, data: "0x", value: 0n } as const
    const foreign = { ...call, nonce: 0, chainId: chain.chainId, ...fees }
    const serializedTransaction = await account.signTransaction({ type: "eip1559", ...foreign })
    await chain.client.sendRawTransaction({ serializedTransaction })
    const { facilitator } = await startRelay(chain, { ...quick, account, journal: lost.journal })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "settlement_pending"
    })
    await chain.client.mine({ blocks: 65 })
    await expect.poll(() => facilitator.settle(payload, requirements)).toMatchObject({ success: true })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(lost.journal.records().map(({ nonce }) => nonce)).toEqual([0, 1])
  })
})

describe("a reorganization", () => {
  it("that removes a settlement is followed by the same transaction", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const { facilitator, journal } = await startRelay(chain)
    const id = await chain.client.snapshot()
    const first = await facilitator.settle(payload, requirements)
    await chain.client.revert({ id })
    expect(await chain.balanceOf(terms.to)).toBe(0n)
    expect(await facilitator.settle(payload, requirements)).toEqual(first)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(journal.records()).toHaveLength(1)
  })
})

describe("confirmations", () => {
  it("are waited for: three blocks, if the host wants three", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const { facilitator } = await startRelay(chain, {
      ...quick,
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, confirmations: 3 }]
    })
    const settle = () => facilitator.settle(payload, requirements)
    expect(await settle()).toMatchObject({ success: false, errorReason: "settlement_pending" })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    await chain.client.mine({ blocks: 1 })
    expect(await settle()).toMatchObject({ success: false, errorReason: "settlement_pending" })
    await chain.client.mine({ blocks: 1 })
    await expect.poll(settle).toMatchObject({ success: true })
  })
})
