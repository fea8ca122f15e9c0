import { describe, expect, it, onTestFinished, vi } from "vitest"
import { sharedDatabase } from "../stores/sql/keptInMemory.ts"
import { expectFailed, openTill, search } from "./openTill.ts"

interface Presented {
  readonly payload: { readonly authorization: { readonly validBefore: string } }
}

/** Two tills on one database; the first stops forever while it settles payments. */
const openAfterCrash = async (count: number) => {
  const now = Date.now()
  vi.useFakeTimers({ toFake: ["Date"], now })
  onTestFinished(() => void vi.useRealTimers())
  const { storage } = sharedDatabase()
  const crashed = await openTill({ storage: storage() })
  const shop = await openTill({ storage: storage() })
  const gate = Promise.withResolvers<never>()
  crashed.facilitator.settle.returns(() => gate.promise)
  onTestFinished(() => gate.reject(new Error("stopped")))
  const payments: Array<string> = []
  for (let index = 0; index < count; index++) {
    const payment = await crashed.payFor(search)
    payments.push(payment)
    void crashed.present(search, payment)
  }
  await vi.waitFor(() => expect(crashed.facilitator.settle.calls).toHaveLength(count))
  return { shop, payments, at: (seconds: number) => vi.setSystemTime(now + seconds * 1000) }
}

describe("a process that stops while it settles, without a chain to read", () => {
  it("leaves the payment to another one, while it is still valid", async () => {
    const { at, payments, shop } = await openAfterCrash(1)
    at(100)
    const response = await shop.present(search, payments[0]!)
    expect(response.status, response.text).toBe(200)
    expect(shop.facilitator.settled).toHaveLength(1)
    expect(shop.marketplace.search.calls).toHaveLength(0)
  })

  it("doesn't lock the payer out: what has expired stops counting after a quarter of an hour", async () => {
    const { at, payments, shop } = await openAfterCrash(10)
    at(300)
    const nowSeconds = Date.now() / 1000
    shop.facilitator.settle.returns((payment: Presented) =>
      Number(payment.payload.authorization.validBefore) < nowSeconds
        ? {
            success: false,
            errorReason: "invalid_exact_evm_payload_authorization_valid_before",
            transaction: ""
          }
        : { success: true, transaction: `0x${"ab".repeat(32)}`, network: "eip155:84532" }
    )
    await shop.till.reconcile()
    at(20 * 60)
    // Whether it moved is unknown, so the caller gets no 402.
    expectFailed(await shop.present(search, payments[0]!), 503, "SETTLEMENT_PENDING")
    const next = await shop.payFor(search)
    const response = await shop.present(search, next)
    expect(response.status, response.text).toBe(200)
  })
})
