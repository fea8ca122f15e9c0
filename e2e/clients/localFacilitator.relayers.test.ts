import type { LocalFacilitatorSettings } from "@till402/providers/facilitator"
import { type Chain, startChain } from "@till402/sandbox"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { losingTransactions, signedPayment, startRelay } from "./relayers.ts"

/*
 * A local facilitator whose relayer was replaced by another account, with the journal of the first.
 */

let chain: Chain
beforeAll(async () => {
  chain = await startChain({ blockSeconds: 0 })
})
afterAll(() => chain.stop())

const quick: Partial<LocalFacilitatorSettings> = { confirmTimeoutMillis: 600 }

/** A payment that the earlier relayer has recorded and not sent. */
const recorded = async () => {
  const payment = await signedPayment(chain)
  const earlier = await startRelay(chain, { ...quick, fetch: losingTransactions })
  await earlier.facilitator.settle(payment.payload, payment.requirements)
  return { ...payment, earlier, record: earlier.journal.records()[0]! }
}

describe("a relayer that replaces another one", () => {
  it("sees that the earlier one's transaction was mined", async () => {
    const { earlier, payload, record, requirements, terms } = await recorded()
    await chain.client.sendRawTransaction({ serializedTransaction: record.signedTransaction })
    const { facilitator } = await startRelay(chain, { journal: earlier.journal })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: true,
      transaction: record.transaction
    })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(earlier.journal.records()).toHaveLength(1)
  })

  it("settles what the earlier one can't send any more, once that had the time to", async () => {
    const { earlier, payload, record, requirements, terms } = await recorded()
    await chain.client.setBalance({ address: earlier.account.address, value: 0n })
    const { journal } = earlier
    const early = await startRelay(chain, { ...quick, journal })
    expect(await early.facilitator.settle(payload, requirements)).toMatchObject({
      errorReason: "settlement_pending",
      transaction: record.transaction
    })
    const later = await startRelay(chain, { account: early.account, journal, replaceAfterMillis: 50 })
    expect(await later.facilitator.settle(payload, requirements)).toMatchObject({ success: true })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    // If the earlier transaction is mined after all, it moves nothing.
    await chain.client.setBalance({ address: earlier.account.address, value: 10n ** 18n })
    await chain.client.sendRawTransaction({ serializedTransaction: record.signedTransaction })
    await chain.client.mine({ blocks: 1 })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
    expect(await later.facilitator.settle(payload, requirements)).toMatchObject({ success: true })
  })

  it("never takes a record of its own for one with the same number of the earlier one", async () => {
    const { earlier, payload, record, requirements, terms } = await recorded()
    const { facilitator } = await startRelay(chain, { journal: earlier.journal })
    const other = await signedPayment(chain)
    expect(await facilitator.settle(other.payload, other.requirements)).toMatchObject({ success: true })
    expect(earlier.journal.records().map(({ nonce }) => nonce)).toEqual([0, 0])
    await chain.client.sendRawTransaction({ serializedTransaction: record.signedTransaction })
    expect(await facilitator.settle(payload, requirements)).toMatchObject({
      success: true,
      transaction: record.transaction
    })
    expect(await chain.balanceOf(terms.to)).toBe(terms.value)
  })
})
