import { memoryTransferJournal, solanaFacilitator } from "@till402/providers/solana-facilitator"
import { Effect, Metric } from "effect"
import { describe, expect, it } from "vitest"
import { makePaymentCheck } from "../../src/solana-facilitator/PaymentCheck.ts"
import type { PresentedPayment } from "../../src/solana-facilitator/PresentedPayment.ts"
import type { SolanaNode } from "../../src/solana-refunds/SolanaNode.ts"
import { readPayment } from "../../src/solana-facilitator/PresentedPayment.ts"

const feePayer = "2wKupLR9q6wXYppw8Gr2NvWxKBUqm4PPJKkQfoxHDBg4"
const good = {
  feePayer: { address: feePayer, sign: async () => new Uint8Array(64) },
  rpcUrl: "https://solana.example",
  journal: memoryTransferJournal()
}
const served = { caip2: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1", v1Name: "solana-devnet" } as const

/** A legacy message of one signer without instructions, unsigned. */
const transaction = Buffer.concat([
  Buffer.from([1]),
  Buffer.alloc(64),
  Buffer.from([1, 0, 0, 1]),
  Buffer.alloc(32, 7),
  Buffer.alloc(32, 9),
  Buffer.from([0])
]).toString("base64")

const accepted = {
  scheme: "exact",
  network: served.caip2,
  amount: "10000",
  asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
  payTo: feePayer,
  maxTimeoutSeconds: 60,
  extra: { feePayer }
}

const read = (payload: object = {}, requirements: object = {}) =>
  readPayment(
    { x402Version: 2, accepted, payload: { transaction }, ...payload },
    { ...accepted, ...requirements },
    served
  )

describe("the options of a facilitator on Solana", () => {
  it("are checked before the first payment", () => {
    expect(solanaFacilitator(good).address).toBe(feePayer)
    const wrong = (change: object) => () => solanaFacilitator({ ...good, ...change })
    expect(wrong({ rpcUrl: "http://solana.example" })).toThrow(/rpcUrl/)
    expect(wrong({ network: "base" })).toThrow(/network/)
    expect(wrong({ feePayer: { ...good.feePayer, address: "0x12" } })).toThrow(/feePayer/)
    expect(wrong({ feePayer: { address: feePayer } })).toThrow(/sign/)
    expect(wrong({ journal: {} })).toThrow(/journal/)
    expect(wrong({ maxPriorityFeeLamports: 0.5 })).toThrow(/maxPriorityFeeLamports/)
    expect(wrong({ maxFailedFeesPerPayer: 0 })).toThrow(/maxFailedFeesPerPayer/)
    expect(wrong({ maxFailedFeesOfStrangers: -1 })).toThrow(/maxFailedFeesOfStrangers/)
    expect(wrong({ confirmTimeoutMillis: 0 })).toThrow(/confirmTimeoutMillis/)
  })
})

describe("a payment", () => {
  it("is named by its network and signed message, whoever signed it and in whatever version", () => {
    const signed = Buffer.from(transaction, "base64")
    signed.fill(3, 1, 65)
    const { amount, ...rest } = accepted
    const version1 = readPayment(
      {
        x402Version: 1,
        scheme: "exact",
        network: "solana-devnet",
        payload: { transaction: signed.toString("base64") }
      },
      { ...rest, network: "solana-devnet", maxAmountRequired: amount },
      served
    )
    const version2 = read()
    const key = expect.stringMatching(/^solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1:[0-9a-f]{64}$/)
    expect(version2).toMatchObject({ _tag: "Read", payment: { key, requirements: accepted } })
    expect(version1).toMatchObject({ _tag: "Read", payment: { requirements: accepted } })
    expect(version1._tag === "Read" && version1.payment.key).toBe(
      version2._tag === "Read" && version2.payment.key
    )
  })

  it.each([
    [{ x402Version: 3 }, {}, "invalid_payload"],
    [{ payload: {} }, {}, "invalid_payload"],
    [{ payload: { transaction: "AAAA" } }, {}, "invalid_exact_svm_payload_transaction_could_not_be_decoded"],
    [
      { payload: { transaction: transaction.repeat(20) } },
      {},
      "invalid_exact_svm_payload_transaction_could_not_be_decoded"
    ],
    [{}, { amount: "0" }, "invalid_payment_requirements"],
    [{}, { amount: "1.5" }, "invalid_payment_requirements"],
    [{}, { amount: undefined }, "invalid_payment_requirements"],
    [{}, { payTo: 7 }, "invalid_payment_requirements"],
    [{}, { scheme: "upto" }, "unsupported_scheme"],
    [{}, { network: "solana" }, "invalid_network"],
    [{ accepted: { ...accepted, network: "solana" } }, {}, "network_mismatch"]
  ])("with %j for %j is refused", (payload, requirements, reason) => {
    expect(read(payload, requirements)).toEqual({ _tag: "Refused", reason })
  })
})

it("the fee payer's balance is a metric, also where it is too low", async () => {
  const settings = { served, feePayer, maxPriorityFeeLamports: 1n }
  const node = { account: () => Effect.succeed({ lamports: 1_500_000n }) } as unknown as SolanaNode
  const payment = { terms: { accounts: new Set(), priorityFeeLamports: 0n } } as unknown as PresentedPayment
  const shown = await Effect.runPromise(
    Effect.gen(function* () {
      const error = yield* Effect.flip(makePaymentCheck(settings as never, node)(payment))
      expect(error._tag).toBe("FeePayerUnderfunded")
      return yield* Metric.snapshot
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
  expect(shown.map(({ attributes, id, state }) => ({ id, attributes, state }))).toEqual([
    { id: "till402_relayer_balance", attributes: { network: served.caip2 }, state: { value: 0.0015 } }
  ])
})
