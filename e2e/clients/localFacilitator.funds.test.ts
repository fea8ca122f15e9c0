import { type Chain, startChain } from "@till402/sandbox"
import { type Hex, parseTransaction, toFunctionSelector } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { startNaiveRelayer } from "./naiveRelayer.ts"
import { signedPayment, startRelay } from "./relayers.ts"

/*
 * Money that is promised twice: the payer's to several authorizations, and the relayer's to several transactions.
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

type Payment = Awaited<ReturnType<typeof signedPayment>>

/** Payments of one payer, who has the money for one. */
const paymentsForOne = async (count: number) => {
  const payer = privateKeyToAccount(generatePrivateKey())
  await chain.mint(payer.address, 10_000n)
  return Promise.all(Array.from({ length: count }, () => signedPayment(chain, {}, payer)))
}

describe("twenty authorizations with money for one", () => {
  it("make a naive relayer pay for nineteen reverted transactions", async () => {
    const payments = await paymentsForOne(20)
    const { account, isPayable, send } = await startNaiveRelayer(chain)
    const payable = await Promise.all(payments.map(({ signature, terms }) => isPayable(terms, signature)))
    expect(payable).toEqual(payments.map(() => true))
    const sent = []
    for (const { signature, terms } of payments) sent.push(await send(terms, signature))
    expect(sent.filter(Boolean)).toHaveLength(1)
    expect(await sentBy(account.address)).toBe(20)
  })

  it("cost this one a single transaction, in any number of processes", async () => {
    const payments = await paymentsForOne(20)
    const one = await startRelay(chain)
    const two = await startRelay(chain, { account: one.account, journal: one.journal })
    const results = await Promise.all(
      payments.map(({ payload, requirements }, index) =>
        (index % 2 === 0 ? one : two).facilitator.settle(payload, requirements)
      )
    )
    expect(results.filter(({ success }) => success)).toHaveLength(1)
    // Final: nothing was sent, and the chain shows that the money is gone. On a slow machine, some can't be judged in time.
    const reasons = results.filter(({ success }) => !success).map(({ errorReason }) => errorReason)
    const final = reasons.filter((reason) => reason === "invalid_exact_evm_insufficient_balance")
    expect(final.length).toBeGreaterThan(reasons.length / 2)
    expect(new Set([...reasons, "unexpected_settle_error"]).size).toBe(2)
    expect(await sentBy(one.account.address)).toBe(1)
  })

  it("cost a single transaction also if one is mined while another process takes its number", async () => {
    const [first, second] = await paymentsForOne(2)
    const one = await startRelay(chain)
    let settling: Promise<unknown> | undefined
    const two = await startRelay(chain, {
      account: one.account,
      journal: {
        ...one.journal,
        // What it reads is out of date when it arrives: the other process has settled meanwhile.
        since: async (...from) => {
          const records = await one.journal.since(...from)
          settling ??= one.facilitator.settle(first!.payload, first!.requirements)
          await settling
          return records
        }
      }
    })
    expect(await two.facilitator.settle(second!.payload, second!.requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_insufficient_balance"
    })
    expect(await settling).toMatchObject({ success: true })
    expect(await sentBy(one.account.address)).toBe(1)
  })

  it("cost a single transaction also if one is settled after the other's balance was read", async () => {
    const [first, second] = await paymentsForOne(2)
    const one = await startRelay(chain)
    let settling: Promise<unknown> | undefined
    const two = await startRelay(chain, {
      account: one.account,
      journal: one.journal,
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        const response = await fetch(input, { ...init, body })
        // The last of its reads arrives late.
        if (body.includes("eth_estimateGas")) {
          await new Promise((resolve) => setTimeout(resolve, 300))
          settling ??= one.facilitator.settle(first!.payload, first!.requirements)
          await settling
        }
        return response
      }
    })
    expect(await two.facilitator.settle(second!.payload, second!.requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_insufficient_balance"
    })
    expect(await settling).toMatchObject({ success: true })
    expect(await sentBy(one.account.address)).toBe(1)
  })

  it("cost a single transaction also if one is settled between the reads of the other's balance and gas", async () => {
    const [first, second] = await paymentsForOne(2)
    const one = await startRelay(chain)
    const balanceRead = Promise.withResolvers<void>()
    let settling: Promise<unknown> | undefined
    const two = await startRelay(chain, {
      account: one.account,
      journal: one.journal,
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        if (body.includes("eth_estimateGas")) {
          await balanceRead.promise
          await (settling ??= one.facilitator.settle(first!.payload, first!.requirements))
        }
        const response = await fetch(input, { ...init, body })
        if (body.includes(toFunctionSelector("balanceOf(address)").slice(2))) balanceRead.resolve()
        return response
      }
    })
    expect(await two.facilitator.settle(second!.payload, second!.requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_insufficient_balance"
    })
    expect(await settling).toMatchObject({ success: true })
    expect(await sentBy(one.account.address)).toBe(1)
  })

  it("are open, not refused, while the first is: it may still fail", async () => {
    const [first, second] = await paymentsForOne(2)
    const { account, facilitator, journal } = await startRelay(chain, { confirmTimeoutMillis: 400 })
    await chain.client.setAutomine(false)
    await facilitator.settle(first!.payload, first!.requirements)
    expect(await facilitator.verify(second!.payload, second!.requirements)).toMatchObject({
      isValid: false,
      invalidReason: "invalid_exact_evm_insufficient_balance"
    })
    expect(await facilitator.verify(first!.payload, first!.requirements)).toMatchObject({ isValid: true })
    expect(await facilitator.settle(second!.payload, second!.requirements)).toMatchObject({
      errorReason: "payer_settlements_open",
      transaction: ""
    })
    expect(journal.records()).toHaveLength(1)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    await chain.mint(second!.payer.address, 10_000n)
    const settle = async () => (await facilitator.settle(second!.payload, second!.requirements)).success
    await expect.poll(settle, { timeout: 60_000 }).toBe(true)
    expect(await sentBy(account.address)).toBe(2)
  })

  it("are as many as the payer can pay, one after the other, to the last unit", async () => {
    const payer = privateKeyToAccount(generatePrivateKey())
    await chain.mint(payer.address, 40_000n)
    const { facilitator } = await startRelay(chain)
    for (let count = 0; count < 4; count++) {
      const { payload, requirements } = await signedPayment(chain, {}, payer)
      expect(await facilitator.verify(payload, requirements)).toMatchObject({ isValid: true })
      expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
    }
    expect(await chain.balanceOf(payer.address)).toBe(0n)
  })
})

describe("a relayer with the money for one settlement", () => {
  const startPoor = async (change = {}) => {
    const relay = await startRelay(chain, change)
    const { payload, requirements } = await signedPayment(chain)
    const probe = await startRelay(chain)
    await probe.facilitator.settle(payload, requirements)
    const { gas = 0n, maxFeePerGas = 0n } = parseTransaction(probe.journal.records()[0]!.signedTransaction)
    const balanceFor = async (count: bigint) => {
      // A little more than one reserve, as fees move between blocks.
      const value = (gas * maxFeePerGas * count * 11n) / 10n
      await chain.client.setBalance({ address: relay.account.address, value })
    }
    return { ...relay, gas, balanceFor }
  }

  it("lets one payment of ten begin, and reserves the money for it", async () => {
    const { balanceFor, facilitator } = await startPoor()
    await balanceFor(1n)
    const payments = await Promise.all(Array.from({ length: 10 }, () => signedPayment(chain)))
    const verified = await Promise.all(
      payments.map(({ payload, requirements }) =>
        facilitator.verify(payload, requirements).then(
          ({ isValid }) => isValid,
          ({ reason }) => reason
        )
      )
    )
    expect(verified.filter((each) => each === true)).toHaveLength(1)
    expect(verified.filter((each) => each === "relayer_out_of_funds")).toHaveLength(9)
    const { payload, requirements } = payments[verified.indexOf(true)]!
    // What is reserved for a payment is not missing for it.
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ isValid: true })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
  })

  it.each([
    ["a new payer", false],
    ["a payer who has paid before", true]
  ])("reserves nothing twice for %s with the balance for one payment", async (_, isKnown) => {
    const { balanceFor, facilitator } = await startPoor()
    const settle = ({ payload, requirements }: Payment) => facilitator.settle(payload, requirements)
    const verify = ({ payload, requirements }: Payment) => facilitator.verify(payload, requirements)
    const customer = privateKeyToAccount(generatePrivateKey())
    const payer = privateKeyToAccount(generatePrivateKey())
    await balanceFor(5n)
    expect(await settle(await signedPayment(chain, {}, customer))).toMatchObject({ success: true })
    await chain.mint(payer.address, isKnown ? 20_000n : 10_000n)
    if (isKnown) expect(await settle(await signedPayment(chain, {}, payer))).toMatchObject({ success: true })
    for (let count = 0; count < 12; count++)
      expect(await verify(await signedPayment(chain, {}, payer))).toMatchObject({ isValid: true })
    const payment = await signedPayment(chain, {}, customer)
    expect(await verify(payment)).toMatchObject({ isValid: true })
    expect(await settle(payment)).toMatchObject({ success: true })
  })

  it("leaves half of it to payers who have paid here, whoever else has money", async () => {
    const { balanceFor, facilitator } = await startPoor()
    const settle = ({ payload, requirements }: Payment) => facilitator.settle(payload, requirements)
    const isVerified = ({ payload, requirements }: Payment) =>
      facilitator.verify(payload, requirements).then(
        ({ isValid }) => isValid,
        ({ reason }) => reason
      )
    const customer = privateKeyToAccount(generatePrivateKey())
    await balanceFor(5n)
    expect(await settle(await signedPayment(chain, {}, customer))).toMatchObject({ success: true })
    const strangers = await Promise.all(Array.from({ length: 6 }, () => signedPayment(chain)))
    const verified = []
    for (const stranger of strangers) verified.push(await isVerified(stranger))
    expect(verified).toEqual([true, true, ...Array.from({ length: 4 }, () => "relayer_out_of_funds")])
    const payment = await signedPayment(chain, {}, customer)
    expect(await isVerified(payment)).toBe(true)
    expect(await settle(payment)).toMatchObject({ success: true })
  })

  it("reserves nothing for a payment whose simulation its node refuses", async () => {
    const { account, facilitator } = await startRelay(chain, {
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        const error = { code: -32000, message: "gas required exceeds allowance" }
        return body.includes("eth_estimateGas") && body.includes("maxFeePerGas") && isRefusing
          ? Response.json({ jsonrpc: "2.0", id: (JSON.parse(body) as { readonly id: number }).id, error })
          : fetch(input, { ...init, body })
      }
    })
    let isRefusing = true
    const { maxFeePerGas } = await chain.client.estimateFeesPerGas()
    await chain.client.setBalance({ address: account.address, value: 150_000n * maxFeePerGas })
    const [refused, payment] = [await signedPayment(chain), await signedPayment(chain)]
    await expect(facilitator.verify(refused.payload, refused.requirements)).rejects.toThrow()
    isRefusing = false
    expect(await facilitator.verify(payment.payload, payment.requirements)).toMatchObject({ isValid: true })
  })

  it("records no transaction that it can't pay beside those that are open, in any number of processes", async () => {
    const one = await startPoor()
    const two = await startRelay(chain, { account: one.account, journal: one.journal })
    await one.balanceFor(1n)
    const payments = await Promise.all(Array.from({ length: 6 }, () => signedPayment(chain)))
    await chain.client.setAutomine(false)
    const settling = Promise.all(
      payments.map(({ payload, requirements }, index) =>
        (index % 2 === 0 ? one : two).facilitator.settle(payload, requirements)
      )
    )
    // Recorded comes before sent: a block in between would leave it out.
    await expect.poll(async () => (await chain.client.getTxpoolStatus()).pending).toBe(1)
    await chain.client.mine({ blocks: 1 })
    const results = await settling
    expect(results.filter(({ success }) => success)).toHaveLength(1)
    const others = results.filter(({ success }) => !success)
    expect(others.map(({ errorReason, transaction }) => [errorReason, transaction])).toEqual(
      others.map(() => ["relayer_out_of_funds", ""])
    )
    // None waits for a number that can't be mined.
    expect(one.journal.records()).toHaveLength(1)
    expect(await sentBy(one.account.address)).toBe(1)
  })

  it("needs the price of all gas of a settlement, not of one unit", async () => {
    const { account, facilitator, gas, journal } = await startPoor()
    const { maxFeePerGas } = await chain.client.estimateFeesPerGas()
    await chain.client.setBalance({ address: account.address, value: (gas / 2n) * maxFeePerGas })
    const { payload, requirements } = await signedPayment(chain)
    const refused = { reason: "relayer_out_of_funds" }
    await expect(facilitator.verify(payload, requirements)).rejects.toMatchObject(refused)
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ errorReason: refused.reason })
    expect(journal.records()).toEqual([])
  })
})
