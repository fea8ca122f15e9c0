import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { TillOptions } from "@till402/core"
import { describe, expect, it } from "vitest"
import { openAttacker } from "../src/Attacker.ts"
import { calls } from "../src/Calls.ts"
import { dodgeFor, lossOf, openDodgers, trackPrice, upstreamCost } from "../src/Dodgers.ts"
import { dollars } from "../src/Ledger.ts"
import { localChainOfFile } from "../src/LocalChain.ts"
import { tillTarget } from "../src/LossTargets.ts"
import { visit } from "../src/Visitor.ts"

/*
 * The loss table of docs/threats/capacity.md: measures the upstream work that an attacker can cause without paying.
 */

const local = localChainOfFile()
const keys = 2
const owned = BigInt(keys) * trackPrice

/** A row of the table: dollars with two decimals, in atomic units. */
interface Row {
  readonly owned: bigint
  readonly perMinute: bigint
  readonly perDollar: bigint
  readonly perHour: bigint
}

const atomicOf = (cell: string): bigint => {
  const [, whole, cents] = /^(\d+)\.(\d\d)$/.exec(cell) ?? []
  if (whole === undefined)
    throw new Error(`the loss table has a cell that isn't an amount of two decimals: ${cell}`)
  return BigInt(whole) * 1_000_000n + BigInt(cents!) * 10_000n
}

const map = readFileSync(join(import.meta.dirname, "../../../docs/threats/capacity.md"), "utf8")

/** The rows that follow the table's mark, by their first cell. */
const stated: ReadonlyMap<string, Row> = new Map(
  (/\x3c!-- loss table -->\n\|.*\|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(map)?.[1] ?? "")
    .trimEnd()
    .split("\n")
    .map((line) => {
      const [name = "", ...amounts] = line
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
      const [has, perMinute, perDollar, perHour] = amounts.map(atomicOf)
      return [name, { owned: has!, perMinute: perMinute!, perDollar: perDollar!, perHour: perHour! }]
    })
)

/**
 * Runs the attack until a round gains nothing more, with one call per fresh key, which is all that a new payer is
 * allowed. No more is lost in that minute. In an hour, the budget refills once.
 */
const measure = async (options: Partial<TillOptions>): Promise<Row> => {
  const dodgers = openDodgers(local())
  const { payTo, server } = await tillTarget(local(), options)(dodgers.facilitator)
  let known = -1n
  const isEnough = (): boolean => {
    const cost = upstreamCost(server.goods)
    const isIdle = cost === known
    known = cost
    return isIdle
  }
  const { unpaid } = await lossOf(local(), server, payTo, () =>
    dodgeFor(dodgers, server, { keys, rounds: 500, callsAtOnce: 1, isEnough })
  )
  expect(isEnough()).toBe(true)
  return { owned, perMinute: unpaid, perDollar: (unpaid * 1_000_000n) / owned, perHour: 2n * unpaid }
}

/** Pays before the work, which fails, and presents each payment ten times; all of it is refunded. */
const measureFailures = async (): Promise<Row> => {
  const { server } = await tillTarget(local(), cases["before the work"])(local().facilitator.client)
  const attacker = openAttacker(local())
  const visitor = visit(server)
  server.goods.tracker.track.failsWith(new Error("no such shipment"))
  for (let key = 0; key < keys; key++) {
    const payment = await visitor.payFor(calls.track, { account: await attacker.fund(trackPrice) })
    for (let time = 0; time < 10; time++) await visitor.present(calls.track, payment)
  }
  const perMinute = upstreamCost(server.goods)
  // The money comes back after `owedResponseMillis`, an hour by default.
  return { owned, perMinute, perDollar: (perMinute * 1_000_000n) / owned, perHour: perMinute }
}

const line = (name: string, { owned: has, perDollar, perHour, perMinute }: Row): string =>
  `| ${name} | ${[has, perMinute, perDollar, perHour].map(dollars).join(" | ")} |`

const cases: Readonly<Record<string, Partial<TillOptions>>> = {
  "after the work (default)": {},
  "before the work": { settlement: { track: "before-work" } }
}

describe("the loss table of docs/threats/capacity.md", () => {
  it("has a row for each way to settle", () => {
    expect([...stated.keys()]).toEqual([...Object.keys(cases), "before the work, which fails"])
  })

  const measures: ReadonlyArray<readonly [string, () => Promise<Row>]> = [
    ...Object.entries(cases).map(([name, options]) => [name, () => measure(options)] as const),
    ["before the work, which fails", measureFailures]
  ]
  for (const [name, measureRow] of measures)
    it(`states no less than is measured: ${name}`, async () => {
      const measured = await measureRow()
      console.info(line(name, measured))
      const row = stated.get(name)!
      expect(row.owned).toBe(measured.owned)
      for (const column of ["perMinute", "perDollar", "perHour"] as const)
        expect(row[column], column).toBeGreaterThanOrEqual(measured[column])
    })

  it("reports that nothing is lost if settlement comes first and the work succeeds", () => {
    expect(stated.get("before the work")).toEqual({ owned, perMinute: 0n, perDollar: 0n, perHour: 0n })
  })
})
