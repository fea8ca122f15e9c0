import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { Charges } from "../../../src/ports/Charges.ts"
import { chargesWithOne } from "../../../../testing/src/stores/chargeRecords.ts"
import { sampleResponse, sampleCharge, sampleReceipt } from "../../../../testing/src/stores/records.ts"
import { auditLedger } from "../../../src/toll/audit/LedgerAudit.ts"
import { buy, openTill, receiptOf, search, track } from "../openTill.ts"

const day = 86_400_000
const spanAround = () => ({ from: new Date(Date.now() - day), to: new Date(Date.now() + day) })

describe("the ledger of a till", () => {
  it("has one entry for each settled charge, and none for voided ones", async () => {
    const shop = await openTill({ limits: { failedPayerMillis: 0 } })
    const paid = await shop.present(search, await shop.payFor(search))
    await shop.present(track, await shop.payFor(track))
    shop.facilitator.rejectsSettlement("insufficient_funds")
    await shop.present(search, await shop.payFor(search))
    const entries = await shop.till.ledger.list()
    expect(entries.map(({ amountAtomic, kind, operation }) => [operation, kind, amountAtomic])).toEqual(
      expect.arrayContaining([
        ["search", "settled", 10_000n],
        ["track", "settled", 520_000n]
      ])
    )
    expect(entries).toHaveLength(2)
    expect(entries.find(({ operation }) => operation === "search")!.transaction).toBe(
      receiptOf(paid).transaction
    )
    expect(await shop.till.charges.list({ state: "voided" })).toHaveLength(1)
  })

  it("sums by day, operation and network, and agrees with what the facilitator moved", async () => {
    const shop = await openTill()
    for (let time = 0; time < 3; time++) await shop.present(search, await shop.payFor(search))
    await shop.present(buy, await shop.payFor(buy))
    const totals = await shop.till.ledger.totals(spanAround())
    expect(totals.map(({ count, kind, operation }) => [operation, kind, count])).toEqual([
      ["buy", "settled", 1],
      ["search", "settled", 3]
    ])
    const moved = shop.facilitator.settled.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic), 0n)
    expect(totals.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n)).toBe(moved)
    expect(await shop.till.ledger.check()).toEqual({
      isBalanced: true,
      settledCharges: 4,
      recordedReceipts: 4,
      recordedResponses: 4,
      refunds: 0,
      settledEntries: 4,
      faults: [],
      chain: undefined
    })
  })

  it("is read page by page, nothing twice and nothing left out", async () => {
    const shop = await openTill()
    for (let time = 0; time < 5; time++) await shop.present(search, await shop.payFor(search))
    const seen: Array<string> = []
    for (let page = await shop.till.ledger.list({ limit: 2 }); page.length > 0;) {
      seen.push(...page.map(({ chargeKey }) => chargeKey))
      page = await shop.till.ledger.list({ limit: 2, before: page.at(-1)! })
    }
    expect([seen.length, new Set(seen).size]).toEqual([5, 5])
    const charges: Array<string> = []
    for (let page = await shop.till.charges.list({ limit: 2 }); page.length > 0;) {
      charges.push(...page.map(({ key }) => key))
      page = await shop.till.charges.list({ limit: 2, before: page.at(-1)! })
    }
    expect(charges.toSorted()).toEqual(seen.toSorted())
  })

  it("takes a refund only where one is due", async () => {
    const shop = await openTill()
    await shop.present(search, await shop.payFor(search))
    const [charge] = await shop.till.charges.list()
    expect(await shop.till.charges.recordRefund(charge!.key, "0x1")).toBe(false)
    expect(await shop.till.ledger.list()).toHaveLength(1)
  })
})

const completed = {
  receipt: sampleReceipt(),
  transferLogIndex: undefined,
  refundDue: false,
  finalAfterMillis: undefined,
  responseOwedUntilMillis: undefined
}

/** Settles charges `key-0`, `key-1`, …, one payment of one unit each. */
const settleMany = Effect.fnUntraced(function* (charges: Charges["Service"], count: number) {
  const lease = { owner: "me", untilMillis: 10_000 }
  const limits = { maxUnsettled: 5, maxExposureAtomic: "1000000" }
  for (let number = 0; number < count; number++) {
    const charge = sampleCharge({ key: `key-${number}`, createdAtMillis: number })
    yield* charges.claim(charge, lease, 1_000, limits)
    yield* charges.advance(charge.key, "me", { response: sampleResponse(), subject: undefined })
    yield* charges.complete(charge.key, completed, 5_000)
  }
})

/** Checks 1,100 settled charges of a store that returns them with these changes. */
const checkWith = (changes: (honest: Charges["Service"]) => Partial<Charges["Service"]>) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const honest = yield* Charges
      yield* settleMany(honest, 1_100)
      const charges = Charges.of({ ...honest, ...changes(honest) })
      return yield* Effect.provideService(
        auditLedger({ fromMillis: 0, beforeMillis: 10_000 }),
        Charges,
        charges
      )
    }).pipe(Effect.provide(Charges.layerMemory))
  )

describe("the check", () => {
  it("reads the whole span, page by page", async () => {
    const check = await checkWith(() => ({}))
    expect(check).toMatchObject({ isBalanced: true, settledCharges: 1_100, settledEntries: 1_100 })
  })

  it("reads each page once and no response, and lets other work go on between two pages", async () => {
    let turn = 0
    const turns: Array<number> = []
    const count = () => {
      turn++
      timer = setImmediate(count)
    }
    let timer = setImmediate(count)
    const check = await checkWith((honest) => ({
      list: () => Effect.die("the check must not list whole charges"),
      find: () => Effect.die("the check must not read whole charges"),
      listSettled: (query) =>
        Effect.suspend(() => {
          turns.push(turn)
          return honest.listSettled(query)
        })
    }))
    clearImmediate(timer)
    expect(check).toMatchObject({ isBalanced: true, settledCharges: 1_100 })
    expect(turns).toHaveLength(6)
    expect(new Set(turns).size).toBe(6)
  })

  it("finds an entry that has no charge", async () => {
    const check = await checkWith((honest) => ({
      listSettled: (query) =>
        Effect.map(honest.listSettled(query), (page) => page.filter(({ key }) => key !== "key-7")),
      find: (key) => (key === "key-7" ? Effect.succeed(undefined) : honest.find(key))
    }))
    expect(check.faults).toEqual([{ chargeKey: "key-7", fault: "entered as settled, but its charge is not" }])
  })

  it("finds charges without entries, and names a hundred at most", async () => {
    const check = await checkWith(() => ({ entries: () => Effect.succeed([]) }))
    expect([check.isBalanced, check.faults.length]).toEqual([false, 100])
    expect(check.faults[0]!.fault).toBe("settled without a ledger entry")
  })

  it("finds a refund of what was not received", async () => {
    const check = await checkWith((honest) => ({
      entries: (query) =>
        Effect.map(honest.entries(query), (page) =>
          page.map((entry) => (entry.chargeKey === "key-7" ? { ...entry, kind: "refunded" as const } : entry))
        )
    }))
    expect(check.faults).toContainEqual({ chargeKey: "key-7", fault: "refunded more than it received" })
  })

  it.each([true, false])(
    "balances while a refunded charge waits for its other transfer: %s",
    async (waits) => {
      const key = sampleCharge().key
      const check = await Effect.runPromise(
        Effect.gen(function* () {
          const provisional = { ...completed, transferLogIndex: 1, finalAfterMillis: 6_000 }
          const charges = yield* chargesWithOne("settled", {}, { settlement: provisional })
          yield* charges.markRefundDue(key, 2_000, undefined)
          yield* charges.recordRefund(key, "0xback", 3_000)
          yield* charges.reopen(key, "me", 4_000)
          const other = { ...provisional, receipt: sampleReceipt(8), refundDue: true }
          if (!waits) yield* charges.complete(key, other, 5_000)
          return yield* auditLedger({ fromMillis: 0, beforeMillis: 10_000 })
        }).pipe(Effect.provide(Charges.layerMemory))
      )
      expect(check).toMatchObject({ faults: [], settledEntries: waits ? 0 : 1, refunds: waits ? 0 : 1 })
    }
  )

  it("does not take changes between two reads for a fault", async () => {
    const check = await checkWith((honest) => {
      let changes = 0
      return {
        listSettled: (query) =>
          Effect.tap(honest.listSettled(query), () =>
            changes++ === 0 ? honest.markRefundDue("key-1099", 6_000, undefined) : Effect.void
          ),
        find: (key) =>
          Effect.tap(honest.find(key), () =>
            changes++ === 1 ? honest.recordRefund(key, "0xback", 7_000) : Effect.void
          )
      }
    })
    expect(check).toMatchObject({ isBalanced: true, settledCharges: 1_100 })
  })
})
