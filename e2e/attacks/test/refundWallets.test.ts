import { usdcAbi } from "@till402/sandbox"
import { parseEventLogs } from "viem"
import { describe, expect, it } from "vitest"
import { attack } from "../src/attack.ts"
import { openAttacker } from "../src/Attacker.ts"
import { usdc } from "../src/Calls.ts"
import { useNonce } from "../src/Multicall.ts"
import { isUsed } from "../src/ReceiptReader.ts"
import {
  account,
  failAtEach,
  local,
  newWallet,
  nonceOf,
  oweNaive,
  payByTwo,
  payDespite,
  price,
  startRefundChain
} from "./refundWalletRuns.ts"

/*
 * Refunds of one store, with more than one wallet that can pay them, and strangers who use their nonces.
 * refundWallets.deep.test.ts has the same of other payers.
 */

startRefundChain()

const refundsByNonce = "a hand-rolled server that knows a refund by its nonce"

attack("a refund that two refund wallets of one store can pay", {
  on: refundsByNonce,
  lands: async () => {
    const payer = await oweNaive()
    const nonce = nonceOf("the payment")
    const before = await local().chain.balanceOf(payer.address)
    // A former rule of Till402: a refund is sent while its nonce is unused. Each wallet has nonces of its own.
    for (const wallet of [await newWallet(), await newWallet()]) {
      const authorization = { from: wallet.address, nonce } as Parameters<typeof isUsed>[1]
      for (let time = 0; time < 2; time++)
        if (!(await isUsed(local().chain, authorization)))
          await openAttacker(local()).send(await useNonce(wallet, { to: payer.address, value: price, nonce }))
    }
    expect((await local().chain.balanceOf(payer.address)) - before).toBe(2n * price)
  },
  fails: () => payByTwo(false)
})

attack("a refund whose nonce a stranger uses", {
  on: refundsByNonce,
  lands: async () => {
    const payer = await oweNaive()
    const nonce = nonceOf("another payment")
    const before = await local().chain.balanceOf(payer.address)
    const stranger = await account()
    await openAttacker(local()).send(await useNonce(stranger, { to: stranger.address, value: 0n, nonce }))
    // Looks for the nonce in the events of the token.
    const logs = await local().chain.client.getLogs({ address: usdc, fromBlock: 0n })
    const used = parseEventLogs({ abi: usdcAbi, eventName: "AuthorizationUsed", logs })
    const isSent = used.some(({ args }) => args.nonce === nonce)
    if (!isSent)
      await openAttacker(local()).send(
        await useNonce(await newWallet(), { to: payer.address, value: price, nonce })
      )
    expect((await local().chain.balanceOf(payer.address)) - before).toBe(0n)
  },
  fails: () => payDespite({ isKnown: true, value: price })
})

it("two tills with a store of their own each and one refund wallet refund a payment once", async () => {
  const wallet = await newWallet()
  expect(await failAtEach([wallet, wallet])).toBe(price)
})

describe("what no server can promise", () => {
  it("two tills with a store and a refund wallet of their own each both refund a payment that failed at both", async () => {
    expect(await failAtEach([await newWallet(), await newWallet()])).toBe(2n * price)
  })
})
