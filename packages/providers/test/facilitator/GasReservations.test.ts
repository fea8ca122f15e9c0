import { assert, describe, it } from "vitest"
import { GasReservations } from "../../src/facilitator/GasReservations.ts"

const lifetime = 30_000

/** A payment of 10 by an account of its own, which costs the relayer 100. */
const payment = (key: string, account = key, change = {}) => ({
  key,
  account,
  amountAtomic: 10n,
  costWei: 100n,
  isKnown: true,
  ...change
})

const rich = { relayerWei: 10_000n, payerAtomic: 1_000n }

describe("GasReservations", () => {
  it("counts what others have reserved, until it has expired or is released", () => {
    const reserved = new GasReservations(lifetime)
    assert.isTrue(reserved.reserve(payment("a"), rich, 0))
    assert.isTrue(reserved.reserve(payment("b", "b", { costWei: 7n }), rich, 1))
    assert.strictEqual(reserved.othersWei([], 1), 107n)
    assert.strictEqual(reserved.othersWei(["a"], 1), 7n)
    assert.strictEqual(reserved.othersWei(["a", "b", "c"], 1), 0n)
    assert.strictEqual(reserved.othersWei([], lifetime - 1), 107n)
    assert.strictEqual(reserved.othersWei([], lifetime), 7n)
    reserved.release("b")
    reserved.release("b")
    assert.strictEqual(reserved.othersWei([], lifetime), 0n)
  })

  it("replaces what an authorization had reserved, and prolongs it", () => {
    const reserved = new GasReservations(lifetime)
    reserved.reserve(payment("a"), rich, 0)
    assert.isTrue(reserved.reserve(payment("a", "a", { costWei: 60n }), rich, 5))
    assert.strictEqual(reserved.othersWei([], lifetime + 4), 60n)
    assert.strictEqual(reserved.othersWei([], lifetime + 5), 0n)
  })

  it("refuses what the relayer can't pay beside the others, and nothing less", () => {
    const reserved = new GasReservations(lifetime)
    const poor = { ...rich, relayerWei: 200n }
    for (const name of ["a", "b"]) assert.isTrue(reserved.reserve(payment(name), poor, 0))
    assert.isFalse(reserved.reserve(payment("c", "c", { costWei: 1n }), poor, 0))
    assert.strictEqual(reserved.othersWei([], 0), 200n)
    // Its own reservation is not missing for it.
    assert.isTrue(reserved.reserve(payment("a"), poor, 0))
    assert.isTrue(reserved.reserve(payment("c"), poor, lifetime))
  })

  it("lets an account reserve what its balance can pay for: the newest payments", () => {
    const reserved = new GasReservations(lifetime)
    for (const key of ["a", "b", "c", "d"])
      assert.isTrue(reserved.reserve(payment(key, "payer"), { ...rich, payerAtomic: 29n }, 0))
    assert.strictEqual(reserved.othersWei([], 0), 200n)
    assert.strictEqual(reserved.othersWei(["c", "d"], 0), 0n)
    assert.isTrue(reserved.reserve(payment("e", "payer"), { ...rich, payerAtomic: 30n }, 0))
    assert.strictEqual(reserved.othersWei(["c", "d", "e"], 0), 0n)
    assert.strictEqual(reserved.othersWei([], 0), 300n)
    // Others keep theirs.
    assert.isTrue(reserved.reserve(payment("other"), { ...rich, payerAtomic: 10n }, 0))
    assert.isTrue(reserved.reserve(payment("f", "payer"), { ...rich, payerAtomic: 10n }, 0))
    assert.strictEqual(reserved.othersWei(["other", "f"], 0), 0n)
    assert.strictEqual(reserved.othersWei([], 0), 200n)
  })

  it("lets an account reserve a quarter of the relayer's money: the newest payments, and always one", () => {
    const reserved = new GasReservations(lifetime)
    const unreserved = { ...rich, relayerWei: 1_200n }
    for (const key of ["a", "b", "c", "d"])
      assert.isTrue(reserved.reserve(payment(key, "payer"), unreserved, 0))
    assert.strictEqual(reserved.othersWei(["b", "c", "d"], 0), 0n)
    assert.strictEqual(reserved.othersWei([], 0), 300n)
    assert.isTrue(reserved.reserve(payment("large", "payer", { costWei: 1_200n }), unreserved, 0))
    assert.strictEqual(reserved.othersWei(["large"], 0), 0n)
  })

  it("leaves the last quarter to accounts that have reserved nothing else", () => {
    const reserved = new GasReservations(lifetime)
    for (const account of ["a", "b", "c", "d"])
      for (let number = 0; number < 25; number++)
        assert.isTrue(reserved.reserve(payment(`${account} ${number}`, account), rich, 0))
    // Three quarters, and one payment of the fourth account.
    assert.strictEqual(reserved.othersWei([], 0), 7_600n)
    for (let number = 0; number < 24; number++)
      assert.isTrue(reserved.reserve(payment(`honest ${number}`), rich, 0))
    assert.isFalse(reserved.reserve(payment("one more"), rich, 0))
  })

  it("leaves half of the money to payers who have paid lately, and strangers always one payment", () => {
    const reserved = new GasReservations(lifetime)
    const unreserved = { ...rich, relayerWei: 400n }
    const stranger = (key: string, costWei = 100n) => payment(key, key, { isKnown: false, costWei })
    assert.isTrue(reserved.reserve(stranger("a"), unreserved, 0))
    assert.isTrue(reserved.reserve(stranger("b"), unreserved, 0))
    assert.isFalse(reserved.reserve(stranger("c", 1n), unreserved, 0))
    assert.isTrue(reserved.reserve(stranger("b"), unreserved, 0))
    for (const name of ["known", "regular"]) assert.isTrue(reserved.reserve(payment(name), unreserved, 0))
    assert.isFalse(reserved.reserve(payment("late"), unreserved, 0))
    const fresh = new GasReservations(lifetime)
    fresh.reserve(payment("known"), unreserved, 0)
    assert.isTrue(fresh.reserve(stranger("large", 300n), unreserved, 0))
  })

  it("gives strangers back what is released, and nothing of what payers who have paid lately release", () => {
    const reserved = new GasReservations(lifetime)
    const unreserved = { ...rich, relayerWei: 400n }
    const stranger = (key: string, costWei = 100n) => payment(key, key, { isKnown: false, costWei })
    assert.isTrue(reserved.reserve(stranger("a"), unreserved, 0))
    reserved.release("a")
    assert.isTrue(reserved.reserve(stranger("large", 300n), unreserved, 0))
    reserved.release("large")
    assert.isTrue(reserved.reserve(payment("known"), unreserved, 0))
    reserved.release("known")
    for (const key of ["b", "c"]) assert.isTrue(reserved.reserve(stranger(key), unreserved, 0))
    assert.isFalse(reserved.reserve(stranger("d", 1n), unreserved, 0))
  })

  it("counts a stranger's payment instead of the one that it replaces", () => {
    const poor = { relayerWei: 400n, payerAtomic: 10n }
    const strange = { isKnown: false }
    const reserved = new GasReservations(lifetime)
    assert.isTrue(reserved.reserve(payment("first", "payer", strange), poor, 0))
    assert.isTrue(reserved.reserve(payment("other", "other", strange), poor, 0))
    assert.isTrue(reserved.reserve(payment("second", "payer", strange), poor, 0))
    assert.strictEqual(reserved.othersWei(["other", "second"], 0), 0n)
    // One that a payer who had paid lately reserved was not of the strangers' half.
    const mixed = new GasReservations(lifetime)
    for (const key of ["a", "b"]) assert.isTrue(mixed.reserve(payment(key, key, strange), poor, 0))
    assert.isTrue(mixed.reserve(payment("first", "payer"), poor, 0))
    assert.isFalse(mixed.reserve(payment("second", "payer", strange), poor, 0))
  })

  it("releases nothing for a payment that it refuses", () => {
    const poor = { relayerWei: 400n, payerAtomic: 10n }
    for (const isKnown of [true, false]) {
      const reserved = new GasReservations(lifetime)
      assert.isTrue(reserved.reserve(payment("first", "payer", { isKnown }), poor, 0))
      assert.isTrue(reserved.reserve(payment("other", "other", { isKnown }), poor, 0))
      // Too much for the relayer; for strangers, already too much for their half.
      const costWei = isKnown ? 301n : 101n
      assert.isFalse(reserved.reserve(payment("second", "payer", { isKnown, costWei }), poor, 0))
      assert.isFalse(reserved.reserve(payment("first", "payer", { isKnown, costWei }), poor, 0))
      assert.strictEqual(reserved.othersWei([], 0), 200n)
      assert.strictEqual(reserved.othersWei(["first"], 0), 100n)
    }
  })
})
