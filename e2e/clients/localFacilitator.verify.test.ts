import type { FetchOptions } from "@till402/providers/facilitator"
import { type Chain, startChain } from "@till402/sandbox"
import { privateKeyToAccount, generatePrivateKey } from "viem/accounts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { factory, placeMulticall, placeWallet, plannedWallet, walletPayment } from "./contractWallets.ts"
import { newAddress, paymentOf, signedPayment, startRelay, termsOf } from "./relayers.ts"

/*
 * Verification by a local facilitator on a real chain. A refused payment is not recorded and not sent either.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

type Presented = Pick<Awaited<ReturnType<typeof signedPayment>>, "payload" | "requirements">

const expectRefused = async ({ payload, requirements }: Presented, reason: string, change = {}) => {
  const { facilitator, journal } = await startRelay(chain, change)
  expect(await facilitator.verify(payload, requirements)).toMatchObject({
    isValid: false,
    invalidReason: reason
  })
  expect(await facilitator.settle(payload, requirements)).toMatchObject({
    success: false,
    errorReason: reason,
    transaction: ""
  })
  expect(journal.records()).toEqual([])
}

/** A node that refuses to estimate gas. */
const refusingEstimates =
  (error: object): NonNullable<FetchOptions["fetch"]> =>
  async (input, init) => {
    const body = await new Response(init?.body).text()
    return body.includes("eth_estimateGas")
      ? Response.json({ jsonrpc: "2.0", id: 1, error })
      : fetch(input, { ...init, body })
  }

const nowSeconds = () => BigInt(Math.floor(Date.now() / 1000))

describe("a local facilitator verifies", () => {
  it("a payment of either protocol version", async () => {
    const { facilitator } = await startRelay(chain)
    const { payer, payload, requirements } = await signedPayment(chain)
    const valid = { isValid: true, payer: payer.address }
    expect(await facilitator.verify(payload, requirements)).toEqual(valid)
    const { amount, ...others } = requirements
    const first = { ...others, network: "base-sepolia", maxAmountRequired: amount }
    const payloadV1 = { x402Version: 1, scheme: "exact", network: "base-sepolia", payload: payload.payload }
    expect(await facilitator.verify(payloadV1, first)).toEqual(valid)
  })

  it("the time window", async () => {
    const early = await signedPayment(chain, { validAfter: nowSeconds() + 60n })
    await expectRefused(early, "invalid_exact_evm_payload_authorization_valid_after")
    const late = await signedPayment(chain, { validBefore: nowSeconds() + 3n })
    await expectRefused(late, "invalid_exact_evm_payload_authorization_valid_before")
  })

  it("the balance", async () => {
    const { payload, requirements } = await signedPayment(chain, { value: 1_000_001n })
    await expectRefused({ payload, requirements }, "invalid_exact_evm_insufficient_balance")
  })

  it("the recipient, the amount, the asset, the network and the scheme", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const cases = [
      [{ payTo: newAddress() }, "invalid_exact_evm_recipient_mismatch"],
      [{ amount: "10001" }, "invalid_exact_evm_payload_authorization_value_mismatch"],
      [{ amount: "-1" }, "invalid_payment_requirements"],
      [{ asset: newAddress() }, "invalid_payment_requirements"],
      [{ network: "eip155:8453" }, "invalid_network"],
      [{ scheme: "upto" }, "unsupported_scheme"]
    ] as const
    for (const [change, reason] of cases) {
      await expectRefused({ payload, requirements: { ...requirements, ...change } }, reason)
    }
    const elsewhere = { ...payload, accepted: { ...payload.accepted, network: "eip155:8453" } }
    await expectRefused({ payload: elsewhere, requirements }, "network_mismatch")
  })

  it("the signature: another key's, and an account without code that claims to be a wallet", async () => {
    const { signature, terms } = await signedPayment(chain)
    const other = privateKeyToAccount(generatePrivateKey())
    await chain.mint(other.address, 1_000_000n)
    await expectRefused(
      paymentOf(chain, termsOf(other.address, { to: terms.to, nonce: terms.nonce }), signature),
      "invalid_exact_evm_signature"
    )
    await expectRefused(paymentOf(chain, terms, `${signature}00`), "invalid_exact_evm_signature")
  })

  it("a wallet contract, which must accept the signature itself", async () => {
    const { facilitator } = await startRelay(chain)
    const wallet = await placeWallet(chain)
    const { payload, requirements, terms } = await walletPayment(chain, wallet)
    expect(await facilitator.verify(payload, requirements)).toEqual({ isValid: true, payer: terms.from })
    const { owner } = await placeWallet(chain)
    await expectRefused(
      await walletPayment(chain, { owner, address: wallet.address }),
      "invalid_exact_evm_signature"
    )
  })

  it("the gas of a wallet contract", async () => {
    const { payload, requirements } = await walletPayment(chain, await placeWallet(chain, true))
    await expectRefused({ payload, requirements }, "settlement_gas_above_limit")
    const { facilitator } = await startRelay(chain, { maxGas: 5_000_000n })
    expect((await facilitator.verify(payload, requirements)).isValid).toBe(true)
  })

  it("a wallet that isn't created yet: only of an allowed factory", async () => {
    const planned = await plannedWallet(chain)
    await expectRefused(
      await walletPayment(chain, planned, planned.wrap),
      "wallet_factory_not_allowed",
      // The chain lacks Multicall3, which calls the factory.
      { walletFactories: [factory] }
    )
    await placeMulticall(chain)
    const { payload, requirements } = await walletPayment(chain, planned, planned.wrap)
    await expectRefused({ payload, requirements }, "wallet_factory_not_allowed")
    const { facilitator } = await startRelay(chain, { walletFactories: [factory] })
    expect((await facilitator.verify(payload, requirements)).isValid).toBe(true)
    const stolen = await walletPayment(
      chain,
      { owner: (await plannedWallet(chain)).owner, address: planned.address },
      planned.wrap
    )
    await expectRefused(stolen, "invalid_exact_evm_signature", { walletFactories: [factory] })
  })

  it("nothing when the chain can't be read: verify rejects, and settle leaves the outcome open", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const { facilitator, journal } = await startRelay(chain, {
      fetch: () => Promise.reject(new Error("connection refused"))
    })
    await expect(facilitator.verify(payload, requirements)).rejects.toMatchObject({
      _tag: expect.any(String)
    })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: false,
      errorReason: "unexpected_settle_error"
    })
    expect(journal.records()).toEqual([])
  })

  it("nothing while the node fails: its trouble is not the payer's", async () => {
    const { payload, requirements } = await signedPayment(chain)
    const errors = [
      { code: -32000, message: "header not found" },
      { code: -32000, message: "insufficient funds for transfer" },
      { code: -32015, message: "missing trie node" },
      { code: -32005, message: "limit exceeded", data: { see: "https://node.example" } }
    ]
    for (const error of errors) {
      const { facilitator, journal } = await startRelay(chain, { fetch: refusingEstimates(error) })
      await expect(facilitator.verify(payload, requirements)).rejects.toMatchObject({ _tag: "NodeRefused" })
      // Open: another call settles it.
      expect(await facilitator.settle(payload, requirements)).toMatchObject({
        errorReason: "unexpected_settle_error",
        errorMessage: "NodeRefused"
      })
      expect(journal.records()).toEqual([])
    }
  })

  it("that the settlement would revert, in the words of any node", async () => {
    const { payload, requirements } = await signedPayment(chain)
    for (const error of [
      { code: -32000, message: "execution reverted" },
      { code: 3, message: "execution reverted: paused", data: "0x08c379a0" },
      { code: -32015, message: "VM execution error.", data: "Reverted 0x" }
    ]) {
      const reason = "invalid_exact_evm_transaction_simulation_failed"
      await expectRefused({ payload, requirements }, reason, { fetch: refusingEstimates(error) })
    }
    const endless = { code: -32000, message: "gas required exceeds allowance (50000000)" }
    await expectRefused({ payload, requirements }, "settlement_gas_above_limit", {
      fetch: refusingEstimates(endless)
    })
  })

  it("what it lists: both names of each network, and its relayer", async () => {
    const { account, facilitator } = await startRelay(chain)
    expect(await facilitator.getSupported()).toEqual({
      kinds: [
        { x402Version: 2, scheme: "exact", network: "eip155:84532" },
        { x402Version: 1, scheme: "exact", network: "base-sepolia" }
      ],
      extensions: [],
      signers: { "eip155:*": [account.address] }
    })
  })
})
