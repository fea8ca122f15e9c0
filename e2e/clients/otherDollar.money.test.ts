import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { balanceOf, dollar, mint, placeToken, token } from "./dollarToken.ts"
import { openShop } from "./refundShop.ts"
import {
  fundedRelayer,
  losingTransactions,
  messageOf,
  paymentOf,
  startRelay,
  submit,
  termsOf
} from "./relayers.ts"

/*
 * Another dollar through the official client and each kind of facilitator: bought with, refunded in, and audited.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
  await placeToken(chain)
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

/** A local facilitator that settles USDC and the other dollar. */
const startLocal = () =>
  startRelay(chain, { networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, tokens: [token] }] })

const clients = {
  "the official facilitator": async () => official.client,
  "a local facilitator": async () => {
    const { facilitator } = await startLocal()
    return { ...facilitator.forTill("shop"), getSupported: facilitator.getSupported }
  }
}

describe.each(Object.entries(clients))("an order paid in another dollar through %s", (_, open) => {
  it("is refunded in it, to the atomic unit, and balances with the chain", async () => {
    const shop = await openShop({ chain, official: { client: await open() }, token })
    const till = await shop.openTill()
    const orderId = await shop.buy(till)
    await shop.untilRefunded(till, orderId)
    const entries = await till.ledger.list()
    expect(new Set(entries.map(({ asset }) => asset))).toEqual(new Set([dollar]))
    const refunded = entries.find(({ kind }) => kind === "refunded")!
    expect(refunded.transaction).toMatch(/^0x[0-9a-f]{64}$/)
    expect({
      buyer: await balanceOf(chain, shop.buyer),
      payTo: await balanceOf(chain, shop.payTo),
      wallet: await balanceOf(chain, shop.wallet.address),
      usdc: await chain.balanceOf(shop.payTo)
    }).toEqual({
      buyer: 1_000_000_000n,
      payTo: refunded.amountAtomic,
      wallet: 1_000_000_000n - refunded.amountAtomic,
      usdc: 0n
    })
    const check = await till.ledger.check({ chain: true })
    expect(check).toMatchObject({ isBalanced: true, faults: [] })
    expect(check.chain).toMatchObject({ provenEntries: 1, openEntries: 0, transfers: 1, foreignTransfers: 0 })
  })
})

describe("several facilitators", () => {
  it("fail over to one that settles the token, and leave the charge with it", async () => {
    const { facilitator } = await startLocal()
    const down = () => Promise.reject(new Error("connection refused"))
    const shop = await openShop({ chain, official, token })
    const till = await shop.openTill({
      facilitator: [
        { verify: down, settle: down, name: "down", networks: ["base-sepolia"] },
        { ...facilitator.forTill("shop"), name: "local" }
      ]
    })
    await shop.search(till)
    expect(await till.ledger.list()).toMatchObject([{ kind: "settled", asset: dollar }])
    expect(await till.ledger.check({ chain: true })).toMatchObject({ isBalanced: true })
  })
})

/** Sends a transaction of nothing from an account, so that its next number is used up. */
const useNumber = async (account: PrivateKeyAccount): Promise<void> => {
  const { chain: onChain } = chain.client
  const hash = await chain.client.sendTransaction({ account, chain: onChain, to: account.address })
  await chain.client.waitForTransactionReceipt({ hash })
}

describe("a local facilitator", () => {
  const payer = privateKeyToAccount(generatePrivateKey())
  beforeAll(async () => {
    await chain.mint(payer.address, 1_000_000n)
    await mint(chain, payer.address, 1_000_000n)
  })

  it("settles each token in its own domain, also two authorizations with one nonce", async () => {
    const { account, facilitator, journal } = await startLocal()
    const terms = termsOf(payer.address)
    const inUsdc = paymentOf(chain, terms, await payer.signTypedData(messageOf(chain, terms)))
    const signature = await payer.signTypedData(messageOf(chain, terms, token))
    const inDollar = paymentOf(chain, terms, signature, token)
    const settled = await Promise.all(
      [inUsdc, inDollar].map(({ payload, requirements }) => facilitator.settle(payload, requirements))
    )
    expect(settled).toMatchObject([{ success: true }, { success: true }])
    expect([await chain.balanceOf(terms.to), await balanceOf(chain, terms.to)]).toEqual([10_000n, 10_000n])
    expect(new Set(journal.records().map(({ key }) => key.split(":")[2]))).toEqual(
      new Set([chain.usdc.toLowerCase(), dollar.toLowerCase()])
    )
    expect(await chain.client.getTransactionCount({ address: account.address })).toBe(2)
  })

  it("doesn't take a transfer of another token with the same nonce for a settlement", async () => {
    const account = await fundedRelayer(chain)
    const lost = await startRelay(chain, {
      account,
      networks: [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, tokens: [token] }],
      confirmTimeoutMillis: 500,
      fetch: losingTransactions
    })
    const terms = termsOf(payer.address)
    const signature = await payer.signTypedData(messageOf(chain, terms))
    await chain.client.waitForTransactionReceipt({ hash: await submit(chain, terms, signature, 1n) })
    const inDollar = await payer.signTypedData(messageOf(chain, terms, token))
    const { payload, requirements } = paymentOf(chain, terms, inDollar, token)
    // The number of the lost transaction is used up, so that the chain decides.
    const pending = await lost.facilitator.settle(payload, requirements)
    expect(pending).toMatchObject({ success: false, errorReason: "settlement_pending" })
    await useNumber(account)
    expect(await lost.facilitator.settle(payload, requirements)).toMatchObject({ success: false })
    expect(await balanceOf(chain, terms.to)).toBe(0n)
  })

  it("doesn't settle a payment signed in another token's domain", async () => {
    const { account, facilitator } = await startLocal()
    const terms = termsOf(payer.address)
    const forUsdc = await payer.signTypedData(messageOf(chain, terms))
    const forDollar = await payer.signTypedData(messageOf(chain, terms, token))
    for (const { payload, requirements } of [
      paymentOf(chain, terms, forUsdc, token),
      paymentOf(chain, terms, forDollar)
    ]) {
      expect(await facilitator.verify(payload, requirements)).toMatchObject({
        isValid: false,
        invalidReason: "invalid_exact_evm_signature"
      })
      expect(await facilitator.settle(payload, requirements)).toMatchObject({
        success: false,
        errorReason: "invalid_exact_evm_signature"
      })
    }
    expect(await chain.client.getTransactionCount({ address: account.address })).toBe(0)
    expect([await chain.balanceOf(terms.to), await balanceOf(chain, terms.to)]).toEqual([0n, 0n])
  })

  it("refuses a token that the host didn't name", async () => {
    const { facilitator } = await startRelay(chain)
    const terms = termsOf(payer.address)
    const signature = await payer.signTypedData(messageOf(chain, terms, token))
    const { payload, requirements } = paymentOf(chain, terms, signature, token)
    expect(await facilitator.verify(payload, requirements)).toMatchObject({
      isValid: false,
      invalidReason: "invalid_payment_requirements"
    })
  })

  it.each([
    ["no name", [{ ...token, name: "" }], "tokens must have an address, and the name and version"],
    ["no address", [{ ...token, address: "0x12" }], "tokens must have an address"],
    [
      "USDC",
      [{ address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e", name: "USDC", version: "2" }],
      "or USDC"
    ],
    ["one token twice", [token, { ...token, name: "Other" }], "tokens names a token twice"]
  ])("is not made with %s", async (_, tokens, message) => {
    const networks = [{ network: "base-sepolia", rpcUrl: chain.rpcUrl, tokens }]
    await expect(startRelay(chain, { networks })).rejects.toThrow(message)
  })
})
