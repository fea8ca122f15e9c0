import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import { afterAll, beforeAll, expect, it } from "vitest"
import { openShop } from "./refundShop.ts"

/*
 * The ledger against a real chain. ledger.deep.test.ts has what it finds when the two contradict each other.
 */

let chain: Chain
let official: LocalFacilitator
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 1 })
  official = await startFacilitator({ chain })
})
afterAll(async () => {
  await official.stop()
  await chain.stop()
})

it("the ledger balances with the chain after paid calls and refunds", async () => {
  const shop = await openShop({ chain, official })
  const till = await shop.openTill()
  for (let call = 0; call < 3; call++) await shop.search(till)
  await shop.untilRefunded(till, await shop.buy(till))
  const check = await till.ledger.check({ chain: true })
  expect(check).toMatchObject({ isBalanced: true, settledEntries: 4, refunds: 1, faults: [] })
  expect(check.chain).toEqual({
    networks: ["eip155:84532"],
    unreadNetworks: [],
    transfers: 4,
    provenEntries: 4,
    openEntries: 0,
    foreignTransfers: 0,
    foreign: [],
    otherOutflows: { transfers: 0, first: [], unreadNetworks: [] }
  })
  expect(await till.refunds.status()).toEqual({ stopped: undefined })
})
