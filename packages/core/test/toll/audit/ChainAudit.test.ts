import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { type LedgerAudit } from "../../../src/toll/audit/LedgerAudit.ts"
import {
  payTo,
  baseSepolia,
  hour,
  from,
  span,
  type Paid,
  hexOf,
  moved,
  keyOf,
  check
} from "./auditedChain.ts"

const base = { ...findNetwork("base")!, payTo }

/** A payment as most are: moved, and entered two seconds later. */
const paid = (number: number, atMillis: number, changes: Partial<Paid> = {}): Paid => ({
  transaction: hexOf(number),
  enteredMillis: atMillis + 2_000,
  moved: moved(hexOf(number), atMillis),
  ...changes
})

const faultsIn = ({ faults }: LedgerAudit): ReadonlyArray<readonly [string, string]> =>
  faults.map(({ chargeKey, fault }) => [chargeKey.slice(-4), fault])

describe("the ledger against the chain", () => {
  it("balances where each entry is one transfer, with its log index or without", async () => {
    const found = await check([
      paid(1, from + hour),
      paid(2, from + 7 * hour, { logIndex: 0 }),
      paid(3, from + 19 * hour)
    ])
    expect(found.chain).toEqual({
      networks: ["eip155:84532"],
      unreadNetworks: [],
      transfers: 3,
      provenEntries: 3,
      openEntries: 0,
      foreignTransfers: 0,
      foreign: [],
      otherOutflows: { transfers: 0, first: [], unreadNetworks: [] },
      unshownRefunds: [],
      unreadRefunds: 0
    })
    expect(found.isBalanced).toBe(true)
  })

  it("finds an entry whose payment expired unused, and leaves open one that can still move", async () => {
    const found = await check([
      paid(1, from + hour),
      { transaction: hexOf(7), enteredMillis: from + hour },
      {
        transaction: hexOf(8),
        enteredMillis: from + hour,
        evidence: { _tag: "NotMoved", chainTimeSeconds: (from + hour) / 1000 + 119 }
      }
    ])
    expect(faultsIn(found)).toEqual([["0001", "the chain shows no transfer of its payment"]])
    expect(found.chain).toMatchObject({ provenEntries: 1, openEntries: 1 })
  })

  it.each<readonly [string, Partial<Paid>, string | undefined]>([
    [
      "canceled",
      { evidence: { _tag: "NotPaid", reason: "canceled" } },
      "its authorization was used up without paying"
    ],
    [
      "proven elsewhere",
      {
        logIndex: 3,
        evidence: { _tag: "Moved", transaction: hexOf(7), logIndex: 4, atSeconds: from / 1000, isFinal: true }
      },
      "the chain shows its payment in another transfer than the ledger"
    ],
    ["confirming", { evidence: { _tag: "Confirming", transaction: hexOf(7) } }, undefined],
    ["unreadable", { evidence: { _tag: "Unavailable" } }, undefined],
    [
      "awaiting finality",
      { awaitsFinality: true, evidence: { _tag: "NotPaid", reason: "used_otherwise" } },
      undefined
    ]
  ])("judges an entry that no transfer matches: %s", async (_, changes, fault) => {
    const found = await check([{ transaction: hexOf(7), enteredMillis: from + hour, ...changes }])
    expect(faultsIn(found)).toEqual(fault === undefined ? [] : [["0000", fault]])
    expect(found.chain).toMatchObject({ provenEntries: 0, openEntries: fault === undefined ? 1 : 0 })
  })

  it("finds the 63 of 64 entries that share one transfer, whichever of them it is", async () => {
    const transaction = hexOf(1)
    for (const real of [0, 31, 63]) {
      const found = await check(
        Array.from({ length: 64 }, (_, number) => ({
          transaction,
          enteredMillis: from + hour + number * 1_000,
          ...(number === real
            ? { moved: moved(transaction, from + hour) }
            : { evidence: { _tag: "NotPaid", reason: "used_otherwise" } as const })
        }))
      )
      expect(new Set(found.faults.map(({ chargeKey }) => chargeKey))).toEqual(
        new Set(Array.from({ length: 64 }, (_, number) => keyOf(number)).filter((key) => key !== keyOf(real)))
      )
      expect(found.chain).toMatchObject({ transfers: 1, provenEntries: 1, foreignTransfers: 0 })
    }
  })

  it("finds two entries of one transfer that were made many hours apart", async () => {
    const transaction = hexOf(1)
    const bogus = { transaction, evidence: { _tag: "NotPaid", reason: "used_otherwise" } } as const
    const found = await check([
      { ...bogus, enteredMillis: from + hour },
      paid(1, from + hour, { enteredMillis: from + 19 * hour })
    ])
    expect(faultsIn(found)).toEqual([["0000", "its authorization was used up without paying"]])
    expect(found.chain).toMatchObject({ provenEntries: 1, openEntries: 0 })
  })

  it("reports a transfer that is no entry, and nothing else", async () => {
    const transfer = moved(hexOf(9), from + 3 * hour, { logIndex: 4, from: "0xbb", valueAtomic: "7" })
    const found = await check([paid(1, from + hour)], { foreign: [transfer] })
    expect(found.isBalanced).toBe(true)
    expect(found.chain).toMatchObject({ transfers: 2, provenEntries: 1, foreignTransfers: 1 })
    expect(found.chain!.foreign).toEqual([
      {
        network: "eip155:84532",
        payTo,
        from: "0xbb",
        amountAtomic: 7n,
        transaction: hexOf(9),
        logIndex: 4
      }
    ])
  })

  it("reports the second of two transfers in one transaction that has one entry", async () => {
    const found = await check([paid(1, from + hour)], {
      foreign: [moved(hexOf(1), from + hour, { logIndex: 1 })]
    })
    expect(found.isBalanced).toBe(true)
    expect(found.chain).toMatchObject({ provenEntries: 1, foreignTransfers: 1 })
  })

  it("counts the foreign transfers it doesn't list", async () => {
    const foreign = Array.from({ length: 150 }, (_, index) => moved(hexOf(1_000 + index), from + hour))
    const found = await check([], { foreign })
    expect([found.chain!.foreignTransfers, found.chain!.foreign.length]).toEqual([150, 100])
  })

  it("judges nothing outside of the span, and everything at its edges", async () => {
    const before = paid(1, from - 1_000, { enteredMillis: from - 500 })
    const across = paid(2, from - 1_000, { enteredMillis: from + 500 })
    const over = paid(3, span.beforeMillis - 1_000, { enteredMillis: span.beforeMillis + 500 })
    const after = paid(4, span.beforeMillis + 1_000)
    const stray = { transaction: hexOf(5), enteredMillis: span.beforeMillis }
    const foreign = [moved(hexOf(6), from - 1_000), moved(hexOf(7), span.beforeMillis)]
    const found = await check([before, across, over, after, stray], { foreign })
    expect(found).toMatchObject({ isBalanced: true, settledEntries: 1 })
    expect(found.chain).toMatchObject({ transfers: 1, provenEntries: 1, openEntries: 0, foreignTransfers: 0 })
  })

  it("finds the entry of a transfer that was recorded hours after the span, and the transfer of an old one", async () => {
    const found = await check([
      paid(1, span.beforeMillis - hour, { enteredMillis: span.beforeMillis + 30 * hour }),
      paid(2, from - 30 * hour, { enteredMillis: from + hour })
    ])
    expect(found.isBalanced).toBe(true)
    expect(found.chain).toMatchObject({ transfers: 1, provenEntries: 1, foreignTransfers: 0 })
  })

  it("accepts that a facilitator named another transaction than the one that moved", async () => {
    const found = await check([paid(1, from + hour, { transaction: hexOf(99) })])
    expect(found.isBalanced).toBe(true)
    expect(found.chain).toMatchObject({ transfers: 1, provenEntries: 1, foreignTransfers: 0 })
  })

  it("reads the recipient of earlier entries too, and reports none of its other transfers", async () => {
    const earlier = "0x000000000000000000000000000000000000000E"
    const payment = paid(1, from + hour, { payTo: earlier })
    const found = await check([{ ...payment, moved: { ...payment.moved!, to: earlier } }], {
      foreign: [moved(hexOf(9), from + hour, { to: earlier })]
    })
    expect(found.isBalanced).toBe(true)
    expect(found.chain).toMatchObject({ transfers: 0, provenEntries: 1, foreignTransfers: 0 })
  })

  it("leaves out what a reorganization reversed", async () => {
    const found = await check(
      [{ transaction: hexOf(1), enteredMillis: from + hour, logIndex: 0, awaitsFinality: true }],
      {
        before: (charges) =>
          Effect.gen(function* () {
            const lease = { owner: "you", untilMillis: from + 9 * hour }
            expect(yield* charges.takeOver(keyOf(0), lease, from + 3 * hour)).toBe(true)
            expect(yield* charges.reopen(keyOf(0), "you", from + 3 * hour)).toBe(true)
          })
      }
    )
    expect(found).toMatchObject({ isBalanced: true, settledEntries: 0, settledCharges: 0 })
    expect(found.chain).toMatchObject({ provenEntries: 0, openEntries: 0 })
  })

  describe("in a token that the network doesn't have any more", () => {
    const dollar = "0x00000000000000000000000000000000d011a500"
    const networks = [{ ...baseSepolia, asset: dollar } as const]

    it("compares entries with that token's transfers, and names no foreign ones in it", async () => {
      const inDollar = paid(2, from + hour, { asset: dollar })
      const found = await check(
        [paid(1, from + hour), { ...inDollar, moved: { ...inDollar.moved!, asset: dollar } }],
        { networks, foreign: [moved(hexOf(9), from + hour)] }
      )
      expect(faultsIn(found)).toEqual([])
      expect(found.chain).toMatchObject({
        networks: ["eip155:84532"],
        transfers: 1,
        provenEntries: 2,
        openEntries: 0,
        foreignTransfers: 0
      })
    })

    it("takes no transfer of one token for a payment in another", async () => {
      const found = await check([paid(1, from + hour), paid(2, from + hour, { asset: dollar })], { networks })
      expect(faultsIn(found)).toEqual([["0001", "the chain shows no transfer of its payment"]])
      expect(found.chain).toMatchObject({ transfers: 0, provenEntries: 1 })
    })

    it("judges an entry by its own token, though one in another names the same transaction", async () => {
      const atSeconds = from / 1000
      // Proven only by its evidence, so that its rivals are judged.
      const late: Paid = {
        transaction: hexOf(1),
        enteredMillis: from + hour,
        asset: dollar,
        logIndex: 3,
        evidence: { _tag: "Moved", transaction: hexOf(1), logIndex: 3, atSeconds, isFinal: true }
      }
      const found = await check([late, paid(1, from + hour)], { networks })
      expect(faultsIn(found)).toEqual([])
      expect(found.chain).toMatchObject({ provenEntries: 2 })
    })

    it("doesn't take a late entry in one token for a transfer of another", async () => {
      const late = { transaction: hexOf(5), enteredMillis: from + 30 * hour, asset: baseSepolia.asset }
      const found = await check([late], {
        networks,
        foreign: [moved(hexOf(5), from + hour, { asset: dollar })]
      })
      expect(found.chain).toMatchObject({ transfers: 1, foreignTransfers: 1 })
    })

    it("names a network whose entries are in a token that can't be read", async () => {
      const found = await check([paid(1, from + hour, { asset: "USDC" })], { networks })
      expect(found.chain).toMatchObject({ networks: [], unreadNetworks: ["eip155:84532"] })
      const failing = await check([paid(1, from + hour)], {
        networks,
        chain: {
          transfersTo: ({ asset }) =>
            Effect.succeed(asset === dollar ? { fromBlock: 0n, toBlock: 0n, transfers: [] } : undefined)
        }
      })
      expect(failing.chain).toMatchObject({
        networks: [],
        unreadNetworks: ["eip155:84532"],
        provenEntries: 0
      })
    })
  })

  it("names networks that it can't read, and finds no fault in them", async () => {
    const stray = { transaction: hexOf(1), enteredMillis: from + hour }
    const unread = await check([stray], { chain: { canRead: () => false }, networks: [baseSepolia, base] })
    expect(unread).toMatchObject({ isBalanced: true })
    expect(unread.chain).toMatchObject({ networks: [], unreadNetworks: ["eip155:84532", "eip155:8453"] })
    const failing = await check([stray], { chain: { transfersTo: () => Effect.succeed(undefined) } })
    expect(failing.chain).toMatchObject({ networks: [], unreadNetworks: ["eip155:84532"] })
    const removed = await check([stray], { networks: [] })
    expect(removed.chain).toMatchObject({ networks: [], unreadNetworks: ["eip155:84532"] })
  })

  it("looks up 200 entries at most, the oldest first, and leaves the others open", async () => {
    const found = await check(
      Array.from({ length: 250 }, (_, number) => ({
        transaction: hexOf(number),
        enteredMillis: from + hour - number
      }))
    )
    expect(found.faults).toHaveLength(100)
    expect(found.faults[0]!.chargeKey).toBe(keyOf(249))
    expect(found.chain).toMatchObject({ openEntries: 50 })
  })
})
