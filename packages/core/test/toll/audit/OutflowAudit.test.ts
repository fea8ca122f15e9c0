import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Charges, type EntriesQuery, type LedgerEntry } from "../../../src/ports/Charges.ts"
import { chargesWithOne, key, paidRefundDue } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleAttempt, sampleCharge } from "../../../../testing/src/stores/records.ts"
import { findOtherOutflows, matchRefunds } from "../../../src/toll/audit/OutflowAudit.ts"
import { Chain, type OutgoingTransfer, type TimeSpan } from "../../../src/toll/evidence/Chain.ts"
import { makeChain } from "../../../src/toll/evidence/ChainReader.ts"
import { baseSepolia } from "./auditedChain.ts"

const mine = "0x00000000000000000000000000000000000000F1"
const earlier = "0x00000000000000000000000000000000000000f2"
const { amountAtomic, payer } = sampleCharge()
const back = `0x${"ba".repeat(32)}`

const refund: OutgoingTransfer = {
  transaction: back.toUpperCase().replace("0X", "0x"),
  logIndex: 1,
  to: payer.toLowerCase(),
  valueAtomic: amountAtomic
}
const elsewhere: OutgoingTransfer = { ...refund, transaction: `0x${"0e".repeat(32)}`, valueAtomic: "7" }

const entryOf = (chargeKey: string, change: Partial<LedgerEntry> = {}): LedgerEntry => ({
  chargeKey,
  round: 0,
  kind: "refunded",
  operation: "track",
  network: baseSepolia.caip2,
  asset: baseSepolia.asset,
  payer,
  payTo: baseSepolia.payTo,
  amountAtomic,
  transaction: back,
  transferLogIndex: undefined,
  atMillis: 0,
  ...change
})

describe("refunds and transfers", () => {
  it("match one to one, by transaction, payee and amount", () => {
    const twice = { ...refund, logIndex: 2 }
    const one = entryOf("one")
    const two = entryOf("two")
    expect(matchRefunds([refund, twice], [one, two])).toEqual({ others: [], shared: [] })
    expect(matchRefunds([refund, twice], [one])).toEqual({ others: [twice], shared: [] })
    expect(matchRefunds([refund], [one, two])).toEqual({ others: [], shared: [two] })
  })

  it.each([
    { transaction: elsewhere.transaction },
    { to: "0x00000000000000000000000000000000000000bb" },
    { valueAtomic: "7" }
  ])("don't match with %j", (change) => {
    const other = { ...refund, ...change }
    // An operator's refund may have left another wallet.
    expect(matchRefunds([other], [entryOf("one")])).toEqual({ others: [other], shared: [] })
  })

  it("differ by letter case on Solana", () => {
    const paid = { ...refund, transaction: "aB", to: "Cd" }
    const entry = entryOf("one", { transaction: "aB", payer: "Cd" })
    expect(matchRefunds([paid], [entry]).others).toEqual([])
    expect(matchRefunds([{ ...paid, transaction: "ab" }], [entry]).others).toHaveLength(1)
    expect(matchRefunds([{ ...paid, to: "cd" }], [entry]).others).toHaveLength(1)
  })
})

interface Given {
  readonly shown: Readonly<Record<string, ReadonlyArray<OutgoingTransfer>>>
  readonly wallet?: string
  readonly recorded?: ReadonlyArray<string>
  readonly canRead?: boolean
  /** Instead of the entry of that refund. */
  readonly entries?: ReadonlyArray<LedgerEntry>
  /** A refund wallet on another network, too. */
  readonly otherWallet?: string
  readonly span?: { readonly fromMillis: number; readonly beforeMillis: number }
  readonly changes?: Partial<Chain["Service"]>
}

const otherNetwork = { ...baseSepolia, caip2: "eip155:8453" } as const

/** Lists the outflows of a store with one refund; returns the faults and what was read, too. */
const list = async ({
  canRead = true,
  changes = {},
  entries,
  otherWallet,
  recorded = [],
  shown,
  span = { fromMillis: 0, beforeMillis: 10_000 },
  wallet
}: Given) => {
  const queries: Array<EntriesQuery> = []
  const faults: Array<readonly [string, string]> = []
  const reads: Array<readonly [string, TimeSpan]> = []
  const chain = Chain.of({
    ...makeChain([], () => {
      throw new Error("there is no node")
    }),
    canRead: () => canRead,
    transfersFrom: (_: unknown, from: string, span: TimeSpan) =>
      Effect.sync(() => {
        reads.push([from, span])
        const transfers = shown[from]
        return transfers === undefined ? undefined : { fromBlock: 0n, toBlock: 0n, transfers }
      }),
    ...changes
  })
  const program = Effect.gen(function* () {
    const charges = yield* Charges
    yield* chargesWithOne("settled", {}, { settlement: paidRefundDue })
    yield* charges.startRefund(key, { sinceMillis: 0, maxAtomic: "10000" }, 2_000)
    for (const [index, each] of recorded.entries())
      yield* charges.recordRefundAttempt(sampleAttempt({ sequence: index + 1, wallet: each }))
    yield* charges.recordRefund(key, back, 3_000)
    const listed = findOtherOutflows(
      span,
      [baseSepolia, otherNetwork],
      new Map(
        Object.entries({ [baseSepolia.caip2]: wallet, [otherNetwork.caip2]: otherWallet }).flatMap(
          ([caip2, own]) => (own === undefined ? [] : [[caip2, own]])
        )
      ),
      (own, fault) => faults.push([own, fault])
    )
    return yield* Effect.provideService(
      listed,
      Charges,
      Charges.of({
        ...charges,
        entries: (query) => {
          queries.push(query)
          return entries === undefined ? charges.entries(query) : Effect.succeed(entries)
        }
      })
    )
  })
  const outflows = await Effect.runPromise(
    program.pipe(Effect.provideService(Chain, chain), Effect.provide(Charges.layerMemory))
  )
  return { outflows, faults, queries, reads }
}

const none = { transfers: 0, first: [], unreadNetworks: [] }

describe("what left a refund wallet", () => {
  it("is listed unless it is a refund, moved nothing, or came back; it is no fault", async () => {
    const wallet = mine.toLowerCase()
    const noise = [
      { ...elsewhere, valueAtomic: "0" },
      { ...elsewhere, to: wallet }
    ]
    const { faults, outflows, reads } = await list({
      wallet: mine,
      shown: { [wallet]: [refund, elsewhere, ...noise] }
    })
    expect(outflows).toEqual({
      ...none,
      transfers: 1,
      first: [
        {
          network: baseSepolia.caip2,
          asset: baseSepolia.asset,
          wallet,
          to: payer.toLowerCase(),
          amountAtomic: 7n,
          transaction: elsewhere.transaction,
          logIndex: 1
        }
      ]
    })
    expect(faults).toEqual([])
    expect(reads).toEqual([[wallet, { fromSeconds: 0, beforeSeconds: 10 }]])
  })

  it("is read of the wallets that refunds recorded, too, each once", async () => {
    const wallet = mine.toLowerCase()
    const { outflows, reads } = await list({
      wallet: mine,
      recorded: [earlier, wallet, earlier],
      shown: { [wallet]: [], [earlier]: [refund, elsewhere] }
    })
    expect(reads.map(([from]) => from)).toEqual([wallet, earlier])
    expect(outflows).toMatchObject({ transfers: 1, first: [{ wallet: earlier }] })
    expect((await list({ shown: {} })).outflows).toEqual(none)
  })

  it("is counted, and the first hundred are listed", async () => {
    const many = Array.from({ length: 130 }, () => elsewhere)
    const { outflows } = await list({ wallet: earlier, shown: { [earlier]: many } })
    expect(outflows.transfers).toBe(130)
    expect(outflows.first).toHaveLength(100)
  })

  it("is unread where the chain doesn't show it, or there are too many wallets", async () => {
    const unread = { ...none, unreadNetworks: [baseSepolia.caip2] }
    expect((await list({ wallet: earlier, shown: {} })).outflows).toEqual(unread)
    const shown = { [earlier]: [] }
    expect((await list({ wallet: earlier, shown, canRead: false })).outflows).toEqual(unread)
    const crowd = Array.from({ length: 21 }, (_, index) => `0x${String(index).padStart(40, "0")}`)
    const { outflows, reads } = await list({
      recorded: crowd,
      shown: Object.fromEntries(crowd.map((each) => [each, []]))
    })
    expect(reads).toHaveLength(20)
    expect(outflows).toEqual(unread)
    const few = await list({
      recorded: crowd.slice(1),
      shown: Object.fromEntries(crowd.map((each) => [each, []]))
    })
    expect([few.reads.length, few.outflows]).toEqual([20, none])
  })

  it("is unread where a chain can't list transfers, and no further span is read after one that can't be", async () => {
    const unread = { ...none, unreadNetworks: [baseSepolia.caip2] }
    const blind = await list({ wallet: earlier, shown: {}, changes: { transfersFrom: undefined } as never })
    expect(blind.outflows).toEqual(unread)
    const day = { fromMillis: 0, beforeMillis: 86_400_000 }
    expect((await list({ wallet: earlier, shown: {}, span: day })).reads).toHaveLength(1)
    expect((await list({ wallet: earlier, shown: { [earlier]: [] }, span: day })).reads).toHaveLength(4)
  })

  it("is compared with the refunds around its span, and read of whole seconds within it", async () => {
    const { queries, reads } = await list({
      wallet: earlier,
      shown: { [earlier]: [] },
      span: { fromMillis: 500, beforeMillis: 10_200 }
    })
    expect(reads).toEqual([[earlier, { fromSeconds: 1, beforeSeconds: 11 }]])
    expect(queries).toMatchObject([{ fromMillis: 500 - 600_000, beforeMillis: 10_200 + 7_200_000 }])
  })

  it("is no refund where the ledger's entry is another: of another kind, token or network", async () => {
    const given = { wallet: earlier, shown: { [earlier]: [refund] } }
    expect((await list({ ...given, entries: [entryOf(key)] })).outflows.transfers).toBe(0)
    for (const change of [
      { kind: "settled" },
      { asset: "0x0000000000000000000000000000000000000099" },
      { network: "eip155:99" },
      { network: otherNetwork.caip2 }
    ] as const) {
      const { faults, outflows } = await list({ ...given, entries: [entryOf(key, change)] })
      expect([outflows.transfers, faults], JSON.stringify(change)).toEqual([1, []])
    }
  })

  it("is listed of all tokens together, up to a hundred", async () => {
    const many = Array.from({ length: 60 }, () => elsewhere)
    const { outflows } = await list({
      wallet: earlier,
      otherWallet: mine,
      shown: { [earlier]: many, [mine.toLowerCase()]: many }
    })
    expect(outflows.transfers).toBe(120)
    expect(outflows.first.map(({ network }) => network)).toEqual([
      ...many.map(() => baseSepolia.caip2),
      ...Array.from({ length: 40 }, () => otherNetwork.caip2)
    ])
  })

  it("is a fault where two refunds name one transfer, if all wallets could be read", async () => {
    const entries = [entryOf(key), entryOf("two")]
    const given = { wallet: earlier, entries }
    const whole = await list({ ...given, shown: { [earlier]: [refund] } })
    expect(whole.faults).toEqual([["two", "its refund is a transfer that is another refund's"]])
    const part = await list({ ...given, recorded: [mine.toLowerCase()], shown: { [earlier]: [refund] } })
    expect([part.faults, part.outflows.unreadNetworks]).toEqual([[], [baseSepolia.caip2]])
  })
})
