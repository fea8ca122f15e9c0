import { Chain as EvidenceChain, findEvmNetwork } from "@till402/core/effect"
import { type Chain, startChain, usdcAbi } from "@till402/sandbox"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { type Hex, parseEventLogs, parseGwei, parseTransaction } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import {
  batch,
  type BatchChange,
  burnBatches,
  failuresIn,
  type Relay,
  settleAll,
  settleComposition,
  type SettledPayment,
  somePayments as somePaymentsOn,
  startBatches as startBatchesOn
} from "./batchRuns.ts"
import {
  multicall3,
  placeHostileWallet,
  placeMulticall,
  placeWallet,
  walletPayment
} from "./contractWallets.ts"
import { losingTransactions, signedPayment, startRelay, submit, type Terms, wireOf } from "./relayers.ts"

/*
 * Batches of a local facilitator on a real chain: many payments in one transaction, each judged by its own transfer.
 * localFacilitator.batches.deep.test.ts has longer and other runs.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
  await placeMulticall(chain)
})
afterAll(() => chain.stop())
afterEach(async () => {
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
})

const startBatches = (change: BatchChange = {}) => startBatchesOn(chain, change)
const somePayments = (count: number) => somePaymentsOn(chain, count)
const sentBy = (address: Hex) => chain.client.getTransactionCount({ address })

const gasOf = async (transaction: string) =>
  (await chain.client.getTransactionReceipt({ hash: `0x${transaction.slice(2)}` })).gasUsed

describe("payments at once", () => {
  it("settle in one transaction for less gas, each with its own record and transfer", async () => {
    let receipts = 0
    const relay = await startBatches({
      batch: { maxItems: 8, maxWaitMillis: 5_000 },
      pollMillis: 500,
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        if (body.includes("eth_getTransactionReceipt")) receipts++
        return fetch(input, { ...init, body })
      }
    })
    const payments = await somePayments(8)
    const settled = await settleAll(relay, payments)
    expect(failuresIn(settled)).toEqual([])
    const transactions = new Set(settled.map(({ transaction }) => transaction))
    expect(transactions.size).toBe(1)
    expect(await sentBy(relay.account.address)).toBe(1)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    const records = relay.journal.records()
    expect(new Set(records.map(({ key }) => key)).size).toBe(8)
    expect(records.map(({ item }) => item)).toEqual(payments.map((_, item) => item))
    expect(new Set(records.map(({ nonce, transaction }) => `${nonce} ${transaction}`)).size).toBe(1)
    // Once for the relay, once for the evidence, in each round of polling.
    expect(receipts).toBeLessThanOrEqual(8)

    const single = await startRelay(chain)
    const [alone] = await somePayments(1)
    const { transaction } = await single.facilitator.settle(alone!.payload, alone!.requirements)
    const [batched = ""] = transactions
    expect((await gasOf(batched)) / 8n).toBeLessThan(((await gasOf(transaction)) * 9n) / 10n)
    // The same payments again: no further transaction.
    expect(await settleAll(relay, payments)).toEqual(settled)
    expect(await sentBy(relay.account.address)).toBe(1)
  })

  it("don't wait for more; a lone payment waits for the bound, and is no batch", async () => {
    const payments = await somePayments(5)
    const ended: Array<string> = []
    const settle = async (name: string, relay: Relay, some: ReadonlyArray<SettledPayment>) => {
      expect(failuresIn(await settleAll(relay, some))).toEqual([])
      ended.push(name)
    }
    const full = await startBatches({ batch: { maxItems: 4, maxWaitMillis: 5_000 } })
    const relay = await startBatches({ batch: { maxItems: 16, maxWaitMillis: 3_000 } })
    await Promise.all([settle("full", full, payments.slice(0, 4)), settle("alone", relay, payments.slice(4))])
    expect(ended).toEqual(["full", "alone"])
    expect(parseTransaction(relay.journal.records()[0]!.signedTransaction).to).toBe(chain.usdc.toLowerCase())
  })

  it("get their own transactions where the network has no Multicall3", async () => {
    await chain.client.setCode({ address: multicall3, bytecode: "0x" })
    try {
      const relay = await startRelay(chain, { batch })
      expect(failuresIn(await settleAll(relay, await somePayments(2)))).toEqual([])
      expect(relay.journal.records().map(({ item, nonce }) => [item, nonce])).toEqual([
        [0, 0],
        [0, 1]
      ])
    } finally {
      await placeMulticall(chain)
    }
  })
})

describe("a batch with a bad payment", () => {
  it("leaves it out and names its reason, if it was used or its payer's balance fell before the batch is recorded", async () => {
    const relay = await startBatches({ batch: { maxItems: 8, maxWaitMillis: 3_000 } })
    const payments = await somePayments(7)
    const spoiled = payments[5]!
    const rival = await signedPayment(chain, { value: 1_000_000n }, payments[6]!.payer)
    const settling = settleAll(relay, payments)
    // Somebody uses the authorization while the batch is collected.
    await new Promise((resolve) => setTimeout(resolve, 350))
    await submit(chain, spoiled.terms, spoiled.signature, parseGwei("1"))
    await submit(chain, rival.terms, rival.signature, parseGwei("1"))
    const results = await settling
    expect(failuresIn(results)).toHaveLength(2)
    expect(results[6]).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_insufficient_balance",
      transaction: ""
    })
    expect(results[5]).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used",
      transaction: ""
    })
    expect(relay.journal.records()).toHaveLength(5)
    expect(await sentBy(relay.account.address)).toBe(1)
  })

  it("settles the others if the payer moves the money after it was recorded", async () => {
    const relay = await startBatches()
    const payments = await somePayments(7)
    const spoiled = payments[3]!
    const rival = await signedPayment(chain, { value: 1_000_000n }, spoiled.payer)
    await chain.client.setAutomine(false)
    const settling = settleAll(relay, payments)
    await expect.poll(() => relay.journal.records().length).toBe(7)
    await submit(chain, rival.terms, rival.signature, parseGwei("50"))
    await chain.client.mine({ blocks: 1 })
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 2 })
    const results = await settling
    expect(failuresIn(results)).toEqual([results[3]])
    expect(results[3]).toMatchObject({ errorReason: "transaction_failed" })
    // Its money is back: it gets a transaction of its own.
    await chain.mint(spoiled.payer.address, 1_000_000n)
    const again = await relay.facilitator.settle(spoiled.payload, spoiled.requirements)
    expect(again.success).toBe(true)
    expect(again.transaction).not.toBe(results[0]!.transaction)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})

describe("a wallet contract beside a batch", () => {
  it("gets its own transaction, so that its code can't use up the gas of others", async () => {
    const relay = await startBatches()
    const hostile = (await placeHostileWallet(chain)).pay()
    const honest = await walletPayment(chain, await placeWallet(chain))
    const payments = await somePayments(4)
    const results = await settleAll(relay, [hostile, honest, ...payments])
    expect(failuresIn(results)).toEqual([])
    const called = relay.journal
      .records()
      .filter(({ item }) => item === 0)
      .map(({ signedTransaction }) => parseTransaction(signedTransaction).to)
    expect(called.toSorted()).toEqual(
      [multicall3, chain.usdc, chain.usdc].map((address) => address.toLowerCase()).toSorted()
    )
  })

  it("that appears at a payer's address later costs one batch; the others settle by themselves", async () => {
    const relay = await startBatches()
    const payments = await somePayments(4)
    await chain.client.setAutomine(false)
    const settling = settleAll(relay, payments)
    await expect.poll(() => relay.journal.records().length).toBe(4)
    // An account that delegates to code which uses up all gas.
    await chain.client.setCode({ address: payments[0]!.payer.address, bytecode: "0xfe" })
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 2 })
    const failed = failuresIn(await settling).length
    expect(failed).toBeGreaterThan(0)
    const results = await settleAll(relay, payments)
    expect(failuresIn(results)).toEqual([results[0]])
    for (const { terms } of payments.slice(1)) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await chain.balanceOf(payments[0]!.terms.to)).toBe(0n)
    expect(await sentBy(relay.account.address)).toBe(failed)
  })
})

it("code that uses up the gas of batches burns one; honest payers are never refused, and their payments settle", () =>
  burnBatches(chain, { rounds: 2, honest: 6 }))

describe("a batch of a process that dies", () => {
  it("between record and send is sent by the next, for every item", async () => {
    const payments = await somePayments(4)
    const dying = await startBatches({ fetch: losingTransactions, confirmTimeoutMillis: 1_500 })
    const open = await settleAll(dying, payments)
    expect(open.map(({ errorReason }) => errorReason)).toEqual(payments.map(() => "settlement_pending"))
    const { account, journal } = dying
    const next = await startBatches({ account, journal })
    // An item whose record doesn't have the transaction itself, first.
    const settled = await settleAll(next, payments.toReversed())
    expect(failuresIn(settled)).toEqual([])
    expect(new Set(settled.map(({ transaction }) => transaction))).toEqual(
      new Set([journal.records()[0]!.transaction])
    )
    expect(await sentBy(account.address)).toBe(1)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })

  it("between send and receipt is settled by the next, once", async () => {
    const payments = await somePayments(4)
    await chain.client.setAutomine(false)
    const dying = await startBatches({ confirmTimeoutMillis: 1_500 })
    expect(failuresIn(await settleAll(dying, payments))).toHaveLength(4)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    const { account, journal } = dying
    const next = await startBatches({ account, journal })
    expect(failuresIn(await settleAll(next, payments))).toEqual([])
    expect(await sentBy(account.address)).toBe(1)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})

describe("a stuck batch", () => {
  it("is replaced with its number and all its items, and settles each once", async () => {
    const relay = await startBatches({
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, maxFeePerGas: parseGwei("200") }],
      replaceAfterMillis: 400
    })
    const payments = await somePayments(3)
    await chain.client.setAutomine(false)
    const settling = settleAll(relay, payments)
    await expect.poll(() => relay.journal.records().length).toBe(3)
    const { maxFeePerGas = 0n } = parseTransaction(relay.journal.records()[0]!.signedTransaction)
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas * 2n })
    await chain.client.mine({ blocks: 1 })
    await expect.poll(() => relay.journal.records().length, { timeout: 60_000 }).toBeGreaterThan(3)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    const settled = await settling
    expect(failuresIn(settled)).toEqual([])
    const records = relay.journal.records()
    expect(settled[0]!.transaction).not.toBe(records[0]!.transaction)
    expect(new Set(records.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    expect(await sentBy(relay.account.address)).toBe(1)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})

describe("two processes with one key", () => {
  it("settle each payment once, in batches with different numbers", async () => {
    const one = await startBatches()
    const two = await startBatches({ account: one.account, journal: one.journal })
    const payments = await somePayments(8)
    const [left, right] = await Promise.all([settleAll(one, payments), settleAll(two, payments)])
    expect(failuresIn([...left, ...right])).toEqual([])
    expect(left).toEqual(right)
    const sent = new Set(left.map(({ transaction }) => transaction))
    expect(await sentBy(one.account.address)).toBe(sent.size)
    expect(sent.size).toBeLessThan(8)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})

it("any composition of good and bad payments settles exactly the good ones, each once (seed 1)", () =>
  settleComposition(chain, 1))

describe("gas money for a part of a batch", () => {
  it("settles that part, and names the reason for the others", async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const relay = await startBatches({ account })
    const payments = await somePayments(8)
    const { maxFeePerGas } = await chain.client.estimateFeesPerGas()
    // A settlement reserves about 105,000 gas.
    await chain.client.setBalance({ address: account.address, value: maxFeePerGas * 450_000n })
    const results = await settleAll(relay, payments)
    const failed = failuresIn(results)
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(8)
    for (const result of failed) expect(result).toMatchObject({ errorReason: "relayer_out_of_funds" })
  })
})

describe("the till's evidence of a batch", () => {
  /** What a till reads of an authorization, with the batch as its hint. */
  const evidenceOf = (terms: Terms, transaction: string) => {
    const network = findEvmNetwork("base-sepolia")
    if (network === undefined) throw new Error("the network is unknown")
    const reading = Effect.gen(function* () {
      const reader = yield* EvidenceChain
      return yield* reader.evidence(network, wireOf(terms), { transaction })
    })
    const layer = EvidenceChain.layerRpc([{ ...network, rpcUrl: chain.rpcUrl }])
    return Effect.runPromise(reading.pipe(Effect.provide(layer.pipe(Layer.provide(FetchHttpClient.layer)))))
  }

  it("is each payment's own transfer", async () => {
    const relay = await startBatches()
    const payments = await somePayments(5)
    const [{ transaction = "" } = {}] = await settleAll(relay, payments)
    const shown = await Promise.all(payments.map(({ terms }) => evidenceOf(terms, transaction)))
    expect(shown.map(({ _tag }) => _tag)).toEqual(payments.map(() => "Moved"))
    expect(new Set(shown.map((each) => (each._tag === "Moved" ? each.logIndex : -1))).size).toBe(5)
  })

  it("is no other payment's transfer of the same amount to the same recipient", async () => {
    const relay = await startBatches()
    const [first, second] = await somePayments(2)
    const payTo = first!.terms.to
    const paid = await signedPayment(chain, { to: payTo }, first!.payer)
    const unpaid = await signedPayment(chain, { to: payTo }, first!.payer)
    const [{ transaction = "" } = {}] = await settleAll(relay, [paid, second!])
    // A server that trusts the receipt and finds a transfer from this payer to it would deliver twice.
    const receipt = await chain.client.getTransactionReceipt({ hash: `0x${transaction.slice(2)}` })
    expect(receipt.status).toBe("success")
    const transfers = parseEventLogs({ abi: usdcAbi, logs: receipt.logs, eventName: "Transfer" })
    const matching = transfers.filter(
      ({ args }) => args.from === first!.payer.address && args.to === payTo && args.value === 10_000n
    )
    expect(matching).toHaveLength(1)
    expect((await evidenceOf(paid.terms, transaction))._tag).toBe("Moved")
    expect((await evidenceOf(unpaid.terms, transaction))._tag).toBe("NotMoved")
  })
})
