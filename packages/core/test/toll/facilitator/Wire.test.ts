import { describe, expect, it } from "vitest"
import { Schema } from "effect"
import { toBase58 } from "../../../src/domain/Base58.ts"
import {
  definiteRefusals,
  type FacilitatorRequest
} from "../../../src/toll/facilitator/FacilitatorVerdicts.ts"
import {
  SettleResponse,
  SupportedResponse,
  toKinds,
  toSettlement,
  toVerification,
  unreachableSettlement,
  VerifyResponse,
  wireJson,
  wireRequest
} from "../../../src/toll/facilitator/Wire.ts"
import { authorization } from "../payments.ts"

const hash = `0x${"12".repeat(32)}`

const requestOf = (
  x402Version: 1 | 2,
  network: FacilitatorRequest["requirements"]["network"] = "eip155:84532"
): FacilitatorRequest => ({
  x402Version,
  payload: { signature: "0x01", authorization: authorization() },
  requirements: {
    scheme: "exact",
    network,
    amount: "10000",
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: 120,
    extra: { name: "USDC", version: "2" }
  },
  resource: { url: "https://shop.example/x402/search", description: "Search", mimeType: "application/json" }
})

const withDiscovery = (x402Version: 1 | 2): FacilitatorRequest => {
  const request = requestOf(x402Version)
  const outputSchema = { input: { type: "http" } }
  return { ...request, resource: { ...request.resource, outputSchema, extensions: { bazaar: { info: {} } } } }
}

describe("a payment", () => {
  it("of version 2 is written around the signed part, by the till's own terms", () => {
    const request = withDiscovery(2)
    const { payload, requirements } = request
    const { description, mimeType, url } = request.resource
    expect(wireRequest(request)).toEqual({
      paymentPayload: {
        x402Version: 2,
        resource: { url, description, mimeType },
        accepted: requirements,
        payload,
        extensions: { bazaar: { info: {} } }
      },
      paymentRequirements: requirements
    })
    expect(wireRequest(request).paymentRequirements).not.toBe(requirements)
  })

  it("of version 1 has its resource in the requirements", () => {
    const { paymentPayload, paymentRequirements } = wireRequest(withDiscovery(1))
    expect(paymentPayload).toEqual({
      x402Version: 1,
      scheme: "exact",
      network: "base-sepolia",
      payload: requestOf(1).payload
    })
    expect(paymentRequirements).toMatchObject({ outputSchema: { input: { type: "http" } } })
  })

  it.each([withDiscovery(1), withDiscovery(2), requestOf(1), requestOf(2)])(
    "is the same as JSON, however often its resource was sent before: version $x402Version",
    (request) => {
      for (const amount of ["10000", "20000"]) {
        const each = { ...request, requirements: { ...request.requirements, amount } }
        expect(JSON.parse(wireJson(each))).toEqual({
          x402Version: request.x402Version,
          ...wireRequest(each)
        })
      }
    }
  )

  it("of a resource without discovery data has no fields for it", () => {
    expect(wireRequest(requestOf(2)).paymentPayload).not.toHaveProperty("extensions")
    expect(wireRequest(requestOf(1)).paymentRequirements).not.toHaveProperty("outputSchema")
  })

  it.each([1, 2] as const)("doesn't tell what was bought, in version %i", (x402Version) => {
    const request = requestOf(x402Version)
    const needed = { name: "USDC", version: "2", feePayer: "f", memo: "q1", paymentFlow: "upfront" }
    const extra = { ...needed, quoteId: "q1", item: "Canvas tote bag", tax: "1.65", total: "26.64" }
    const sent = wireRequest({ ...request, requirements: { ...request.requirements, extra } })
    expect(sent.paymentRequirements["extra"]).toEqual(needed)
    expect(JSON.stringify(sent)).not.toMatch(/tote|26\.64|quoteId/)
  })
})

describe("requirements", () => {
  const v1 = {
    scheme: "exact",
    network: "base-sepolia",
    maxAmountRequired: "10000",
    resource: "https://shop.example/x402/search",
    description: "Search",
    mimeType: "application/json",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    maxTimeoutSeconds: 120,
    asset: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    extra: { name: "USDC", version: "2" }
  }
  it("of version 1 use its words and its names of networks", () => {
    expect(wireRequest(requestOf(1)).paymentRequirements).toEqual(v1)
  })

  it.each(["eip155:42161", "eip155:424242"] as const)(
    "of version 1 keep the CAIP-2 identifier of %s, which has no other name",
    (network) => {
      const { paymentPayload, paymentRequirements } = wireRequest(requestOf(1, network))
      expect(paymentRequirements).toEqual({ ...v1, network })
      expect(paymentPayload).toMatchObject({ network })
    }
  )
})

describe("a verification", () => {
  it.each([
    [
      { isValid: true, payer: "0xabc" },
      { _tag: "Valid", payer: "0xabc" }
    ],
    [{ isValid: true }, { _tag: "Valid", payer: undefined }],
    [
      { isValid: true, payer: null },
      { _tag: "Valid", payer: undefined }
    ],
    [
      { isValid: false, invalidReason: "insufficient_funds", payer: "0xabc" },
      { _tag: "Invalid", reason: "insufficient_funds" }
    ],
    [{ isValid: false }, { _tag: "Invalid", reason: "invalid_payment" }],
    [
      { isValid: false, invalidReason: null },
      { _tag: "Invalid", reason: "invalid_payment" }
    ]
  ])("%j", (response, verification) => {
    expect(toVerification(response)).toEqual(verification)
  })

  it.each([
    ["a code", "a".repeat(80), true],
    ["a code in capitals with digits", "EIP_3009_Used", true],
    ["a text that is too long", "a".repeat(81), false],
    ["an empty text", "", false],
    ["words", "no funds", false],
    ["words before a code", "no funds: insufficient_funds", false],
    ["a code before words", "insufficient_funds now", false],
    ["a code before a line", "insufficient_funds\nnow", false],
    ["an address", "0x857b06519e91e3a54538791bdbb0e22373e36b66", false],
    ["an address in capitals", "0X857B06519E91E3A54538791BDBB0E22373E36B66", false]
  ])("repeats the reason only where it is a code: %s", (_, invalidReason, isRepeated) => {
    expect(toVerification({ isValid: false, invalidReason })).toEqual({
      _tag: "Invalid",
      reason: isRepeated ? invalidReason : "invalid_payment"
    })
  })
})

describe("a settlement", () => {
  const request = requestOf(2)
  const settled = { _tag: "Settled", transaction: hash, payer: "0xabc" }
  const pathless = { _tag: "Unknown", reason: "settled_without_transaction", transaction: undefined }
  const cases: ReadonlyArray<readonly [string, typeof SettleResponse.Type, unknown]> = [
    ["that names its transaction has settled", { success: true, transaction: hash, payer: "0xabc" }, settled],
    [
      "without a payer has settled too",
      { success: true, transaction: hash },
      { ...settled, payer: undefined }
    ],
    [
      "with a payer of null has settled too",
      { success: true, transaction: hash, payer: null },
      { ...settled, payer: undefined }
    ],
    ["without a transaction is unknown", { success: true }, pathless],
    ["with a transaction of null is unknown", { success: true, transaction: null }, pathless],
    ["with an empty transaction is unknown", { success: true, transaction: "" }, pathless],
    ["with a text before the hash is unknown", { success: true, transaction: `see ${hash}` }, pathless],
    ["with a text after the hash is unknown", { success: true, transaction: `${hash}, see` }, pathless],
    ["with a hash that is too short is unknown", { success: true, transaction: "0x12" }, pathless],
    [
      "that was refused for a definite reason is rejected",
      { success: false, errorReason: "insufficient_funds", transaction: "" },
      { _tag: "Rejected", reason: "insufficient_funds" }
    ],
    [
      "that was refused without the field is rejected too",
      { success: false, errorReason: "insufficient_funds" },
      { _tag: "Rejected", reason: "insufficient_funds" }
    ],
    [
      "that was refused but names a transaction is unknown",
      { success: false, errorReason: "insufficient_funds", transaction: hash },
      { _tag: "Unknown", reason: "insufficient_funds", transaction: hash }
    ],
    [
      "that was refused but names something is unknown",
      { success: false, errorReason: "insufficient_funds", transaction: "pending" },
      { _tag: "Unknown", reason: "insufficient_funds", transaction: undefined }
    ],
    [
      "that failed for any other reason is unknown",
      { success: false, errorReason: "nonce_already_used" },
      { _tag: "Unknown", reason: "nonce_already_used", transaction: undefined }
    ],
    [
      "that failed for no reason is unknown",
      { success: false },
      { _tag: "Unknown", reason: "unexpected_settle_error", transaction: undefined }
    ],
    [
      "on another network is unknown, whatever else it contains",
      { success: true, transaction: hash, network: "eip155:8453" },
      { _tag: "Unknown", reason: "settled_on_another_network", transaction: undefined }
    ],
    [
      "that was refused on another network is unknown",
      { success: false, errorReason: "insufficient_funds", network: "base" },
      { _tag: "Unknown", reason: "settled_on_another_network", transaction: undefined }
    ],
    [
      "on its own network has settled",
      { success: true, transaction: hash, payer: "0xabc", network: "eip155:84532" },
      settled
    ],
    [
      "on its own network by the short name has settled",
      { success: true, transaction: hash, payer: "0xabc", network: "base-sepolia" },
      settled
    ],
    [
      "has a transaction in lower case, as it is looked up",
      { success: true, transaction: `0x${"aB".repeat(32)}` },
      { _tag: "Settled", transaction: `0x${"ab".repeat(32)}`, payer: undefined }
    ],
    [
      "with a network of null has settled",
      { success: true, transaction: hash, payer: "0xabc", network: null },
      settled
    ]
  ]
  it.each(cases)("%s", (_, response, settlement) => {
    expect(toSettlement(response, request)).toEqual(settlement)
  })

  it("without a usable response is unknown, and says so", () => {
    expect(unreachableSettlement("TimeoutError")).toEqual({
      _tag: "Unknown",
      reason: "TimeoutError",
      transaction: undefined,
      isUnreachable: true
    })
  })

  it("on a network that is not known here is compared by its identifier", () => {
    const elsewhere = requestOf(2, "eip155:424242")
    expect(
      toSettlement({ success: true, transaction: hash, network: "eip155:424242" }, elsewhere)
    ).toMatchObject({ _tag: "Settled" })
    expect(toSettlement({ success: true, transaction: hash, network: "base" }, elsewhere)).toMatchObject({
      reason: "settled_on_another_network"
    })
  })

  describe("on Solana", () => {
    const onSolana = requestOf(2, "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1")
    const id = toBase58(new Uint8Array(64).fill(9))

    it("names a transaction by its ID, not by a hash", () => {
      expect(toSettlement({ success: true, transaction: id, network: "solana-devnet" }, onSolana)).toEqual({
        _tag: "Settled",
        transaction: id,
        payer: undefined
      })
      for (const transaction of [hash, `${id}1`, toBase58(new Uint8Array(32).fill(9))])
        expect(toSettlement({ success: true, transaction }, onSolana)).toEqual(pathless)
      expect(toSettlement({ success: true, transaction: id }, request)).toEqual(pathless)
    })

    it.each([
      "invalid_exact_svm_transaction_simulation_failed",
      "invalid_exact_svm_transaction_failed",
      "duplicate_settlement",
      "settlement_pending"
    ])("that failed for %s is unknown: its message may be on the chain", (errorReason) => {
      expect(toSettlement({ success: false, errorReason, transaction: "" }, onSolana)).toMatchObject({
        _tag: "Unknown",
        reason: errorReason
      })
    })
  })

  it.each([...definiteRefusals])("refused for %s is rejected", (errorReason) => {
    expect(toSettlement({ success: false, errorReason }, request)).toEqual({
      _tag: "Rejected",
      reason: errorReason
    })
  })
})

describe("the fee payers of a facilitator", () => {
  const devnet = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
  const [offered, other, another] = [1, 2, 3].map((byte) => toBase58(new Uint8Array(32).fill(byte)))
  const feePayersOf = (
    signers: Readonly<Record<string, ReadonlyArray<string>>> | null,
    {
      extra = { feePayer: offered },
      network = devnet
    }: { extra?: Record<string, unknown>; network?: string } = {}
  ) => toKinds({ kinds: [{ x402Version: 2, scheme: "exact", network, extra }], signers })[0]!.feePayers

  it("are the one that it offers, and its signers there", () => {
    expect(feePayersOf(null)).toEqual([offered])
    expect(feePayersOf({ [devnet]: [other!, offered!], "solana:*": [another!] })).toEqual([
      offered,
      other,
      another
    ])
    expect(feePayersOf({ "solana:*": [other!] }, { network: "solana-devnet" })).toEqual([offered, other])
    expect(
      feePayersOf({ "eip155:*": [other!], "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp": [other!] })
    ).toEqual([offered])
  })

  it("on a network that isn't known here are those of its identifier", () => {
    const unknown = "solana:unknown"
    expect(feePayersOf({ [unknown]: [other!] }, { network: unknown })).toEqual([offered, other])
  })

  it("are bounded, and none where it offers no address", () => {
    const many = Array.from({ length: 100 }, (_, index) => toBase58(new Uint8Array(32).fill(index + 10)))
    expect(feePayersOf({ "solana:*": ["nonsense", ...many] })).toEqual([offered, ...many.slice(0, 31)])
    for (const extra of [{}, { feePayer: 7 }, { feePayer: "0x12" }])
      expect(feePayersOf({ "solana:*": [other!] }, { extra })).toBeUndefined()
  })
})

describe("what is read from a facilitator", () => {
  const isVerify = Schema.is(VerifyResponse)
  const isSettle = Schema.is(SettleResponse)
  const isSupported = Schema.is(SupportedResponse)

  it("is a verification with a verdict", () => {
    expect(isVerify({ isValid: true })).toBe(true)
    expect(isVerify({ isValid: false, invalidReason: null, payer: "0xabc" })).toBe(true)
    for (const wrong of [
      {},
      { isValid: "yes" },
      { isValid: true, payer: 1 },
      { isValid: true, invalidReason: 1 }
    ])
      expect(isVerify(wrong), JSON.stringify(wrong)).toBe(false)
  })

  it("is a settlement with an outcome", () => {
    expect(isSettle({ success: true, transaction: hash, network: null, payer: null })).toBe(true)
    const outcome = { success: true }
    for (const wrong of [
      {},
      { success: 1 },
      { ...outcome, errorReason: 1 },
      { ...outcome, transaction: 1 },
      { ...outcome, network: 1 },
      { ...outcome, payer: 1 }
    ])
      expect(isSettle(wrong), JSON.stringify(wrong)).toBe(false)
  })

  it("is a list of kinds", () => {
    const kind = { x402Version: 2, scheme: "exact", network: "eip155:84532" }
    expect(isSupported({ kinds: [kind] })).toBe(true)
    expect(toKinds({ kinds: [kind] })).toEqual([kind])
    for (const wrong of [
      {},
      { kinds: [{}] },
      { kinds: [{ ...kind, x402Version: "2" }] },
      { kinds: [{ ...kind, x402Version: Number.NaN }] },
      { kinds: [{ ...kind, scheme: 1 }] },
      { kinds: [{ ...kind, network: 1 }] }
    ])
      expect(isSupported(wrong), JSON.stringify(wrong)).toBe(false)
  })
})
