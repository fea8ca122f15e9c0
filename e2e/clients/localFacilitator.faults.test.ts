import { type LocalFacilitatorSettings } from "@till402/providers/facilitator"
import { sqliteJournals } from "@till402/providers/journals"
import { type Chain, startChain } from "@till402/sandbox"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Hex, keccak256, parseEther, parseGwei, parseTransaction } from "viem"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { losingTransactions, signedPayment, startRelay } from "./relayers.ts"

/*
 * A local facilitator that crashes, runs out of money, or meets a chain that doesn't mine: no payment is lost or made
 * twice, and no transaction blocks those after it.
 */

let chain: Chain
let folder: string
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
  folder = mkdtempSync(join(tmpdir(), "till402-facilitator-"))
})
afterAll(async () => {
  await chain.stop()
  rmSync(folder, { recursive: true, force: true })
})
afterEach(async () => {
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
})

const quick: Partial<LocalFacilitatorSettings> = { confirmTimeoutMillis: 300 }

describe("a local facilitator that dies between record and send", () => {
  it("sends the recorded transaction after its restart, from the journal on disk", async () => {
    const filename = join(folder, "crash.sqlite")
    const dying = sqliteJournals(filename)
    const { payload, requirements, terms } = await signedPayment(chain)
    const before = await startRelay(chain, {
      ...quick,
      journal: dying.settlements,
      fetch: losingTransactions
    })
    const [recorded] = await Promise.all([
      before.facilitator.settle(payload, requirements),
      expect(before.facilitator.settle(payload, requirements)).resolves.toMatchObject({ success: false })
    ])
    // The hash of what was recorded: the outcome is open.
    expect(recorded).toMatchObject({ success: false, errorReason: "settlement_pending" })
    await dying.close()
    expect(await chain.balanceOf(terms.to)).toBe(0n)

    const journals = sqliteJournals(filename)
    const after = await startRelay(chain, { account: before.account, journal: journals.settlements })
    const settled = await after.facilitator.settle(payload, requirements)
    expect(settled.success).toBe(true)
    expect(settled.transaction).toBe(recorded.transaction)
    expect(await journals.settlements.at(chain.chainId, addressOf(before), 0)).toHaveLength(1)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    await journals.close()
  })

  it("doesn't hold up the payments after it, which send what it left", async () => {
    const lost = await signedPayment(chain)
    const next = await signedPayment(chain)
    const before = await startRelay(chain, { ...quick, fetch: losingTransactions })
    await before.facilitator.settle(lost.payload, lost.requirements)
    const { account, journal } = before
    const after = await startRelay(chain, { account, journal, replaceAfterMillis: 600 })
    expect(await after.facilitator.settle(next.payload, next.requirements)).toMatchObject({ success: true })
    // Nobody asked for the first one again: it settled on the way.
    expect(await chain.balanceOf(lost.terms.to)).toBe(lost.terms.value)
    expect(await after.facilitator.settle(lost.payload, lost.requirements)).toMatchObject({ success: true })
    expect(await chain.client.getTransactionCount(account)).toBe(2)
  })

  it("names the recorded transaction even if the node is gone after the restart", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const before = await startRelay(chain, { ...quick, fetch: losingTransactions })
    await before.facilitator.settle(payload, requirements)
    const { facilitator } = await startRelay(chain, {
      ...quick,
      account: before.account,
      journal: before.journal,
      fetch: () => Promise.reject(new Error("no route"))
    })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "settlement_pending",
      transaction: before.journal.records()[0]!.transaction
    })
  })

  it("sends nothing that it couldn't record", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const { journal } = await startRelay(chain)
    const { account, facilitator } = await startRelay(chain, {
      ...quick,
      journal: { ...journal, insert: () => Promise.reject(new Error("disk full")) }
    })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "unexpected_settle_error",
      transaction: ""
    })
    expect(await chain.client.getTransactionCount(account)).toBe(0)
  })
})

const addressOf = ({ account }: { readonly account: { readonly address: Hex } }): Hex =>
  `0x${account.address.slice(2).toLowerCase()}`

describe("a node that forgets transactions", () => {
  it("gets all of them again, not one for each block", async () => {
    const payments = await Promise.all(Array.from({ length: 6 }, () => signedPayment(chain)))
    let forgotten = 0
    const { facilitator } = await startRelay(chain, {
      replaceAfterMillis: 900,
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        if (!body.includes("eth_sendRawTransaction") || ++forgotten > 6)
          return fetch(input, { ...init, body })
        return Response.json({ jsonrpc: "2.0", id: 1, result: `0x${"00".repeat(32)}` })
      }
    })
    await chain.client.setAutomine(false)
    const settling = Promise.all(
      payments.map(({ payload, requirements }) => facilitator.settle(payload, requirements))
    )
    const pooled = async () => (await chain.client.getTxpoolStatus()).pending
    await expect.poll(pooled, { timeout: 60_000 }).toBe(6)
    await chain.client.mine({ blocks: 1 })
    expect((await settling).filter(({ success }) => !success)).toEqual([])
  })
})

describe("a stuck transaction", () => {
  it("is replaced with the same number and higher fees, and settles once", async () => {
    await chain.client.setAutomine(false)
    const { account, facilitator, journal } = await startRelay(chain, {
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, maxFeePerGas: parseGwei("200") }],
      replaceAfterMillis: 400
    })
    await chain.client.setAutomine(true)
    const { payload, requirements, terms } = await signedPayment(chain)
    await chain.client.setAutomine(false)
    const settling = facilitator.settle(payload, requirements)
    // Recorded comes before sent: a block in between would leave it out.
    await expect.poll(async () => (await chain.client.getTxpoolStatus()).pending).toBe(1)
    const [first] = journal.records()
    const { maxFeePerGas = 0n } = parseTransaction(first!.signedTransaction)
    // The base fee rises above what the transaction pays.
    await chain.client.setNextBlockBaseFeePerGas({ baseFeePerGas: maxFeePerGas * 2n })
    await chain.client.mine({ blocks: 1 })
    await expect.poll(() => journal.records().length, { timeout: 60_000 }).toBeGreaterThan(1)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    const settled = await settling
    expect(settled.success).toBe(true)
    const sent = journal.records()
    expect(new Set(sent.map(({ nonce }) => nonce))).toEqual(new Set([0]))
    expect(settled.transaction).not.toBe(first!.transaction)
    expect(sent.map(({ transaction }) => transaction)).toContain(settled.transaction)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await chain.client.getTransactionCount(account)).toBe(1)
  })

  it("is replaced by the transaction that another process has recorded for that, and no other one", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const networks = [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, maxFeePerGas: parseGwei("200") }]
    const { account, facilitator, journal } = await startRelay(chain, { ...quick, networks })
    await chain.client.setAutomine(false)
    await facilitator.settle(payload, requirements)
    const [first] = journal.records()
    const { data, gas, to } = parseTransaction(first!.signedTransaction)
    const fees = { maxFeePerGas: parseGwei("150"), maxPriorityFeePerGas: parseGwei("20") }
    const call = { chainId: chain.chainId, nonce: 0, value: 0n, gas: gas!, data: data!, to: to!, ...fees }
    const signedTransaction = await account.signTransaction({ type: "eip1559", ...call })
    const theirs = { ...first!, replacement: 1, signedTransaction, transaction: keccak256(signedTransaction) }
    const sent: Array<string> = []
    const other = await startRelay(chain, {
      account,
      networks,
      replaceAfterMillis: 100,
      // The other process records its replacement while this one signs.
      journal: {
        ...journal,
        insert: async (record) => {
          if (record.replacement === 1) await journal.insert(theirs)
          return journal.insert(record)
        }
      },
      fetch: async (input, init) => {
        const body = await new Response(init?.body).text()
        if (body.includes("eth_sendRawTransaction")) sent.push(JSON.parse(body).params[0])
        return fetch(input, { ...init, body })
      }
    })
    const settling = other.facilitator.settle(payload, requirements)
    await expect.poll(() => sent, { timeout: 60_000 }).toContain(signedTransaction)
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    expect(await settling).toMatchObject({ success: true })
    const recorded = journal.records().map((record) => record.signedTransaction)
    expect(sent.filter((each) => !recorded.some((known) => known === each))).toEqual([])
  })

  it("is pending, with its hash, until it is mined; then the same call settles", async () => {
    const { payload, requirements, terms } = await signedPayment(chain)
    const { facilitator, journal } = await startRelay(chain, quick)
    await chain.client.setAutomine(false)
    const pending = await facilitator.settle(payload, requirements)
    const [record] = journal.records()
    expect(pending).toMatchObject({
      success: false,
      errorReason: "settlement_pending",
      transaction: record!.transaction
    })
    await chain.client.setAutomine(true)
    await chain.client.mine({ blocks: 1 })
    const settle = () => facilitator.settle(payload, requirements)
    await expect.poll(settle).toMatchObject({ success: true, transaction: record!.transaction })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})

describe("limits of a local facilitator", () => {
  it("send nothing while gas is too expensive, and settle later", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const cheap = await startRelay(chain, {
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, maxFeePerGas: 1n }]
    })
    const refused = { success: false, errorReason: "settlement_fees_above_limit", transaction: "" }
    // No work begins for a payment that can't be settled now.
    const { errorReason: reason } = refused
    await expect(cheap.facilitator.verify(payload, requirements)).rejects.toMatchObject({ reason })
    expect(await cheap.facilitator.settle(payload, requirements)).toMatchObject(refused)
    expect(cheap.journal.records()).toEqual([])
    const { facilitator } = await startRelay(chain, { account: cheap.account, journal: cheap.journal })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ success: true })
  })

  it("send nothing without gas money, and settle once there is some", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const { account, facilitator, journal } = await startRelay(chain)
    await chain.client.setBalance({ address: account.address, value: 1_000n })
    await expect(facilitator.verify(payload, requirements)).rejects.toMatchObject({
      reason: "relayer_out_of_funds"
    })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "relayer_out_of_funds",
      transaction: ""
    })
    expect(journal.records()).toEqual([])
    await chain.client.setBalance({ address: account.address, value: parseEther("1") })
    const again = async () => (await facilitator.settle(payload, requirements)).success
    await expect.poll(again, { timeout: 60_000, interval: 500 }).toBe(true)
    expect(await chain.client.getTransactionCount(account)).toBe(1)
  })

  it("refuse a settlement that needs more gas than the ceiling", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const { facilitator, journal } = await startRelay(chain, { maxGas: 30_000n })
    const reason = "settlement_gas_above_limit"
    expect(await facilitator.verify(payload, requirements)).toMatchObject({ invalidReason: reason })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({ errorReason: reason })
    expect(journal.records()).toEqual([])
  })
})
