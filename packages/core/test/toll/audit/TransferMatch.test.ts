import { describe, expect, it } from "vitest"
import { matchTransfers, type SettlementEntry } from "../../../src/toll/audit/TransferMatch.ts"
import type { IncomingTransfer } from "../../../src/toll/evidence/Chain.ts"
import { type Dice, property } from "../../domain/seeded.ts"

const payer = "0x00000000000000000000000000000000000000aa"

const entry = (changes: Partial<SettlementEntry> = {}): SettlementEntry => ({
  transaction: "0x1",
  transferLogIndex: undefined,
  payer,
  amountAtomic: "10",
  ...changes
})

const transfer = (changes: Partial<IncomingTransfer> = {}): IncomingTransfer => ({
  transaction: "0x1",
  logIndex: 0,
  from: payer,
  valueAtomic: "10",
  ...changes
})

describe("a settlement and a transfer", () => {
  it.each([
    ["of its log index", entry({ transferLogIndex: 3 }), transfer({ logIndex: 3 }), true],
    ["of another log index", entry({ transferLogIndex: 3 }), transfer({ logIndex: 4 }), false],
    [
      "of its log index, and another payer",
      entry({ transferLogIndex: 0 }),
      transfer({ from: "0xbb" }),
      false
    ],
    [
      "of its log index, and another amount",
      entry({ transferLogIndex: 0 }),
      transfer({ valueAtomic: "9" }),
      false
    ],
    [
      "of a transaction and log index with the same digits",
      entry({ transferLogIndex: 11 }),
      transfer({ transaction: "0x11", logIndex: 1 }),
      false
    ],
    ["of its transaction, payer and amount", entry(), transfer({ logIndex: 9 }), true],
    [
      "in other letters",
      entry({ transaction: "0xAB", payer: payer.toUpperCase() }),
      transfer({ transaction: "0xab" }),
      true
    ],
    ["of another transaction", entry(), transfer({ transaction: "0x2" }), false],
    ["of another payer", entry(), transfer({ from: "0xbb" }), false],
    ["of another amount", entry(), transfer({ valueAtomic: "11" }), false],
    ["without a transaction", entry({ transaction: undefined }), transfer(), false],
    [
      "without a transaction, and with a log index",
      entry({ transaction: undefined, transferLogIndex: 0 }),
      transfer(),
      false
    ]
  ])("%s", (_, settlement, moved, isMatch) => {
    const match = matchTransfers([settlement], [moved])
    expect([match.pairs.length, match.entries.length, match.transfers.length]).toEqual(
      isMatch ? [1, 0, 0] : [0, 1, 1]
    )
  })

  it("match once: of 64 settlements in one transaction, one has the transfer", () => {
    const match = matchTransfers(
      Array.from({ length: 64 }, () => entry()),
      [transfer()]
    )
    expect([match.pairs.length, match.entries.length, match.transfers.length]).toEqual([1, 63, 0])
  })

  it("match by log index first", () => {
    const exact = entry({ transferLogIndex: 1 })
    const match = matchTransfers([entry(), exact], [transfer({ logIndex: 1 })])
    expect(match.pairs.map((pair) => pair.entry)).toEqual([exact])
  })
})

const randomEntry = (dice: Dice): SettlementEntry =>
  entry({
    transaction: dice.pick(["0x1", "0x2"]),
    transferLogIndex: dice.pick([undefined, undefined, 0, 1, 2]),
    payer: dice.pick(["0xp", "0xq"]),
    amountAtomic: dice.pick(["1", "2"])
  })

/** Each position in the chain holds one transfer at most. */
const randomTransfers = (dice: Dice): ReadonlyArray<IncomingTransfer> =>
  ["0x1", "0x2"].flatMap((transaction) =>
    [0, 1, 2].flatMap((logIndex) =>
      dice.below(3) === 0
        ? []
        : [
            transfer({
              transaction,
              logIndex,
              from: dice.pick(["0xp", "0xq"]),
              valueAtomic: dice.pick(["1", "2"])
            })
          ]
    )
  )

const fits = (settlement: SettlementEntry, moved: IncomingTransfer): boolean =>
  settlement.transaction === moved.transaction &&
  settlement.payer === moved.from &&
  settlement.amountAtomic === moved.valueAtomic &&
  (settlement.transferLogIndex ?? moved.logIndex) === moved.logIndex

/** The most settlements that can have a transfer of their own, by trying everything. */
const most = (
  entries: ReadonlyArray<SettlementEntry>,
  transfers: ReadonlyArray<IncomingTransfer>
): number => {
  const [first, ...rest] = entries
  if (first === undefined) return 0
  return Math.max(
    most(rest, transfers),
    ...transfers
      .filter((moved) => fits(first, moved))
      .map(
        (moved) =>
          1 +
          most(
            rest,
            transfers.filter((other) => other !== moved)
          )
      )
  )
}

describe("matching", () => {
  property(
    "uses each transfer and settlement once, pairs only what fits, and leaves nothing that could be paired",
    400,
    (dice) => {
      const entries = Array.from({ length: dice.below(6) }, () => randomEntry(dice))
      const transfers = randomTransfers(dice)
      const match = matchTransfers(entries, transfers)
      expect(new Set([...match.pairs.map((pair) => pair.transfer), ...match.transfers])).toEqual(
        new Set(transfers)
      )
      expect(match.pairs.length + match.transfers.length).toBe(transfers.length)
      expect(new Set([...match.pairs.map((pair) => pair.entry), ...match.entries]).size).toBe(entries.length)
      for (const pair of match.pairs) expect(fits(pair.entry, pair.transfer)).toBe(true)
      expect(match.pairs.length).toBe(most(entries, transfers))
    }
  )
})
