import { type Chain, startChain } from "@till402/sandbox"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { feeSensingCode, placeHostileWallet, placeWallet, walletPayment } from "./contractWallets.ts"
import { startNaiveRelayer } from "./naiveRelayer.ts"
import { signedPayment, startRelay } from "./relayers.ts"

/*
 * Payments that pass their simulation and revert when they are mined: the relayer pays for their gas.
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

const sentBy = (address: Hex) => chain.client.getTransactionCount({ address })

type Relay = Awaited<ReturnType<typeof startRelay>>
type Wallet = Awaited<ReturnType<typeof placeHostileWallet>>

/** Lets a wallet accept a payment until its transaction is recorded. */
const revert = async ({ facilitator, journal }: Relay, wallet: Wallet) => {
  const payment = wallet.pay()
  const before = journal.records().length
  await chain.client.setAutomine(false)
  const settling = facilitator.settle(payment.payload, payment.requirements)
  await expect.poll(() => journal.records().length).toBe(before + 1)
  await wallet.turn(false)
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
  expect(await settling).toMatchObject({ success: false, errorReason: "transaction_failed" })
  await wallet.turn(true)
  return payment
}

describe("a wallet that accepts signatures only where no fees are paid", () => {
  it("makes a naive relayer pay for a reverted transaction with each payment", async () => {
    const { account, isPayable, send } = await startNaiveRelayer(chain)
    const wallet = await placeHostileWallet(chain, feeSensingCode)
    for (let count = 0; count < 3; count++) {
      const { signature, terms } = wallet.pay()
      expect(await isPayable(terms, signature)).toBe(true)
      expect(await send(terms, signature)).toBe(false)
    }
    expect(await sentBy(account.address)).toBe(3)
    expect(await chain.balanceOf(wallet.address)).toBe(100_000n)
  })

  it("is refused here before any work, as payments are simulated with their fees", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const { payload, requirements } = (await placeHostileWallet(chain, feeSensingCode)).pay()
    const reason = "invalid_exact_evm_signature"
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ errorReason: reason })
    expect(journal.records()).toEqual([])
    expect(await sentBy(account.address)).toBe(0)
  })

  it("is never sent by a relayer that has little gas money", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const { payload, requirements } = (await placeHostileWallet(chain, feeSensingCode)).pay()
    const { maxFeePerGas } = await chain.client.estimateFeesPerGas()
    await chain.client.setBalance({ address: account.address, value: 100_000n * maxFeePerGas })
    expect((await facilitator.settle(payload, requirements)).success).toBe(false)
    expect(journal.records()).toEqual([])
  })
})

describe("a wallet that refuses a signature after it has accepted it", () => {
  it("gets one transaction for a payment", async () => {
    const relay = await startRelay(chain)
    const wallet = await placeHostileWallet(chain)
    const { payload, requirements } = await revert(relay, wallet)
    const [record] = relay.journal.records()
    for (let call = 0; call < 3; call++) {
      // Open, with its transaction: the authorization is still valid.
      expect(await relay.facilitator.settle(payload, requirements)).toMatchObject({
        success: false,
        errorReason: "transaction_failed",
        transaction: record!.transaction
      })
    }
    expect(await sentBy(relay.account.address)).toBe(1)
  })

  it("gets as much reverted gas as the limit of a payer has, and others are served", async () => {
    const relay = await startRelay(chain, { maxRevertedGasPerPayer: 400_000n })
    const wallet = await placeHostileWallet(chain)
    await revert(relay, wallet)
    const { payload, requirements } = wallet.pay()
    const reason = "payer_reverts_above_limit"
    const { facilitator } = relay
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
    const refused = { errorReason: reason, transaction: "" }
    expect(await facilitator.settle(payload, requirements)).toMatchObject(refused)
    const honest = await walletPayment(chain, await placeWallet(chain))
    expect(await facilitator.settle(honest.payload, honest.requirements)).toMatchObject({ success: true })
    expect(await sentBy(relay.account.address)).toBe(2)
  })

  it("shares the limit of strangers with other wallets, also at once; known payers and keys are served", async () => {
    const relay = await startRelay(chain, { maxRevertedGasOfStrangers: 1_400_000n })
    const { facilitator } = relay
    const customer = await placeWallet(chain)
    const settle = async ({ payload, requirements }: Awaited<ReturnType<typeof walletPayment>>) =>
      facilitator.settle(payload, requirements)
    expect(await settle(await walletPayment(chain, customer))).toMatchObject({ success: true })
    const wallets = await Promise.all(Array.from({ length: 6 }, () => placeHostileWallet(chain)))
    await chain.client.setAutomine(false)
    const reasons: Array<string | undefined> = []
    const settling = wallets.map(async ({ pay }) => reasons.push((await settle(pay())).errorReason))
    // Two are sent; the others are refused before that.
    await expect.poll(() => reasons).toEqual(Array.from({ length: 4 }, () => "reverts_above_limit"))
    await expect.poll(async () => (await chain.client.getTxpoolStatus()).pending).toBe(2)
    await Promise.all(wallets.map(({ turn }) => turn(false)))
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    await Promise.all(settling)
    expect(reasons.slice(4)).toEqual(["transaction_failed", "transaction_failed"])
    // The payer with a settlement, and a payer with a key.
    expect(await settle(await walletPayment(chain, customer))).toMatchObject({ success: true })
    const byKey = await signedPayment(chain)
    expect(await facilitator.settle(byKey.payload, byKey.requirements)).toMatchObject({ success: true })
    expect(await sentBy(relay.account.address)).toBe(5)
  })
})

describe("a payer with a key who moves the money first", () => {
  it("gets three transactions for a payment at most", async () => {
    const payer = privateKeyToAccount(generatePrivateKey())
    const { payload, requirements } = await signedPayment(chain, { value: 1_000_000n }, payer)
    const { account, facilitator } = await startRelay(chain)
    const moved = { address: chain.usdc, from: payer.address }
    for (let attempt = 0; attempt < 5; attempt++) {
      await chain.client.setAutomine(false)
      const settling = facilitator.settle(payload, requirements)
      const pooled = async () => (await chain.client.getTxpoolStatus()).pending
      if (attempt < 3) await expect.poll(pooled).toBe(1)
      const snapshot = await chain.balanceOf(moved.from)
      const code = await chain.client.getCode({ address: moved.address })
      // The token refuses every transfer in this block.
      await chain.client.setCode({ address: moved.address, bytecode: "0xfe" })
      await chain.client.mine({ blocks: 1 })
      await chain.client.setCode({ address: moved.address, bytecode: code! })
      await chain.client.setAutomine(true)
      expect(await settling).toMatchObject({ success: false, errorReason: "transaction_failed" })
      expect(await chain.balanceOf(moved.from)).toBe(snapshot)
    }
    expect(await sentBy(account.address)).toBe(3)
  })
})
