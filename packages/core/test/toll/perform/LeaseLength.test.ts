import { expect, it } from "vitest"
import { storeMarginMillis } from "../../../src/ports/StoreClock.ts"
import { leaseLengthMillis } from "../../../src/toll/perform/LeaseLength.ts"
import { queryMillis } from "../../../src/toll/perform/queryChain.ts"

it("a lease outlasts two queries of the chain, a settlement, the work and calls of the store, one after the other", () => {
  for (const [settleMillis, workMillis] of [
    [0, 0],
    [40_000, 0],
    [40_000, 120_000]
  ] as const)
    expect(leaseLengthMillis({ settleMillis, workMillis, readsChain: true })).toBe(
      2 * queryMillis + settleMillis + workMillis + storeMarginMillis
    )
})

it("a lease without a chain to read ends while a payment of two and a half minutes is valid", () => {
  const leaseMillis = leaseLengthMillis({ settleMillis: 30_000, workMillis: 20_000, readsChain: false })
  expect(leaseMillis).toBeGreaterThan(60_000)
  expect(leaseMillis).toBeLessThan(120_000)
})
