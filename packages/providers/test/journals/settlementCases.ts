import type { SettlementJournal, SettlementRecord } from "@till402/providers/facilitator"
import { assert } from "vitest"

/*
 * What every journal of settlements promises, as cases over two openings of one store.
 */

export interface SettlementCase {
  readonly name: string
  readonly run: (left: SettlementJournal, right: SettlementJournal) => Promise<void>
}

const relayer = "0x00000000000000000000000000000000000000a1"

let made = 0
export const settlement = (change: Partial<SettlementRecord> = {}): SettlementRecord => ({
  key: "eip155:8453:0xasset:0xpayer:0x01",
  digest: "0xd1",
  caller: "",
  attempt: 0,
  replacement: 0,
  chainId: 8453,
  relayer,
  nonce: 7,
  transaction: `0x${(++made).toString(16).padStart(64, "0")}`,
  signedTransaction: "0x02f8",
  recordedAtMillis: 1_900_000_000_123,
  ...change
})

export const settlementCases: ReadonlyArray<SettlementCase> = [
  {
    name: "a settlement is there for everybody once it is inserted, as it was given",
    run: async (left, right) => {
      const record = settlement({ caller: "Laden № 1 'x' $1 ?", nonce: Number.MAX_SAFE_INTEGER })
      assert.deepStrictEqual(await right.find(record.key), [])
      assert.deepStrictEqual(await right.since(8453, relayer, 0), [])
      assert.isUndefined(await left.insert(record))
      assert.deepStrictEqual(await right.find(record.key), [record])
      assert.deepStrictEqual(await right.at(8453, relayer, record.nonce), [record])
      assert.deepStrictEqual(await right.since(8453, relayer, record.nonce), [record])
    }
  },
  {
    name: "an authorization gets one transaction for each attempt: a second one is not stored",
    run: async (left, right) => {
      const first = settlement()
      await left.insert(first)
      assert.deepStrictEqual(await right.insert(settlement({ nonce: 8 })), first)
      assert.deepStrictEqual(await left.find(first.key), [first])
      assert.deepStrictEqual(await left.since(8453, relayer, 0), [first])
    }
  },
  {
    name: "a transaction number belongs to one authorization, and on its chain and account only",
    run: async (left, right) => {
      const first = settlement()
      await left.insert(first)
      assert.deepStrictEqual(await right.insert(settlement({ key: "other" })), first)
      assert.isUndefined(await right.insert(settlement({ key: "chain", chainId: 84_532 })))
      const account = "0x00000000000000000000000000000000000000a2"
      assert.isUndefined(await right.insert(settlement({ key: "account", relayer: account })))
      assert.deepStrictEqual(await left.at(8453, relayer, 7), [first])
    }
  },
  {
    name: "of two conflicts, the one with the same authorization is returned",
    run: async (left, right) => {
      const own = settlement({ nonce: 1 })
      await left.insert(own)
      await left.insert(settlement({ key: "other", nonce: 2 }))
      assert.deepStrictEqual(await right.insert(settlement({ nonce: 2 })), own)
    }
  },
  {
    name: "replacements and attempts are listed in their order",
    run: async (left, right) => {
      const second = settlement({ replacement: 1 })
      const third = settlement({ attempt: 1, nonce: 12 })
      const first = settlement()
      for (const record of [third, second, first]) assert.isUndefined(await left.insert(record))
      assert.deepStrictEqual(await right.find(first.key), [first, second, third])
      assert.deepStrictEqual(await right.at(8453, relayer, 7), [first, second])
    }
  },
  {
    name: "the records from a transaction number on are listed by number, of one chain and account",
    run: async (left, right) => {
      const late = settlement({ key: "late", nonce: 12 })
      const raised = settlement({ replacement: 1, nonce: 9 })
      const first = settlement({ nonce: 9 })
      const early = settlement({ key: "early", nonce: 2 })
      const elsewhere = settlement({ key: "chain", chainId: 84_532, nonce: 20 })
      for (const record of [late, raised, first, early, elsewhere]) await left.insert(record)
      assert.deepStrictEqual(await right.since(8453, relayer, 3), [first, raised, late])
      assert.deepStrictEqual(await right.since(8453, relayer, 9), [first, raised, late])
      assert.deepStrictEqual(await right.since(8453, relayer, 10), [late])
      assert.deepStrictEqual(await right.since(8453, relayer, 13), [])
    }
  },
  {
    name: "of settlements that race for one number, one is stored and the others get it",
    run: async (left, right) => {
      const racers = Array.from({ length: 10 }, (_, racer) => settlement({ key: `key-${racer}` }))
      const responses = await Promise.all(
        racers.map((record, racer) => (racer % 2 === 0 ? left : right).insert(record))
      )
      const winners = racers.filter((_, racer) => responses[racer] === undefined)
      assert.strictEqual(winners.length, 1)
      for (const response of responses) assert.deepStrictEqual(response ?? winners[0], winners[0])
      assert.deepStrictEqual(await right.at(8453, relayer, 7), winners)
    }
  }
]
