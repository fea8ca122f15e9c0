import { Effect, Layer } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { PayerAccounts } from "../../../src/toll/limits/PayerAccounts.ts"
import { PayerHistory } from "../../../src/toll/limits/PayerHistory.ts"
import { openAttempt } from "../../../src/toll/attempt/PaymentAttempt.ts"
import { nowSeconds, payloadV2, sepolia } from "../payments.ts"
import { tollRequest } from "../tollRequest.ts"

const start = nowSeconds * 1_000

const attemptAt = (atMillis: number) => {
  const payload = payloadV2({})
  return openAttempt(
    tollRequest(payload, { clientAddress: () => "192.0.2.1" }),
    { ...sepolia, separator: `0x${"00".repeat(32)}` },
    { owner: "me", nowMillis: () => atMillis, waitMillis: 10_000, canReadChain: true }
  )
}

/** The history of a payer over a store in which another process settles. */
const open = () => {
  const store = { settledAtomic: "0", reads: 0 }
  const charges = Effect.runSync(
    Effect.provide(
      Charges,
      Layer.mock(Charges, {
        payerActivity: () =>
          Effect.sync(() => {
            store.reads++
            return { openAtomic: "0", openCount: 0, settledAtomic: store.settledAtomic }
          })
      })
    )
  )
  const accounts = new PayerAccounts({
    exposurePerPayer: 10_000n,
    maxExposurePerPayer: 10_000n
  })
  const history = new PayerHistory(charges, accounts)
  const isKnown = (atMillis: number) => Effect.runSync(history.namesKnownPayer(attemptAt(atMillis)))
  return { store, isKnown }
}

describe("a payer that the store doesn't know", () => {
  it("is a stranger for two seconds without another read, and not longer", () => {
    const { isKnown, store } = open()
    expect([isKnown(start), isKnown(start + 1_999), store.reads]).toEqual([false, false, 1])
    // Another process settles a payment of this payer.
    store.settledAtomic = "10000"
    expect([isKnown(start + 1_999), isKnown(start + 2_000), store.reads]).toEqual([false, true, 2])
  })
})
