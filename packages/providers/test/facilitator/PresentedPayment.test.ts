import { findEvmNetwork } from "@till402/core/effect"
import { assert, describe, it } from "vitest"
import { type PaymentReading, readPayment } from "../../src/facilitator/PresentedPayment.ts"

const baseSepolia = findEvmNetwork("base-sepolia")!
const { asset } = baseSepolia
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const stranger = "0x1111111111111111111111111111111111111111"
const signature = `0x${"11".repeat(64)}1b` as const
const authorization = {
  from: "0x857b06519E91e3A54538791bDbb0E22373e36b66",
  to: payTo,
  value: "10000",
  validAfter: "100",
  validBefore: "200",
  nonce: `0x${"aB".repeat(32)}`
} as const

const paidV1 = { scheme: "exact", network: "base-sepolia" }
const paidV2 = { scheme: "exact", network: "eip155:84532", amount: "10000", asset, payTo }
const requiredV1 = { ...paidV1, asset, payTo, maxAmountRequired: "10000" }
const requiredV2 = paidV2

type Changes = Readonly<Record<string, unknown>>

/** Both versions of a payment, read for their requirements. */
const read = (
  { paid = {}, required = {}, signed = {} }: { paid?: Changes; required?: Changes; signed?: Changes },
  isServed = true
): ReadonlyArray<PaymentReading> => {
  const payload = { signature, authorization: { ...authorization, ...signed } }
  return [
    readPayment({ x402Version: 1, ...paidV1, ...paid, payload }, { ...requiredV1, ...required }, () =>
      isServed ? [baseSepolia] : []
    ),
    readPayment(
      { x402Version: 2, accepted: { ...paidV2, ...paid }, payload },
      { ...requiredV2, ...required },
      () => (isServed ? [baseSepolia] : [])
    )
  ]
}

/** The refusal of a payment of `authorization`. */
const refused = (reason: string): PaymentReading => ({ _tag: "Refused", reason, payer: authorization.from })

const digestOf = (reading: PaymentReading | undefined): string | undefined =>
  reading?._tag === "Read" ? reading.payment.digest : undefined

describe("a payment that promises what is required", () => {
  it("is read, with a key in lower case and a digest of the authorization", () => {
    const key = `eip155:84532:${asset}:${authorization.from}:${authorization.nonce}`.toLowerCase()
    // Journals hold it: a later version must compute the same.
    const digest = "0x971ebc610c1701cedb151ebb3b95527e67e22f38a6cf93b93bef109dbcece9ee"
    for (const reading of read({})) {
      assert.deepStrictEqual(reading, {
        _tag: "Read",
        payment: { network: baseSepolia, authorization, signature, key, digest }
      })
    }
  })

  it("is read in any letter case of addresses, by either name of its network", () => {
    const readings = [
      ...read({ required: { asset: asset.toLowerCase(), payTo: payTo.toLowerCase() } }),
      ...read({ required: { network: "eip155:84532" }, paid: { network: "base-sepolia" } }),
      ...read({ required: { network: "base-sepolia" }, paid: { network: "eip155:84532" } }),
      ...read({ required: { amount: "0010000", maxAmountRequired: "0010000" } })
    ]
    for (const { _tag } of readings) assert.strictEqual(_tag, "Read")
  })

  it("has a digest of its own for each field that was signed, in any letter case", () => {
    const changes = [
      {},
      { from: stranger },
      { validAfter: "101" },
      { validBefore: "201" },
      { nonce: `0x${"cd".repeat(32)}` }
    ]
    const digests = changes.map((signed) => digestOf(read({ signed })[1]))
    assert.strictEqual(new Set(digests).size, changes.length)
    assert.isFalse(digests.includes(undefined))
    const lower = { from: authorization.from.toLowerCase(), nonce: authorization.nonce.toLowerCase() }
    assert.strictEqual(digestOf(read({ signed: lower })[0]), digests[0])
    const elsewhere = { signed: { to: stranger }, required: { payTo: stranger } }
    assert.notStrictEqual(digestOf(read(elsewhere)[0]), digests[0])
    const more = { signed: { value: "10001" }, required: { amount: "10001", maxAmountRequired: "10001" } }
    assert.notStrictEqual(digestOf(read(more)[0]), digests[0])
  })
})

describe("a payment is refused", () => {
  const requirements = "invalid_payment_requirements"
  const value = "invalid_exact_evm_payload_authorization_value_mismatch"
  const recipient = "invalid_exact_evm_recipient_mismatch"
  const cases: ReadonlyArray<readonly [string, Parameters<typeof read>[0], string]> = [
    ["of another scheme", { paid: { scheme: "upto" } }, "unsupported_scheme"],
    ["for another scheme", { required: { scheme: "upto" } }, "unsupported_scheme"],
    ["for an unknown network", { required: { network: "eip155:424242" } }, "invalid_network"],
    ["on another network", { paid: { network: "eip155:8453" } }, "network_mismatch"],
    ["on an unknown network", { paid: { network: "eip155:424242" } }, "network_mismatch"],
    ["for another asset", { required: { asset: stranger } }, requirements],
    ["to another recipient", { signed: { to: stranger } }, recipient],
    ["for another recipient", { required: { payTo: stranger } }, recipient],
    ["of less", { signed: { value: "9999" } }, value],
    ["of more", { signed: { value: "10001" } }, value],
    [
      "of nothing, where nothing is required",
      { signed: { value: "0" }, required: { amount: "0", maxAmountRequired: "0" } },
      value
    ],
    ["without a required payTo", { required: { payTo: undefined } }, requirements],
    ...["", "-1", "1e4", "10000 ", " 10000", "0x2710", "1".repeat(79)].map(
      (amount) =>
        [
          `for the amount ${JSON.stringify(amount)}`,
          { required: { amount, maxAmountRequired: amount } },
          requirements
        ] as const
    )
  ]
  it.each(cases)("%s", (_, changes, reason) => {
    for (const reading of read(changes)) assert.deepStrictEqual(reading, refused(reason))
  })

  it("on a network that isn't served", () => {
    for (const reading of read({}, false)) assert.deepStrictEqual(reading, refused("invalid_network"))
  })

  it("for the amount of the other version", () => {
    const payload = { signature, authorization }
    const [first, second] = [
      readPayment({ x402Version: 1, ...paidV1, payload }, requiredV2, () => [baseSepolia]),
      readPayment({ x402Version: 2, accepted: paidV2, payload }, requiredV1, () => [baseSepolia])
    ]
    assert.deepStrictEqual([first, second], [refused(requirements), refused(requirements)])
  })

  it("without a payer where it can't be read", () => {
    for (const payment of [
      undefined,
      {},
      { x402Version: 3, ...paidV1, payload: { signature, authorization } }
    ])
      assert.deepStrictEqual(
        readPayment(payment, requiredV1, () => [baseSepolia]),
        { _tag: "Refused", reason: "invalid_payload", payer: undefined }
      )
  })
})
