import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { describe, expect, it } from "vitest"
import { LedgerOperator, lineOf } from "../../src/operators/LedgerOperator.ts"
import { Charges, type LedgerEntry } from "../../src/ports/Charges.ts"
import { Chain } from "../../src/toll/evidence/Chain.ts"

const day = 86_400_000
const nowMillis = 30 * day
const payer = "0x857b06519E91e3A54538791bDbb0E22373e36b66"
const entry: LedgerEntry = {
  kind: "settled",
  chargeKey: "eip155:84532:0x036c:0xpayer:0x01",
  operation: "search",
  network: "eip155:84532",
  asset: "0x036c",
  payer: payer.toLowerCase(),
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amountAtomic: "10000",
  transaction: "0x01",
  transferLogIndex: undefined,
  round: 0,
  atMillis: 7
}

const noChain: Chain["Service"] = {
  canRead: () => false,
  evidence: () => Effect.die("the chain must not be read"),
  usedNonces: () => Effect.die("the chain must not be read"),
  balanceOf: () => Effect.die("the chain must not be read"),
  acceptsSignature: () => Effect.die("the chain must not be read"),
  transfersTo: () => Effect.die("the chain must not be read")
}

/** An operator over a store that records its calls. */
const operating = <A>(use: (operator: LedgerOperator["Service"]) => Effect.Effect<A, unknown>) => {
  const calls: Array<ReadonlyArray<unknown>> = []
  return Effect.runPromise(
    Effect.gen(function* () {
      const charges = yield* Charges
      yield* TestClock.setTime(nowMillis)
      const operator = yield* Effect.provide(LedgerOperator, LedgerOperator.layer([])).pipe(
        Effect.provideService(Chain, noChain),
        Effect.provideService(Charges, {
          ...charges,
          entries: (query) =>
            Effect.sync(() => {
              calls.push(["entries", query])
              return query.chargeKeys === undefined && query.limit < 500 ? [entry] : []
            }),
          totals: (fromMillis, beforeMillis) =>
            Effect.sync(() => {
              calls.push(["totals", fromMillis, beforeMillis])
              return [{ ...entry, day: "1970-01-01", count: 2, amountAtomic: "20000" }]
            }),
          listSettled: (query) =>
            Effect.sync(() => {
              calls.push(["listSettled", query])
              return []
            })
        })
      )
      return { calls, result: yield* use(operator) }
    }).pipe(Effect.provide([Charges.layerMemory, TestClock.layer()]))
  )
}

describe("an entry as a host sees it", () => {
  it("has a checksummed address, a bigint and a date", () => {
    const { amountAtomic: _, atMillis: __, ...rest } = entry
    expect(lineOf(entry)).toEqual({ ...rest, payer, amountAtomic: 10_000n, at: new Date(7) })
  })
})

describe("an operator of the ledger", () => {
  it("lists 50 entries, or the requested page", async () => {
    const { calls, result } = await operating((operator) => operator.list())
    expect(calls).toStrictEqual([["entries", { limit: 50 }]])
    expect(result).toEqual([lineOf(entry)])
    const page = await operating((operator) =>
      operator.list({ limit: 3, from: new Date(1), to: new Date(9), before: lineOf(entry) })
    )
    expect(page.calls).toMatchObject([
      [
        "entries",
        { limit: 3, fromMillis: 1, beforeMillis: 9, before: { atMillis: 7, chargeKey: entry.chargeKey } }
      ]
    ])
  })

  it("sums in bigint", async () => {
    const span = { from: new Date(0), to: new Date(day) }
    const { calls, result } = await operating((operator) => operator.totals(span))
    expect(calls).toEqual([["totals", 0, day]])
    expect(result).toMatchObject([{ day: "1970-01-01", count: 2, amountAtomic: 20_000n }])
  })

  it.each([
    ["the last seven days, this very millisecond included", {}, nowMillis - 7 * day, nowMillis + 1],
    ["the requested span", { from: new Date(3), to: new Date(5) }, 3, 5]
  ])("checks %s", async (_, query, fromMillis, beforeMillis) => {
    const { calls, result } = await operating((operator) => operator.check(query))
    expect(result.isBalanced).toBe(true)
    const span = expect.objectContaining({ fromMillis, beforeMillis })
    expect(calls).toContainEqual(["listSettled", span])
    expect(calls).toContainEqual(["entries", span])
  })
})
