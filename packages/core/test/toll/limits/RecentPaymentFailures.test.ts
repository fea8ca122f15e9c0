import { describe, expect, it } from "vitest"
import { RecentPaymentFailures } from "../../../src/toll/limits/RecentPaymentFailures.ts"
import { expectRefused, openTill, search, track, workDone } from "../openTill.ts"
import { otherPayer } from "../wallet.ts"

describe("a payer who could not pay", () => {
  it("is refused for a moment, without another call of the facilitator", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 60_000 } })
    shop.facilitator.rejectsVerification("insufficient_funds")
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expectRefused(await shop.present(track, await shop.payFor(track)), "insufficient_funds")
    expect([workDone(shop), shop.facilitator.verify.calls.length]).toEqual([0, 1])
  })

  it("is remembered after a refused settlement, too", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 60_000 } })
    shop.facilitator.rejectsSettlement("insufficient_funds")
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    const work = workDone(shop)
    expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expect(workDone(shop)).toBe(work)
    const theirs = await shop.payFor(search, { account: otherPayer })
    shop.facilitator.settle.reset()
    expect((await shop.present(search, theirs)).status).toBe(200)
  })

  const refusal = { code: "insufficient_funds", message: "" }

  it("is forgotten after its time, and one in ten thousand at the latest", () => {
    const memory = new RecentPaymentFailures(1_000)
    memory.note("0xa", refusal, 0)
    expect([memory.recall("0xa", 999), memory.recall("0xa", 1_000)]).toEqual([refusal, undefined])
    memory.note("0xa", refusal, 0)
    for (let payer = 0; payer < 10_000; payer++) memory.note(`0x${payer}`, refusal, 0)
    expect([memory.recall("0xa", 1), memory.recall("0x9999", 1)]).toEqual([undefined, refusal])
  })

  it.each([
    "transaction_simulation_failed",
    "invalid_exact_svm_payload_transaction_simulation_failed",
    "invalid_exact_svm_transaction_simulation_failed"
  ])("is remembered on Solana by %s", (code) => {
    const memory = new RecentPaymentFailures(1_000)
    memory.note("wallet", { code, message: "" }, 0)
    expect(memory.recall("wallet", 1)).toEqual({ code, message: "" })
  })

  it("is remembered for an empty account alone, not for a payment that was wrong", () => {
    const memory = new RecentPaymentFailures(1_000)
    memory.note("0xa", { code: "invalid_payload", message: "" }, 0)
    expect(memory.recall("0xa", 0)).toBeUndefined()
  })
})
