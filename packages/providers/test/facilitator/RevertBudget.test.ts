import { assert, describe, it } from "vitest"
import { RevertBudget } from "../../src/facilitator/RevertBudget.ts"

const hour = 3_600_000
const limits = { perPayer: 500n, ofStrangers: 1_000n }

const risk = (key: string, payer = key, change = {}) => ({
  key,
  payer,
  gas: 300n,
  byContract: true,
  ...change
})

/** A budget in which these contracts have reverted. */
const afterReverts = (payers: ReadonlyArray<string>) => {
  const budget = new RevertBudget(limits)
  for (const [index, payer] of payers.entries()) {
    budget.begin(risk(`tried-${index}`, payer), 0)
    budget.noteReverted(`0x${index}`, { key: `tried-${index}`, payer, gas: 300n }, 0)
  }
  return budget
}

describe("RevertBudget", () => {
  it("takes a first transaction of any gas", () => {
    assert.isUndefined(new RevertBudget(limits).refusal(risk("a", "a", { gas: 5_000n }), 0))
  })

  it("refuses a payer whose reverts and next transaction exceed the limit, for an hour", () => {
    const budget = afterReverts(["payer"])
    assert.strictEqual(budget.refusal(risk("next", "payer"), hour - 1), "payer_reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("next", "payer", { gas: 200n }), hour - 1))
    assert.isUndefined(budget.refusal(risk("next", "other"), hour - 1))
    assert.isUndefined(budget.refusal(risk("next", "payer"), hour))
  })

  it("counts a reverted transaction once, however often it is seen", () => {
    const budget = afterReverts(["payer"])
    for (let seen = 0; seen < 5; seen++) {
      budget.noteReverted("0x0", { key: "tried-0", payer: "payer", gas: 300n }, 0)
    }
    assert.isUndefined(budget.refusal(risk("next", "payer", { gas: 200n }), 0))
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
      budget.noteReverted(`0x${index}`, { key: payer, payer, gas: 300n }, 0)
    }
    // The authorization that reverted may be tried again: its revert counts.
    assert.strictEqual(budget.refusal(risk("a", "a", byKey), 0), "payer_reverts_above_limit")
    assert.strictEqual(budget.refusal(risk("d", "d", byKey), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("d", "d"), 0))
  })

  it("counts a reverted transaction that it doesn't know as one of a key", () => {
    const budget = new RevertBudget(limits)
    for (const payer of ["a", "b", "c"])
      budget.noteReverted(`0x${payer}`, { key: payer, payer, gas: 300n }, 0)
    assert.strictEqual(budget.refusal(risk("d", "d", { byContract: false }), 0), "reverts_above_limit")
    assert.isUndefined(budget.refusal(risk("d", "d"), 0))
  })

  it("counts a reverted transaction from when it was seen first, for an hour", () => {
    const budget = afterReverts(["payer"])
    budget.noteReverted("0x0", { key: "tried-0", payer: "payer", gas: 300n }, hour - 1)
    assert.isUndefined(budget.refusal(risk("next", "payer"), hour))
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
