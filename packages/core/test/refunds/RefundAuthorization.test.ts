import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { isHex, recoverTypedDataAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../src/domain/Network.ts"
import {
  newAttempt,
  refundAuthorization,
  refundNonce,
  refundRequest,
  signRefund
} from "../../src/refunds/RefundAuthorization.ts"
import type { RefundWallet } from "../../src/ports/RefundWallet.ts"

const network = findNetwork("base-sepolia")!
const account = privateKeyToAccount(`0x${"42".repeat(32)}`)
const payer = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
const charge = {
  key: "eip155:84532:0x036c:0xpayer:0x01",
  payer: payer.toLowerCase(),
  amountAtomic: "26640000"
}
const attempt = newAttempt(charge, account.address, 2, 1_800_000_000_999)
const authorization = refundAuthorization(attempt, charge.payer)

describe("the nonce of a refund", () => {
  it("is always the same for a charge, and another for another", () => {
    expect(refundNonce(charge.key)).toMatch(/^0x[0-9a-f]{64}$/)
    expect(refundNonce(charge.key)).toBe(refundNonce(charge.key))
    expect(refundNonce(`${charge.key}0`)).not.toBe(refundNonce(charge.key))
  })
})

describe("an attempt to refund", () => {
  it("names the charge, the wallet and the end of its validity", () => {
    expect(attempt).toEqual({
      chargeKey: charge.key,
      refundNumber: 1,
      sequence: 2,
      wallet: account.address.toLowerCase(),
      amountAtomic: "26640000",
      nonce: refundNonce(charge.key),
      notBefore: 1_800_000_000,
      validBefore: 1_800_003_600,
      atMillis: 1_800_000_000_999
    })
  })
})

describe("the authorization of a refund", () => {
  it("pays the whole amount back to the payer, for an hour", () => {
    expect(authorization).toEqual({
      from: account.address,
      to: payer,
      value: "26640000",
      validAfter: "0",
      validBefore: "1800003600",
      nonce: refundNonce(charge.key)
    })
  })

  it("is signed for the network's token", async () => {
    let signed: unknown
    const wallet: RefundWallet = {
      address: account.address,
      signTypedData: (typed) => {
        signed = typed
        return account.signTypedData(typed)
      }
    }
    const signature = await Effect.runPromise(signRefund(wallet, network, authorization))
    expect(signed).toMatchObject({
      domain: { ...network.eip712, chainId: network.chainId, verifyingContract: network.asset },
      primaryType: "TransferWithAuthorization",
      message: { from: account.address, to: payer, value: 26_640_000n, validBefore: 1_800_003_600n }
    })
    if (!isHex(signature)) throw new Error("the signature is not hexadecimal")
    const typed = signed as Parameters<typeof recoverTypedDataAddress>[0]
    expect(await recoverTypedDataAddress({ ...typed, signature })).toBe(account.address)
  })

  it("fails with the wallet's own error, thrown or rejected", async () => {
    const locked = new Error("locked")
    const failing: ReadonlyArray<RefundWallet["signTypedData"]> = [
      () => Promise.reject(locked),
      () => {
        throw locked
      }
    ]
    for (const signTypedData of failing) {
      const signing = signRefund({ address: account.address, signTypedData }, network, authorization)
      expect(await Effect.runPromise(Effect.flip(signing))).toBe(locked)
    }
  })

  it("is given up after ten seconds", async () => {
    const silent: RefundWallet = { address: account.address, signTypedData: () => new Promise(() => {}) }
    const exit = await Effect.runPromise(
      Effect.gen(function* () {
        const signing = yield* Effect.forkChild(signRefund(silent, network, authorization))
        yield* TestClock.adjust(9_999)
        expect(signing.pollUnsafe()).toBeUndefined()
        yield* TestClock.adjust(1)
        return yield* Fiber.await(signing)
      }).pipe(Effect.provide(TestClock.layer()))
    )
    expect(Exit.isFailure(exit)).toBe(true)
  })
})

describe("the request of a refund", () => {
  it("settles like a payment to the payer", () => {
    const request = refundRequest(network, authorization, "0x51")
    expect(request.requirements).toEqual({
      scheme: "exact",
      network: network.caip2,
      amount: "26640000",
      asset: network.asset,
      payTo: payer,
      maxTimeoutSeconds: 3_600,
      extra: { ...network.eip712 }
    })
    expect(request).toMatchObject({ x402Version: 2, payload: { signature: "0x51", authorization } })
  })
})
