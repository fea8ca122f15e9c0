import fc from "fast-check"
import { parseGwei } from "viem"
import { assert, describe, it } from "vitest"
import { feesAbove } from "../../src/treasury/Replacing.ts"

const wei = fc.bigInt({ min: 0n, max: parseGwei("1000") })
/** The priority fee is part of the whole fee, so nodes accept none above it. */
const fees = fc.tuple(wei, wei).map(([left, right]) => ({
  maxFeePerGas: left > right ? left : right,
  maxPriorityFeePerGas: left > right ? right : left
}))

describe("fees of a replacement", () => {
  it("are ten percent above the signed ones, below the limit, or there are none", () => {
    fc.assert(
      fc.property(fees, fees, wei, (usual, signed, ceiling) => {
        const replacement = feesAbove(usual, signed, ceiling)
        if (replacement === undefined) {
          // Only if the limit leaves too little room, below which nodes refuse a replacement.
          assert.isTrue(ceiling * 10n < signed.maxFeePerGas * 11n || ceiling <= signed.maxFeePerGas)
          return
        }
        const { maxFeePerGas, maxPriorityFeePerGas } = replacement
        assert.isTrue(maxFeePerGas <= ceiling && maxPriorityFeePerGas <= maxFeePerGas)
        assert.isTrue(maxFeePerGas * 10n >= signed.maxFeePerGas * 11n)
        assert.isTrue(maxPriorityFeePerGas * 10n >= signed.maxPriorityFeePerGas * 11n)
      })
    )
  })
})
