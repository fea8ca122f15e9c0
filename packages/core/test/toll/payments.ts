import type { Hex } from "../../src/domain/Hex.ts"
import type { EvmNetwork } from "../../src/domain/Network.ts"
import { findNetwork } from "../../src/domain/Network.ts"
import type { Authorization, PaymentPayload } from "../../src/domain/PaymentPayload.ts"
import type { Dice } from "../domain/seeded.ts"
import type { PaymentOffer } from "../../src/toll/request/Verdict.ts"

/*
 * Payments of 0.01 USDC on Base Sepolia, made at 1,700,000,000 s; nothing in them is signed.
 */

export const nowSeconds = 1_700_000_000
export const resourceUrl = "https://shop.example/x402/search"
export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const from = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
export const sepolia: EvmNetwork = findNetwork("base-sepolia")!

export const authorization = (overrides: Partial<Authorization> = {}): Authorization => ({
  from,
  to: payTo,
  value: "10000",
  validAfter: String(nowSeconds - 60),
  validBefore: String(nowSeconds + 120),
  nonce: `0x${"ab".repeat(32)}`,
  ...overrides
})

/** Any authorization that the schema takes. */
export const anyAuthorization = (dice: Dice): Authorization => ({
  from: dice.hex(20),
  to: dice.pick([dice.hex(20), dice.hex(20).toUpperCase().replace("0X", "0x")]),
  value: dice.bigint(1 + dice.below(256)).toString(),
  validAfter: dice.bigint(1 + dice.below(64)).toString(),
  validBefore: dice.pick([dice.bigint(34), 2n ** 256n - 1n, 0n]).toString(),
  nonce: dice.hex(32)
})

export const signature: Hex = `0x${"11".repeat(64)}1b`

export const payloadV1 = (overrides: Partial<Authorization> = {}) =>
  ({
    x402Version: 1,
    scheme: "exact",
    network: "base-sepolia",
    payload: { signature, authorization: authorization(overrides) }
  }) satisfies PaymentPayload

export const payloadV2 = (overrides: Partial<Authorization> = {}) =>
  ({
    x402Version: 2,
    accepted: {
      scheme: "exact",
      network: "eip155:84532",
      amount: "10000",
      asset: sepolia.asset,
      payTo,
      extra: { name: "USDC", version: "2" }
    },
    payload: { signature, authorization: authorization(overrides) },
    resource: { url: resourceUrl }
  }) satisfies PaymentPayload

export const offer = (
  network: EvmNetwork = sepolia,
  extra: Readonly<Record<string, string>> = {}
): PaymentOffer => ({
  v1Name: network.v1Name,
  requirements: {
    scheme: "exact",
    network: network.caip2,
    amount: "10000",
    asset: network.asset,
    payTo,
    maxTimeoutSeconds: 120,
    extra: { ...network.eip712, ...extra }
  }
})
