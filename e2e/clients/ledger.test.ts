import { type Chain, type LocalFacilitator, startChain, startFacilitator } from "@till402/sandbox"
import type { TillEvent } from "@till402/core"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
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
    otherOutflows: { transfers: 0, first: [], unreadNetworks: [] },
    unshownRefunds: [],
    unreadRefunds: 0
  })
  expect(await till.refunds.status()).toEqual({ stopped: undefined })
})

it("a refund recorded by hand is compared with its transaction, which may pay many", async () => {
  const shop = await openShop({ chain, official })
  const events: Array<TillEvent> = []
  const till = await shop.openTill({ onEvent: (event) => void events.push(event) })
  for (let order = 0; order < 5; order++) await shop.buy(till)
  await vi.waitFor(async () => expect(await till.refunds.due()).toHaveLength(5), { timeout: 60_000 })
  const due = await till.refunds.due()
  const record = async (index: number, transaction: string) => {
    const before = events.length
    const isRecorded = await till.charges.recordRefund(due[index]!.chargeKey, transaction)
    return [isRecorded, ...events.slice(before).map(({ code }) => code)]
  }
  const paymentOf = async (index: number) => (await till.charges.find(due[index]!.chargeKey))!.transaction!
  expect(await record(0, await paymentOf(1))).toEqual([false, "refund_without_transaction"])
  const batch = await chain.mint(shop.buyer, 2n * due[0]!.amountAtomic)
  expect([await record(0, batch), await record(1, batch)]).toEqual([[true], [true]])
  const elsewhere = await chain.mint(shop.payTo, due[2]!.amountAtomic)
  const before = events.length
  expect((await record(2, elsewhere))[0]).toBe(true)
  await vi.waitFor(
    () => expect(events.slice(before)).toMatchObject([{ code: "refund_without_transaction" }]),
    {
      timeout: 60_000
    }
  )
  const unknown = `0x${"ab".repeat(32)}`
  expect(await record(3, unknown)).toEqual([true])
  expect(await record(4, "written off")).toEqual([true, "refund_without_transaction"])
  const { chain: compared, faults } = await till.ledger.check({ chain: true })
  expect(faults).toEqual([])
  expect(compared!.unshownRefunds.map(({ chargeKey, transaction }) => [chargeKey, transaction])).toEqual([
    [due[3]!.chargeKey, unknown],
    [due[2]!.chargeKey, elsewhere]
  ])
  expect(compared!.unreadRefunds).toBe(1)
})
