import { assert, describe, it } from "vitest"
import { RevertBudget, undrained } from "../../src/facilitator/RevertBudget.ts"

const hour = 3_600_000
/** Strangers get half of theirs at once. */
const limits = { perPayer: 500n, ofStrangers: 2_000n }

const failedAt = (recordedAtMillis: number, hash = "0x0") => ({ hash, recordedAtMillis })

const risk = (key: string, payer = key, change = {}) => ({
  key,
  payer,
  cost: 300n,
  byContract: true,
  ...change
})

/** A budget in which these contracts have reverted. */
const afterReverts = (payers: ReadonlyArray<string>) => {
  const budget = new RevertBudget(limits)
  for (const [index, payer] of payers.entries()) {
    budget.begin(risk(`tried-${index}`, payer), 0)
    budget.noteReverted(failedAt(0), { key: `tried-${index}`, payer, cost: 300n })
  }
  return budget
}

describe("RevertBudget", () => {
  it("takes a first transaction of any gas", () => {
    assert.isUndefined(new RevertBudget(limits).refusal(risk("a", "a", { cost: 5_000n }), 0))
  })

  it("refuses a payer whose reverts and next transaction exceed the limit, for an hour", () => {
    const budget = afterReverts(["payer"])
    assert.strictEqual(budget.refusal(risk("next", "payer"), hour - 1), "payer_reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "payer", { cost: 200n }), hour - 1))
    assert.isUndefined(budget.refusal(risk("next", "other"), hour - 1))
    assert.isUndefined(budget.refusal(risk("next", "payer"), hour))
  })

  it("counts a reverted transaction once, however often it is seen", () => {
    const budget = afterReverts(["payer"])
    for (let seen = 0; seen < 5; seen++) {
      budget.noteReverted(failedAt(0), { key: "tried-0", payer: "payer", cost: 300n })
    }
    assert.isUndefined(budget.refusal(risk("next", "payer", { cost: 200n }), 0))
  })

  it("counts a contract's reverted transaction as one, however often it is seen", () => {
    const budget = afterReverts(["a", "b", "c"])
    for (const [index, payer] of ["a", "b", "c"].entries())
      budget.noteReverted(failedAt(0), { key: `tried-${index}`, payer, cost: 300n })
    assert.strictEqual(budget.refusal(risk("next", "d"), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "key", { byContract: false }), 0))
  })

  it("refuses strangers over their limit, and takes payers who have settled", () => {
    const budget = afterReverts(["a", "b", "c"])
    budget.noteSettled({ key: "earlier", payer: "known" }, 0)
    assert.strictEqual(budget.refusal(risk("next", "d"), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "known"), 0))
    // Keys are counted apart: contracts can't keep them out.
    assert.isUndefined(budget.refusal(risk("next", "key", { byContract: false }), 0))
    assert.isUndefined(budget.refusal(risk("next", "d"), hour))
  })

  it("counts what contracts have in flight, and nothing that keys have", () => {
    const budget = new RevertBudget(limits)
    for (const name of ["a", "b", "c"]) {
      assert.isUndefined(budget.refusal(risk(name), 0))
      budget.begin(risk(name), 0)
      budget.begin(risk(`${name}-key`, name, { byContract: false }), 0)
    }
    assert.strictEqual(budget.refusal(risk("d"), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("d", "d", { byContract: false }), 0))
    // Its own entry is not another risk.
    assert.isUndefined(budget.refusal(risk("a"), 0))
    budget.end("b")
    assert.isUndefined(budget.refusal(risk("d"), 0))
    budget.begin(risk("d"), 0)
    budget.noteSettled({ key: "c", payer: "c" }, 0)
    assert.isUndefined(budget.refusal(risk("e"), 0))
  })

  it("counts what keys have reverted, against the payer and against all keys", () => {
    const budget = new RevertBudget(limits)
    const byKey = { byContract: false }
    for (const [index, payer] of ["a", "b", "c"].entries()) {
      budget.begin(risk(payer, payer, byKey), 0)
      budget.noteReverted(failedAt(0, `0x${index}`), { key: payer, payer, cost: 300n })
    }
    // The authorization that reverted may be tried again: its revert counts.
    assert.strictEqual(budget.refusal(risk("a", "a", byKey), 0), "payer_reverts_above_limit")
    assert.strictEqual(budget.refusal(risk("d", "d", byKey), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("d", "d"), 0))
  })

  it("counts a reverted transaction that it doesn't know as one of a key", () => {
    const budget = new RevertBudget(limits)
    for (const payer of ["a", "b", "c"]) budget.noteReverted(failedAt(0), { key: payer, payer, cost: 300n })
    assert.strictEqual(budget.refusal(risk("d", "d", { byContract: false }), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("d", "d"), 0))
  })

  it("counts a reverted transaction for an hour from its record, whenever it is looked at again", () => {
    const budget = afterReverts(["payer"])
    budget.noteReverted(failedAt(0), { key: "tried-0", payer: "payer", cost: 300n })
    assert.isUndefined(budget.refusal(risk("next", "payer"), hour))
    budget.noteReverted(failedAt(0), { key: "tried-0", payer: "payer", cost: 300n })
    assert.isUndefined(budget.refusal(risk("next", "payer"), hour))
    // Not in the order of their records.
    budget.noteReverted(failedAt(hour, "0x1"), { key: "later", payer: "payer", cost: 300n })
    budget.noteReverted(failedAt(1, "0x2"), { key: "earlier", payer: "payer", cost: 300n })
    assert.isUndefined(budget.refusal(risk("next", "payer", { cost: 200n }), hour + 1))
    assert.strictEqual(budget.refusal(risk("next", "payer"), hour + 1), "payer_reverts_above_limit")
  })

  describe("against strangers whose payments keep failing, each from a new wallet", () => {
    const fee = 20_000n
    const ofStrangers = 1_000_000n
    const minute = 60_000
    const stranger = (name: string) => risk(name, name, { cost: fee, byContract: false })

    /** Presents a payment each second, and returns when each of those that were admitted failed. */
    const attackFor = (budget: RevertBudget, hours: number): ReadonlyArray<number> => {
      const failures: Array<number> = []
      for (let now = 0; now < hours * hour; now += 1_000) {
        const wanted = stranger(`attacker-${now}`)
        if (budget.refusal(wanted, now) !== undefined) continue
        budget.begin(wanted, now)
        budget.noteReverted(failedAt(now, `0x${now}`), wanted)
        failures.push(now)
      }
      return failures
    }
    /** When a new payer is admitted. */
    const admittedAfter = (isRefused: (nowMillis: number) => boolean, sinceMillis: number): number => {
      let now = sinceMillis
      while (isRefused(now)) now += 1_000
      return now - sinceMillis
    }

    it("a window of an hour keeps new payers out for the hour", () => {
      const failures = Array.from({ length: 50 }, (_, index) => index * 1_000)
      const isRefused = (now: number) =>
        fee * BigInt(failures.filter((at) => now - at < hour).length) + fee > ofStrangers
      assert.isAbove(admittedAfter(isRefused, 60_000), 58 * minute)
    })

    it("takes a new payer within three minutes, and costs no more than the limit in any hour", () => {
      const budget = new RevertBudget({ perPayer: 100_000n, ofStrangers })
      const failures = attackFor(budget, 3)
      const mostInAnHour = Math.max(
        ...failures.map((from) => failures.filter((at) => at >= from && at < from + hour).length)
      )
      assert.isAtMost(Number(fee) * mostInAnHour, Number(ofStrangers))
      const now = 3 * hour
      const isRefused = (at: number) => budget.refusal(stranger("honest"), at) !== undefined
      assert.isAtMost(admittedAfter(isRefused, now), 3 * minute)
    })

    it("keeps a half for payers without a failure", () => {
      const budget = new RevertBudget({ perPayer: 100_000n, ofStrangers })
      const attackers = Array.from({ length: 10 }, (_, index) => `attacker-${index}`)
      for (const attacker of attackers)
        for (let count = 0; count < 5; count++) {
          const wanted = stranger(attacker)
          if (budget.refusal(wanted, 0) === undefined)
            budget.noteReverted(failedAt(0, `0x${attacker}${count}`), wanted)
        }
      for (const attacker of attackers) assert.isDefined(budget.refusal(stranger(attacker), 0))
      assert.isUndefined(budget.refusal(stranger("honest"), 0))
    })

    it("costs drain evenly, in the order of their times, and never below nothing", () => {
      const costs = [
        { cost: 100n, atMillis: hour },
        { cost: 300n, atMillis: 0 }
      ]
      assert.strictEqual(undrained(costs, 200n, hour), 200n)
      assert.strictEqual(undrained(costs, 200n, 1.5 * hour), 100n)
      assert.strictEqual(undrained(costs, 200n, 3 * hour), 0n)
      assert.strictEqual(undrained(costs, 400n, hour), 100n)
      assert.strictEqual(undrained([], 200n, hour), 0n)
    })
  })

  it("forgets what is in flight after ten minutes, counted from its last attempt", () => {
    const budget = new RevertBudget(limits)
    const minutes = 60_000
    budget.begin(risk("a", "payer"), 0)
    budget.begin(risk("b", "other"), 1)
    budget.begin(risk("a", "payer"), 5 * minutes)
    assert.strictEqual(budget.refusal(risk("next", "other"), 10 * minutes), "payer_reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "other"), 10 * minutes + 1))
    assert.strictEqual(budget.refusal(risk("next", "payer"), 15 * minutes - 1), "payer_reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "payer"), 15 * minutes))
  })

  /** Whether a payer has settled lately, where strangers are refused. */
  const isKnown = (budget: RevertBudget, payer: string, nowMillis: number): boolean => {
    for (const name of ["x", "y", "z"]) budget.begin(risk(name, name), nowMillis)
    return budget.refusal(risk("next", payer), nowMillis) === undefined
  }

  it("knows a payer for a day after the last settlement", () => {
    const budget = new RevertBudget(limits)
    const day = 24 * hour
    budget.noteSettled({ key: "1", payer: "a" }, 0)
    budget.noteSettled({ key: "2", payer: "b" }, 1)
    budget.noteSettled({ key: "3", payer: "a" }, hour)
    assert.isTrue(isKnown(budget, "b", day))
    assert.isFalse(isKnown(budget, "b", day + 1))
    assert.isTrue(isKnown(budget, "a", day + 1))
    assert.isFalse(isKnown(budget, "a", day + hour))
  })

  it("knows the last 10,000 payers who settled", () => {
    const budget = new RevertBudget(limits)
    for (let payer = 0; payer < 10_000; payer++)
      budget.noteSettled({ key: String(payer), payer: String(payer) }, 0)
    assert.isTrue(isKnown(budget, "0", 0))
    budget.noteSettled({ key: "another", payer: "another" }, 0)
    assert.deepStrictEqual(
      ["0", "1", "another"].map((payer) => isKnown(budget, payer, 0)),
      [false, true, true]
    )
  })
})
