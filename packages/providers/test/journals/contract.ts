import type { PlacementJournal } from "@till402/providers/rye"
import type { TransferAttempt, TransferJournal } from "@till402/providers/solana-refunds"
import { assert } from "vitest"

/*
 * What every journal promises, as cases over two openings of one store: two processes that share it. A store that lives
 * in one process gives the same journal twice.
 */

export interface Opening {
  readonly placements: PlacementJournal
  readonly transfers: TransferJournal
}

export interface JournalCase {
  readonly name: string
  readonly run: (left: Opening, right: Opening) => Promise<void>
}

const attempt = (position: number, change: Partial<TransferAttempt> = {}): TransferAttempt => ({
  key: "charge-1",
  position,
  signature: `signature-${position}`,
  transaction: "AQID",
  lastValidBlockHeight: 300_000_150,
  signedAtSlot: 320_000_000,
  network: "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp",
  payer: "payer",
  payee: "payee",
  mint: "mint",
  amountAtomic: "18446744073709551615",
  caller: "shop",
  ...change
})

/** Ten racers, left and right in turns. */
const race = <A>(left: Opening, right: Opening, run: (opening: Opening, racer: number) => Promise<A>) =>
  Promise.all(Array.from({ length: 10 }, (_, racer) => run(racer % 2 === 0 ? left : right, racer)))

export const journalCases: ReadonlyArray<JournalCase> = [
  {
    name: "attempts of a transfer are there for everybody, by position, each as it was given",
    run: async (left, right) => {
      assert.deepStrictEqual(await right.transfers.find("charge-1"), [])
      assert.deepStrictEqual(await left.transfers.insert(attempt(0)), [attempt(0)])
      const both = [attempt(0), attempt(1, { lastValidBlockHeight: Number.MAX_SAFE_INTEGER })]
      assert.deepStrictEqual(await right.transfers.insert(both[1]!), both)
      const other = attempt(0, { key: "charge '2' $1 ?" })
      assert.deepStrictEqual(await left.transfers.insert(other), [other])
      assert.deepStrictEqual(await left.transfers.find("charge-1"), both)
      assert.deepStrictEqual(await right.transfers.find(other.key), [other])
    }
  },
  {
    name: "of attempts that race for one position, one is stored and all are told of it",
    run: async (left, right) => {
      const responses = await race(left, right, ({ transfers }, racer) =>
        transfers.insert(attempt(0, { signature: `signature-${racer}` }))
      )
      const stored = await left.transfers.find("charge-1")
      assert.strictEqual(stored.length, 1)
      for (const response of responses) assert.deepStrictEqual(response, stored)
    }
  },
  {
    name: "a placement is there for everybody once it is recorded, and the last one stands",
    run: async (left, right) => {
      assert.isUndefined(await left.placements.find("order-1"))
      await left.placements.record("order-1", { reference: "ci_1", atMillis: 1_900_000_000_123 })
      assert.deepStrictEqual(await right.placements.find("order-1"), {
        reference: "ci_1",
        atMillis: 1_900_000_000_123
      })
      await right.placements.record("order-1", { reference: "ci_1", atMillis: 1_900_000_060_000 })
      assert.deepStrictEqual(await left.placements.find("order-1"), {
        reference: "ci_1",
        atMillis: 1_900_000_060_000
      })
      assert.isUndefined(await left.placements.find("order-2"))
    }
  },
  {
    name: "a buyer is there for everybody once recorded, however often",
    run: async (left, right) => {
      assert.isFalse(await left.placements.hasBought?.("aa"))
      await left.placements.recordBuyer?.("aa")
      await right.placements.recordBuyer?.("aa")
      assert.isTrue(await right.placements.hasBought?.("aa"))
      assert.isFalse(await right.placements.hasBought?.("ab"))
    }
  },
  {
    name: "placements that race are whole: one of them stands, for everybody",
    run: async (left, right) => {
      await race(left, right, ({ placements }, racer) =>
        placements.record("order-1", { reference: `ci_${racer}`, atMillis: racer })
      )
      const stands = await left.placements.find("order-1")
      assert.isDefined(stands)
      assert.strictEqual(stands.reference, `ci_${stands.atMillis}`)
      assert.deepStrictEqual(await right.placements.find("order-1"), stands)
    }
  }
]
