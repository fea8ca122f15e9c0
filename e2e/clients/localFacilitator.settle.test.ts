import { localFacilitator } from "@till402/providers/facilitator"
import { type Chain, startChain, usdcAbi } from "@till402/sandbox"
import { parseTransaction } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  factory,
  multicall3,
  placeMulticall,
  placeWallet,
  plannedWallet,
  walletPayment
} from "./contractWallets.ts"
import { messageOf, paymentOf, signedPayment, startRelay } from "./relayers.ts"

/*
 * Settlement by a local facilitator on a real chain: each authorization once, for any number of calls and processes.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
  await placeMulticall(chain)
})
afterAll(() => chain.stop())

const sentBy = (address: `0x${string}`) => chain.client.getTransactionCount({ address })

describe("a local facilitator settles", () => {
  it("a payment, with the overload that every token of EIP-3009 has", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const { payload, payer, requirements, terms } = await signedPayment(chain)
    const settled = await facilitator.settle(payload, requirements)
    expect(settled).toMatchObject({ success: true, network: "eip155:84532", payer: payer.address })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    const [record] = journal.records()
    expect(record).toMatchObject({ transaction: settled.transaction, nonce: 0, attempt: 0, replacement: 0 })
    const { data, gas } = parseTransaction(record!.signedTransaction)
    // transferWithAuthorization(…, uint8 v, bytes32 r, bytes32 s)
    expect(data!.slice(0, 10)).toBe("0xe3ee160e")
    expect(gas).toBeLessThanOrEqual(300_000n)
    expect(await sentBy(account.address)).toBe(1)
  })

  it("24 payments at once, in two processes with one key, each with its own transaction", async () => {
    const one = await startRelay(chain)
    const two = await startRelay(chain, { account: one.account, journal: one.journal })
    const payments = await Promise.all(Array.from({ length: 24 }, () => signedPayment(chain)))
    const settled = await Promise.all(
      payments.map(({ payload, requirements }, index) =>
        (index % 2 === 0 ? one : two).facilitator.settle(payload, requirements)
      )
    )
    expect(settled.filter(({ success }) => !success)).toEqual([])
    expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(24)
    expect(await sentBy(one.account.address)).toBe(24)
    for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })

  it("exactly the good ones of good and bad payments at once, each once", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const ordinary = await Promise.all([signedPayment(chain), signedPayment(chain)])
    const byWallet = await walletPayment(chain, await placeWallet(chain))
    const used = await signedPayment(chain)
    await (await startRelay(chain)).facilitator.settle(used.payload, used.requirements)
    const { terms } = await signedPayment(chain)
    const stranger = privateKeyToAccount(generatePrivateKey())
    const forged = paymentOf(chain, terms, await stranger.signMessage({ message: "forged" }))
    const bad = [await signedPayment(chain, { value: 2_000_000n }), used, forged]
    const good = [...ordinary, byWallet]
    const settled = await Promise.all(
      // One of them is presented twice.
      [...bad, ...good, ordinary[0]!].map(({ payload, requirements }) =>
        facilitator.settle(payload, requirements)
      )
    )
    expect(settled.map(({ success }) => success)).toEqual([false, false, false, true, true, true, true])
    for (const { terms } of good) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await chain.balanceOf(terms.to)).toBe(0n)
    expect(new Set(journal.records().map(({ key }) => key)).size).toBe(3)
    expect(await sentBy(account.address)).toBe(3)
  })

  it("one payment once, of thirty calls at once in two processes and of one later", async () => {
    const one = await startRelay(chain)
    const two = await startRelay(chain, { account: one.account, journal: one.journal })
    const { payload, requirements, terms } = await signedPayment(chain)
    const settled = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 === 0 ? one : two).facilitator.settle(payload, requirements)
      )
    )
    const again = await two.facilitator.settle(payload, requirements)
    expect(again.success).toBe(true)
    expect(new Set([...settled, again].map((each) => JSON.stringify(each))).size).toBe(1)
    expect(await sentBy(one.account.address)).toBe(1)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })

  it("a payment that took the payer's whole balance, once, however late the copies are checked", async () => {
    const { account, facilitator } = await startRelay(chain)
    const { payload, requirements } = await signedPayment(chain, { value: 1_000_000n })
    const all = Array.from({ length: 20 }, () => facilitator.settle(payload, requirements))
    expect((await Promise.all(all)).filter(({ success }) => !success)).toEqual([])
    expect(await sentBy(account.address)).toBe(1)
  })

  it("a payment for the till that presented it first, and no other", async () => {
    const { facilitator } = await startRelay(chain)
    const { payload, requirements } = await signedPayment(chain)
    expect((await facilitator.settle(payload, requirements, "shop")).success).toBe(true)
    expect(await facilitator.settle(payload, requirements, "thief")).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used"
    })
    expect((await facilitator.settle(payload, requirements, "shop")).success).toBe(true)
  })

  it("a payment for the tills of one store, in any process, and for no other store", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const { payload, requirements } = await signedPayment(chain)
    const bookshop = facilitator.forTill("bookshop")
    const settled = await bookshop.settle(payload, requirements)
    expect(settled.success).toBe(true)
    // A relayer that doesn't tell its tills apart tells the second one that it was paid, too.
    expect(await facilitator.forTill("bookshop").settle(payload, requirements)).toEqual(settled)
    expect(await facilitator.forTill("toyshop").settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used"
    })
    const other = await startRelay(chain, { account, journal })
    expect(await other.facilitator.forTill("bookshop").settle(payload, requirements)).toEqual(settled)
    expect(() => facilitator.forTill("")).toThrow("till must name the till's store")
  })

  it("a payment for no second till, even if that one looked before the first had recorded it", async () => {
    const { account, facilitator, journal } = await startRelay(chain)
    const { payload, requirements } = await signedPayment(chain)
    let isFirst = true
    const late = await startRelay(chain, {
      account,
      journal: {
        ...journal,
        find: async (key) => {
          if (!isFirst) return journal.find(key)
          isFirst = false
          expect((await facilitator.settle(payload, requirements, "shop")).success).toBe(true)
          return []
        }
      }
    })
    expect(await late.facilitator.settle(payload, requirements, "thief")).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used"
    })
  })

  it("no second authorization with a nonce that it settles", async () => {
    const { account, facilitator } = await startRelay(chain)
    const { payer, payload, requirements, terms } = await signedPayment(chain)
    const dearer = { ...terms, value: 20_000n }
    const signature = await payer.signTypedData(messageOf(chain, dearer))
    const other = paymentOf(chain, dearer, signature)
    const results = await Promise.all([
      facilitator.settle(payload, requirements),
      facilitator.settle(other.payload, other.requirements)
    ])
    expect(results.map(({ success }) => success).toSorted()).toEqual([false, true])
    expect(results.find(({ success }) => !success)?.errorReason).toBe("invalid_exact_evm_nonce_already_used")
    expect(await sentBy(account.address)).toBe(1)
  })

  it("no payment that was used before it was presented", async () => {
    const first = await startRelay(chain)
    const { payload, requirements } = await signedPayment(chain)
    await first.facilitator.settle(payload, requirements)
    const stranger = await startRelay(chain)
    const refused = await stranger.facilitator.settle(payload, requirements)
    expect(refused).toMatchObject({ success: false, errorReason: "invalid_exact_evm_nonce_already_used" })
    expect(stranger.journal.records()).toEqual([])
  })

  it("no payment whose nonce the payer used for a transfer of nothing, and none of nothing", async () => {
    const { facilitator, journal } = await startRelay(chain)
    const { payer, payload, requirements, terms } = await signedPayment(chain)
    const nothing = { ...terms, value: 0n }
    const signature = await payer.signTypedData(messageOf(chain, nothing))
    const free = paymentOf(chain, nothing, signature)
    expect(await facilitator.settle(free.payload, free.requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_payload_authorization_value_mismatch"
    })
    const { from, nonce, to, validAfter, validBefore, value } = nothing
    const hash = await chain.client.writeContract({
      address: chain.usdc,
      abi: usdcAbi,
      functionName: "transferWithAuthorization",
      args: [from, to, value, validAfter, validBefore, nonce, signature]
    })
    await chain.client.waitForTransactionReceipt({ hash })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "invalid_exact_evm_nonce_already_used"
    })
    expect(journal.records()).toEqual([])
    expect(await chain.balanceOf(terms.to)).toBe(0n)
  })

  it("a payment of a wallet contract", async () => {
    const { facilitator } = await startRelay(chain)
    const { payload, requirements, terms } = await walletPayment(chain, await placeWallet(chain))
    expect((await facilitator.settle(payload, requirements)).success).toBe(true)
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })

  it("the first payment of a wallet of an allowed factory, which it creates, and the second", async () => {
    const { facilitator, journal } = await startRelay(chain, { walletFactories: [factory] })
    const planned = await plannedWallet(chain)
    const first = await walletPayment(chain, planned, planned.wrap)
    expect(await facilitator.settle(first.payload, first.requirements)).toMatchObject({ success: true })
    expect(await chain.balanceOf(first.terms.to)).toBe(first.terms.value)
    expect(await chain.client.getCode({ address: planned.address })).toMatch(/^0x60/)
    const second = await walletPayment(chain, planned, planned.wrap)
    expect(await facilitator.settle(second.payload, second.requirements)).toMatchObject({ success: true })
    const called = journal.records().map(({ signedTransaction }) => parseTransaction(signedTransaction).to)
    expect(called).toEqual([multicall3.toLowerCase(), chain.usdc.toLowerCase()])
  })

  it("nothing for unusable options: the error names the option", async () => {
    const { account, journal } = await startRelay(chain)
    const networks = [{ network: "base-sepolia", rpcUrl: chain.rpcUrl }]
    for (const [change, name] of [
      [{ networks: [] }, "networks"],
      [{ networks: [...networks, ...networks] }, "twice"],
      [{ networks: [{ network: "nowhere", rpcUrl: chain.rpcUrl }] }, "networks"],
      [{ networks: [{ network: "base", rpcUrl: "ftp://node" }] }, "rpcUrl"],
      [{ maxGas: 0n }, "maxGas"],
      [{ confirmTimeoutMillis: Number.NaN }, "confirmTimeoutMillis"]
    ] as const) {
      expect(() => localFacilitator({ account, journal, networks, ...change })).toThrow(name)
    }
  })

  it("nothing through a node of another chain", async () => {
    const { account, journal } = await startRelay(chain)
    const networks = [{ network: "base", rpcUrl: chain.rpcUrl }]
    const facilitator = localFacilitator({ account, journal, networks, retries: 0, pollMillis: 20 })
    const { payload, requirements } = await signedPayment(chain)
    const base = { ...requirements, network: "eip155:8453" }
    const asset = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
    const moved = { ...payload, accepted: { ...base, asset } }
    expect((await facilitator.settle(moved, { ...base, asset }, "shop")).success).toBe(false)
    expect(journal.records()).toEqual([])
  })
})
