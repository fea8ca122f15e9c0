import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { findNetwork } from "../../../src/domain/Network.ts"
import { Charges } from "../../../src/ports/Charges.ts"
import { sampleResponse, sampleCharge } from "../../../src/testing/stores/records.ts"
import { Chain, type ChainEvidence, type IncomingTransfer } from "../../../src/toll/evidence/Chain.ts"
import { auditLedgerWithChain, type LedgerAudit } from "../../../src/toll/audit/LedgerAudit.ts"
import { type Dice, dice, property } from "../../domain/seeded.ts"

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
const baseSepolia = { ...findNetwork("base-sepolia")!, payTo }
const base = { ...findNetwork("base")!, payTo }
const payer = "0x00000000000000000000000000000000000000aa"

const hour = 3_600_000
/** A span of 20 hours, a month ago. */
const from = Math.floor(Date.now() / 1000) * 1000 - 720 * hour
const span = { fromMillis: from, beforeMillis: from + 20 * hour }

interface Moved extends Omit<IncomingTransfer, "atSeconds"> {
  readonly atMillis: number
  readonly to?: string
}

/** One payment of 10 units: its entry in the ledger, and its own transfer if the chain has one. */
interface Paid {
  readonly transaction: string
  readonly enteredMillis: number
  /** Recorded with the entry. */
  readonly logIndex?: number
  readonly moved?: Moved
  readonly evidence?: ChainEvidence
  readonly payer?: string
  readonly payTo?: string
  readonly awaitsFinality?: boolean
}

const hexOf = (number: number): string => `0x${number.toString(16).padStart(64, "0")}`

const moved = (transaction: string, atMillis: number, changes: Partial<Moved> = {}): Moved => ({
  transaction,
  logIndex: 0,
  from: payer,
  valueAtomic: "10",
  atMillis,
  ...changes
})

/** A payment as most are: moved, and entered two seconds later. */
const paid = (number: number, atMillis: number, changes: Partial<Paid> = {}): Paid => ({
  transaction: hexOf(number),
  enteredMillis: atMillis + 2_000,
  moved: moved(hexOf(number), atMillis),
  ...changes
})

/** A chain that shows exactly the given transfers, and which nonce made which. */
const chainOf = (
  payments: ReadonlyArray<Paid>,
  foreign: ReadonlyArray<Moved>,
  changes: Partial<Chain["Service"]>
): Chain["Service"] => ({
  canRead: (caip2) => caip2 === baseSepolia.caip2,
  evidence: (_, { nonce }) => {
    const payment = payments[Number(nonce)]!
    if (payment.evidence !== undefined) return Effect.succeed(payment.evidence)
    return Effect.succeed<ChainEvidence>(
      payment.moved === undefined
        ? { _tag: "NotMoved", chainTimeSeconds: Date.now() / 1000 }
        : {
            _tag: "Moved",
            transaction: payment.moved.transaction,
            logIndex: payment.moved.logIndex,
            atSeconds: Math.floor(payment.moved.atMillis / 1000),
            isFinal: true
          }
    )
  },
  usedNonces: () => Effect.succeed(undefined),
  balanceOf: () => Effect.succeed(undefined),
  acceptsSignature: () => Effect.succeed(undefined),
  transfersTo: (_, to, { beforeSeconds, fromSeconds }) =>
    Effect.succeed({
      fromBlock: 0n,
      toBlock: 0n,
      transfers: [...payments.flatMap((payment) => payment.moved ?? []), ...foreign].filter(
        (transfer) =>
          (transfer.to ?? payTo).toLowerCase() === to.toLowerCase() &&
          Math.floor(transfer.atMillis / 1000) >= fromSeconds &&
          Math.floor(transfer.atMillis / 1000) < beforeSeconds
      )
    }),
  ...changes
})

const keyOf = (number: number): string => `eip155:84532:0xusdc:${payer}:${hexOf(number)}`

const enter = Effect.fnUntraced(function* (charges: Charges["Service"], payment: Paid, number: number) {
  const { enteredMillis, logIndex, transaction } = payment
  const key = keyOf(number)
  const charge = sampleCharge({
    key,
    network: baseSepolia.caip2,
    asset: baseSepolia.asset,
    payer: payment.payer ?? payer,
    payTo: payment.payTo ?? payTo,
    amountAtomic: "10",
    validBeforeSeconds: Math.floor(enteredMillis / 1000) + 120,
    createdAtMillis: enteredMillis
  })
  const limits = { maxUnsettled: 1_000, maxExposureAtomic: "1000000" }
  yield* charges.claim(charge, { owner: "me", untilMillis: enteredMillis + hour }, enteredMillis, limits)
  yield* charges.advance(key, "me", { response: sampleResponse(), subject: undefined })
  const completion = yield* charges.complete(
    key,
    {
      receipt: { success: true, transaction, network: baseSepolia.caip2, payer: charge.payer },
      transferLogIndex: logIndex,
      refundDue: false,
      finalAfterMillis: payment.awaitsFinality === true ? enteredMillis + hour : undefined,
      responseOwedUntilMillis: undefined
    },
    enteredMillis
  )
  expect(completion._tag).toBe("Completed")
})

const check = (
  payments: ReadonlyArray<Paid>,
  options: {
    readonly foreign?: ReadonlyArray<Moved>
    readonly chain?: Partial<Chain["Service"]>
    readonly networks?: ReadonlyArray<typeof baseSepolia>
    readonly span?: typeof span
    readonly before?: (charges: Charges["Service"]) => Effect.Effect<unknown, unknown>
  } = {}
): Promise<LedgerAudit> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const charges = yield* Charges
      for (const [number, payment] of payments.entries()) yield* enter(charges, payment, number)
      if (options.before !== undefined) yield* options.before(charges)
      return yield* Effect.provideService(
        auditLedgerWithChain(options.span ?? span, options.networks ?? [baseSepolia]),
        Chain,
        chainOf(payments, options.foreign ?? [], options.chain ?? {})
      )
    }).pipe(Effect.provide(Charges.layerMemory))
  )

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
      foreign: []
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

/** Payments as they are, payments that the ledger has and the chain has not, and transfers of strangers. */
const randomWorld = (world: Dice) => {
  const payments: Array<Paid> = []
  const bogus = new Set<number>()
  const transactions = 1 + world.below(6)
  const logs = new Map<string, number>()
  const nextLog = (transaction: string): number => {
    const logIndex = (logs.get(transaction) ?? world.below(3)) + 1 + world.below(2)
    logs.set(transaction, logIndex)
    return logIndex
  }
  const timeOf = new Map(
    Array.from({ length: transactions }, (_, index) => [hexOf(index), from + world.below(20 * 60) * 60_000])
  )
  for (let count = world.below(12); count > 0; count--) {
    const transaction = hexOf(world.below(transactions))
    const atMillis = timeOf.get(transaction)!
    const enteredMillis = Math.min(
      atMillis + world.pick([1, 2, 60, 7_200, 30_000]) * 1_000,
      span.beforeMillis - 1
    )
    if (world.below(3) === 0) {
      bogus.add(payments.length)
      payments.push({
        transaction,
        enteredMillis,
        evidence: { _tag: "NotPaid", reason: world.pick(["canceled", "used_otherwise"]) }
      })
      continue
    }
    const logIndex = nextLog(transaction)
    payments.push({
      transaction,
      enteredMillis,
      moved: moved(transaction, atMillis, { logIndex }),
      ...(world.below(2) === 0 ? { logIndex } : {})
    })
  }
  const foreign = Array.from({ length: world.below(4) }, () => {
    const transaction = hexOf(world.below(transactions))
    return moved(transaction, timeOf.get(transaction)!, {
      logIndex: nextLog(transaction),
      from: world.pick(["0xbb", "0xcc"])
    })
  })
  return { payments, bogus, foreign }
}

describe("the check of a random ledger", () => {
  property(
    "finds exactly the entries without a transfer, and the transfers without an entry",
    300,
    async (world) => {
      const { bogus, foreign, payments } = randomWorld(world)
      const found = await check(payments, { foreign })
      expect(new Set(found.faults.map(({ chargeKey }) => chargeKey))).toEqual(
        new Set(Array.from(bogus, (number) => keyOf(number)))
      )
      const nameOf = (transfer: { transaction: string; logIndex: number }) =>
        `${transfer.transaction}:${transfer.logIndex}`
      expect(found.chain!.foreign.map(nameOf).toSorted()).toEqual(foreign.map(nameOf).toSorted())
      expect(found.chain).toMatchObject({
        provenEntries: payments.length - bogus.size,
        openEntries: 0,
        transfers: payments.length - bogus.size + foreign.length
      })
    }
  )

  it("is not trivial: worlds have bogus entries that share a transaction with real ones", () => {
    const shared = Array.from({ length: 300 }, (_, index) => randomWorld(dice(402 + index))).filter(
      ({ bogus, payments }) =>
        Array.from(bogus).some((number) =>
          payments.some((other) => other.moved?.transaction === payments[number]!.transaction)
        )
    )
    expect(shared.length).toBeGreaterThan(100)
  })
})
