import { describe, expect, it } from "vitest"
import { PayerAccounts, recentMillis } from "../../../src/toll/limits/PayerAccounts.ts"

const cent = 10_000n

const open = (config: Partial<ConstructorParameters<typeof PayerAccounts>[0]> = {}) =>
  new PayerAccounts({
    exposurePerPayer: 10n * cent,
    maxExposurePerPayer: 50n * cent,
    ...config
  })

describe("the bound on concurrent work", () => {
  it("starts low, grows by each settlement, and stops growing", () => {
    const accounts = open()
    expect(accounts.maxExposure("0xa", 0)).toBe(10n * cent)
    accounts.earn("0xa", 7n * cent, 0)
    expect(accounts.maxExposure("0xa", 0)).toBe(17n * cent)
    accounts.earn("0xa", 90n * cent, 0)
    expect(accounts.maxExposure("0xa", 0)).toBe(50n * cent)
    expect(accounts.maxExposure("0xa", recentMillis)).toBe(10n * cent)
  })

  it("grows by settlements that other processes have seen", () => {
    const accounts = open()
    accounts.learnRecent("0xa", 20n * cent, 0)
    expect(accounts.maxExposure("0xa", 0)).toBe(30n * cent)
    accounts.forgetRecent("0xa")
    expect(accounts.maxExposure("0xa", 0)).toBe(10n * cent)
  })

  it("counts what is seen here or elsewhere, whichever is more, for as long as either is recent", () => {
    const accounts = open()
    accounts.learnRecent("0xa", 20n * cent, 0)
    accounts.earn("0xa", cent, 500)
    expect(accounts.maxExposure("0xa", 500)).toBe(30n * cent)
    accounts.earn("0xa", cent, 2 * recentMillis)
    expect(accounts.maxExposure("0xa", 2 * recentMillis)).toBe(11n * cent)
  })

  it("is never below its start, even where the ceiling is", () => {
    const accounts = open({ maxExposurePerPayer: cent })
    accounts.earn("0xa", 7n * cent, 0)
    expect(accounts.maxExposure("0xa", 0)).toBe(10n * cent)
  })
})

describe("cover", () => {
  it("is what was paid within a day, less what is at stake and what was lost", () => {
    const accounts = open()
    expect(accounts.takeCredit("0xa", cent)).toBe(false)
    accounts.earn("0xa", 10n * cent, 0)
    expect(accounts.takeCredit("0xa", 6n * cent)).toBe(true)
    expect(accounts.takeCredit("0xa", 5n * cent)).toBe(false)
    accounts.lose("0xa", 6n * cent)
    accounts.returnCredit("0xa", 6n * cent)
    expect(accounts.takeCredit("0xa", 5n * cent)).toBe(false)
    expect([accounts.paidLessLost("0xa"), accounts.paidLessLost("0xb")]).toEqual([4n * cent, 0n])
    expect(accounts.takeCredit("0xa", 4n * cent)).toBe(true)
    expect(accounts.paidLessLost("0xa")).toBe(4n * cent)
  })

  it("adds up over a day, and so do losses", () => {
    const accounts = open()
    accounts.earn("0xa", 10n * cent, 0)
    accounts.lose("0xa", 4n * cent)
    accounts.earn("0xa", cent, 86_399_999)
    expect(accounts.takeCredit("0xa", 8n * cent)).toBe(false)
    expect(accounts.takeCredit("0xa", 7n * cent)).toBe(true)
    // A day after the last payment, not after the first.
    accounts.earn("0xa", cent, 2 * 86_400_000 - 1)
    expect(accounts.takeCredit("0xa", cent)).toBe(false)
  })

  it("is never more than was paid, whatever is returned", () => {
    const accounts = open()
    accounts.earn("0xa", 10n * cent, 0)
    accounts.returnCredit("0xa", 5n * cent)
    expect(accounts.takeCredit("0xa", 11n * cent)).toBe(false)
    expect(accounts.takeCredit("0xa", 10n * cent)).toBe(true)
  })

  it("lasts a day, and losses with it", () => {
    const accounts = open()
    const day = 86_400_000
    accounts.earn("0xa", 10n * cent, 0)
    accounts.lose("0xa", 10n * cent)
    expect(accounts.isKnown("0xa", day - 1)).toBe(true)
    expect(accounts.isKnown("0xa", day)).toBeUndefined()
    accounts.earn("0xa", cent, day)
    expect(accounts.takeCredit("0xa", cent)).toBe(true)
    expect(accounts.takeCredit("0xa", cent)).toBe(false)
  })
})

describe("a payment that is refunded, or undone", () => {
  it("is taken back from all that it had earned, and leaves the rest", () => {
    const accounts = open()
    accounts.earn("0xa", 30n * cent, 0)
    accounts.learnRecent("0xa", 30n * cent, 0)
    accounts.earn("0xa", 5n * cent, 0)
    accounts.takeBack("0xa", 30n * cent)
    expect(accounts.maxExposure("0xa", 0)).toBe(15n * cent)
    expect([accounts.takeCredit("0xa", 6n * cent), accounts.takeCredit("0xa", 5n * cent)]).toEqual([
      false,
      true
    ])
    // Whether another payment was kept, the store decides.
    expect(accounts.isKnown("0xa", 0)).toBeUndefined()
  })

  it("leaves nothing owed, also if it was earned in another process", () => {
    const accounts = open()
    accounts.takeBack("0xa", cent)
    accounts.earn("0xb", cent, 0)
    accounts.takeBack("0xb", 9n * cent)
    accounts.earn("0xb", 2n * cent, 0)
    expect(accounts.isKnown("0xa", 0)).toBeUndefined()
    expect([accounts.takeCredit("0xb", 3n * cent), accounts.takeCredit("0xb", 2n * cent)]).toEqual([
      false,
      true
    ])
    expect(accounts.maxExposure("0xb", 0)).toBe(12n * cent)
  })

  it("leaves the losses of its payer counted", () => {
    const accounts = open()
    accounts.earn("0xa", 10n * cent, 0)
    accounts.lose("0xa", 4n * cent)
    accounts.takeBack("0xa", 3n * cent)
    expect([accounts.takeCredit("0xa", 4n * cent), accounts.takeCredit("0xa", 3n * cent)]).toEqual([
      false,
      true
    ])
  })
})

describe("payers", () => {
  it("are known by their payments, here or in the store", () => {
    const accounts = open()
    expect(accounts.isKnown("0xa", 0)).toBeUndefined()
    accounts.learnKnown("0xa", 0)
    expect(accounts.isKnown("0xa", 0)).toBe(true)
    accounts.earn("0xb", cent, 0)
    expect(accounts.isKnown("0xb", 0)).toBe(true)
  })

  it("are known for a minute by a payment that may yet be refunded, and never for less than before", () => {
    const accounts = open()
    accounts.learnKnown("0xa", 0)
    expect([accounts.isKnown("0xa", 59_999), accounts.isKnown("0xa", 60_000)]).toEqual([true, undefined])
    accounts.earn("0xb", cent, 0)
    accounts.learnKnown("0xb", 0)
    expect(accounts.isKnown("0xb", 60_000)).toBe(true)
  })

  it("have no cover by what another process knows of, or by what may be refunded", () => {
    const accounts = open()
    accounts.learnKnown("0xa", 0)
    accounts.earn("0xb", 0n, 0)
    expect(accounts.isKnown("0xb", 0)).toBe(true)
    expect([accounts.takeCredit("0xa", 1n), accounts.takeCredit("0xb", 1n)]).toEqual([false, false])
  })

  it("that are not known have nothing to take, to return or to lose", () => {
    const accounts = open()
    expect(accounts.takeCredit("0xa", 0n)).toBe(false)
    accounts.returnCredit("0xa", cent)
    accounts.lose("0xa", cent)
    accounts.forgetRecent("0xa")
    expect(accounts.isKnown("0xa", 0)).toBeUndefined()
  })

  it("are never evicted by strangers; of ten thousand payers the one that paid longest ago is", () => {
    const accounts = open()
    accounts.earn("0xa", cent, 0)
    for (let stranger = 0; stranger < 20_000; stranger++) {
      accounts.learnRecent(`stranger ${stranger}`, 0n, 0)
      accounts.lose(`stranger ${stranger}`, cent)
    }
    expect(accounts.isKnown("0xa", 0)).toBe(true)
    accounts.earn("0xb", cent, 0)
    accounts.earn("0xa", cent, 0)
    for (let payer = 0; payer < 9_999; payer++) accounts.earn(`payer ${payer}`, cent, 0)
    expect([accounts.isKnown("0xa", 0), accounts.isKnown("0xb", 0)]).toEqual([true, undefined])
  })
})
