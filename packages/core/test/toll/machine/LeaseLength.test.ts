import { expect, it } from "vitest"
import { storeMarginMillis } from "../../../src/ports/Stores.ts"
import { leaseLengthMillis } from "../../../src/toll/machine/LeaseLength.ts"
import { queryMillis } from "../../../src/toll/machine/queryChain.ts"

it("a lease outlasts two queries of the chain, a settlement, the work and calls of the store, one after the other", () => {
  for (const [settleMillis, workMillis] of [
    [0, 0],
    [40_000, 0],
    [40_000, 120_000]
  ] as const)
    expect(leaseLengthMillis({ settleMillis, workMillis })).toBe(
      2 * queryMillis + settleMillis + workMillis + storeMarginMillis
    )
})
