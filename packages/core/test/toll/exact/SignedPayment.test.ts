import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { chargeKey, payloadDigest } from "../../../src/toll/request/ChargeKey.ts"
import {
  authorizationOf,
  blockhashSeconds,
  nonceOf,
  payerOf,
  readSolanaNonce,
  validBeforeOf
} from "../../../src/toll/exact/SignedPayment.ts"
import { chargedAuthorization } from "../../../src/toll/machine/ChargedAuthorization.ts"
import { authorization, from, offer, payloadV1, payloadV2 } from "../payments.ts"
import {
  addressOf,
  devnet,
  requirements,
  solanaPayTo,
  solanaV1,
  solanaV2,
  transaction,
  wallet
} from "../solana.ts"

describe("a payment on Solana", () => {
  it("is named by its signed message, in both versions and whoever signs as fee payer", () => {
    const { blockhash, digest } = transaction()
    const key = chargeKey(devnet, solanaV1())
    expect(key).toBe(`${devnet.caip2}:${devnet.asset}:${wallet.address}:${blockhash}.${digest}`)
    const feePayerSignature = new Uint8Array(64).fill(5)
    for (const same of [solanaV2(), solanaV1({ feePayerSignature })]) {
      expect(chargeKey(devnet, same)).toBe(key)
      expect(payloadDigest(same)).toBe(payloadDigest(solanaV1()))
    }
    expect(chargeKey(devnet, solanaV1({ blockhash: addressOf("later") }))).not.toBe(key)
  })

  it("with another signature of the payer has another digest", () => {
    const own = solanaV1()
    const { signatures, ...rest } = own.payload.transaction
    const forged = { ...rest, signatures: [signatures[0]!, new Uint8Array(64).fill(1)] }
    expect(payloadDigest({ ...own, payload: { transaction: forged } })).not.toBe(payloadDigest(own))
  })

  it("can be looked up on the chain from its charge alone", () => {
    const payment = solanaV2()
    const validBefore = validBeforeOf(payment, 1_700_000_000.2)
    expect(validBefore).toBe(1_700_000_001 + blockhashSeconds)
    const signed = authorizationOf(payment, requirements, validBefore)
    expect(signed).toEqual({
      from: wallet.address,
      to: solanaPayTo,
      value: "10000",
      validAfter: "0",
      validBefore: String(validBefore),
      nonce: nonceOf(payment)
    })
    const { blockhash, digest } = payment.payload.transaction
    expect(readSolanaNonce(signed.nonce)).toEqual({ blockhash, digest })
    const charge = {
      key: chargeKey(devnet, payment),
      payer: payerOf(payment),
      payTo: solanaPayTo,
      amountAtomic: "10000",
      validBeforeSeconds: validBefore
    }
    expect(chargedAuthorization(charge)).toEqual(signed)
  })

  const digest = "ab".repeat(32)
  it.each([
    "",
    "0xab",
    `${addressOf("x")}.`,
    `.${digest}`,
    `${addressOf("x")}.${digest.toUpperCase()}`,
    `0${addressOf("x")}.${digest}`,
    `${addressOf("x")}.${digest}0`
  ])("isn't named by %j", (nonce) => {
    expect(readSolanaNonce(nonce)).toBeUndefined()
  })
})

describe("a payment on EVM", () => {
  it("is its authorization", () => {
    expect(payerOf(payloadV1())).toBe(from.toLowerCase())
    expect(validBeforeOf(payloadV2(), 5)).toBe(Number(authorization().validBefore))
    expect(authorizationOf(payloadV1(), offer().requirements, 5)).toEqual(authorization())
    const key = chargeKey(findNetwork("base-sepolia")!, payloadV1())
    expect(key).toBe(key.toLowerCase())
  })
})
