import { type Chain, startChain } from "@till402/sandbox"
import { afterAll, afterEach, beforeAll, expect, it } from "vitest"
import {
  burnBatches,
  failuresIn,
  settleAll,
  settleComposition,
  somePayments,
  startBatches
} from "./batchRuns.ts"
import { placeMulticall } from "./contractWallets.ts"

/*
 * Longer and other runs of the batches of localFacilitator.batches.test.ts.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
  await placeMulticall(chain)
})
afterAll(() => chain.stop())
afterEach(async () => {
  await chain.client.setAutomine(true)
  await chain.client.mine({ blocks: 1 })
})

it("sixteen payments at once settle in one transaction", async () => {
  const relay = await startBatches(chain)
  const payments = await somePayments(chain, 16)
  const settled = await settleAll(relay, payments)
  expect(failuresIn(settled)).toEqual([])
  expect(new Set(settled.map(({ transaction }) => transaction)).size).toBe(1)
  for (const { terms } of payments) expect(await chain.balanceOf(terms.to)).toBe(terms.value)
})

it("code that uses up the gas of batch after batch burns one", () =>
  burnBatches(chain, { rounds: 4, honest: 6 }))

it.each([2, 3, 4])("any composition settles exactly the good ones, each once (seed %i)", (seed) =>
  settleComposition(chain, seed)
)
