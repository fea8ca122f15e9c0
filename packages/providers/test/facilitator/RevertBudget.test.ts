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
})
