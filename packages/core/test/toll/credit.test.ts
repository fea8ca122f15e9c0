import { describe, expect, it } from "vitest"
import { PayerCredit } from "../../src/toll/PayerCredit.ts"
import { buy, expectRefused, openTill, search, track, vaultBuy, vaultSearch, workDone } from "./openTill.ts"

/** How many of a number of calls at once are worked on without being verified. */
const onCredit = (credit: PayerCredit, calls: number, nowMillis = 0): number =>
  Array.from({ length: calls }, () => credit.take("0xa", nowMillis)).filter(Boolean).length

describe("credit of a payer", () => {
  it("is one call at a time for each payment that settled, 32 at most", () => {
    const credit = new PayerCredit(1_000)
    expect(onCredit(credit, 5)).toBe(0)
    credit.earn("0xa", 0)
    expect(onCredit(credit, 5)).toBe(1)
    credit.earn("0xa", 0)
    credit.earn("0xa", 0)
    expect(onCredit(credit, 5)).toBe(2)
    for (let call = 0; call < 3; call++) credit.giveBack("0xa")
    expect(onCredit(credit, 5)).toBe(3)
    for (let payment = 0; payment < 100; payment++) credit.earn("0xa", 0)
    expect(onCredit(credit, 100)).toBe(29)
  })

  it("ends with its time, and with a payment that does not settle", () => {
    const credit = new PayerCredit(1_000)
    for (let payment = 0; payment < 5; payment++) credit.earn("0xa", 0)
    expect(onCredit(credit, 9, 1_000)).toBe(0)
    credit.earn("0xa", 1_500)
    expect(onCredit(credit, 9, 1_500)).toBe(1)
    credit.lose("0xa")
    credit.giveBack("0xa")
    expect(onCredit(credit, 9, 1_500)).toBe(0)
  })

  it("is nobody else's, none where it is switched off, and forgotten for one in ten thousand", () => {
    const credit = new PayerCredit(1_000)
    credit.earn("0xb", 0)
    expect(onCredit(credit, 1)).toBe(0)
    for (let payer = 0; payer < 10_000; payer++) credit.earn(`0x${payer}`, 0)
    expect([credit.take("0xb", 0), credit.take("0x9999", 0)]).toEqual([false, true])
    const none = new PayerCredit(0)
    none.earn("0xa", 0)
    expect(onCredit(none, 1)).toBe(0)
  })
})

describe("a payer who has paid a moment ago", () => {
  it("is worked for without a verification, and answered after settlement alone", async () => {
    const shop = await openTill()
    expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    expect((await shop.present(track, await shop.payFor(track))).status).toBe(200)
    expect(shop.facilitator.verify.calls).toHaveLength(1)
    expect(shop.facilitator.settled).toHaveLength(2)
  })

  it("is verified all the same for what is ordered", async () => {
    const shop = await openTill()
    for (const call of [vaultSearch, vaultBuy, buy, vaultBuy])
      expect((await shop.present(call, await shop.payFor(call))).status).toBe(200)
    expect(shop.facilitator.verify.calls).toHaveLength(4)
  })

  it("is verified each time where the host says so", async () => {
    const shop = await openTill({ limits: { payerCreditMillis: 0 } })
    for (let call = 0; call < 3; call++) await shop.present(search, await shop.payFor(search))
    expect(shop.facilitator.verify.calls).toHaveLength(3)
  })

  it("has less done for nothing than was paid for, once the account is empty", async () => {
    const shop = await openTill({ limits: { payerMemoryMillis: 0 } })
    const paid = 4
    for (let call = 0; call < paid; call++) {
      expect((await shop.present(search, await shop.payFor(search))).status).toBe(200)
    }
    shop.facilitator.rejects("insufficient_funds")
    shop.facilitator.finds("insufficient_funds")
    const before = workDone(shop)
    const payments = await Promise.all(Array.from({ length: 40 }, () => shop.payFor(search)))
    const answers = await Promise.all(payments.map((payment) => shop.present(search, payment)))
    for (const answer of answers) expectRefused(answer, "insufficient_funds")
    expect(workDone(shop) - before).toBeLessThanOrEqual(paid)
    // From here on each is verified first, and nothing is done for it.
    const after = workDone(shop)
    for (let call = 0; call < 5; call++)
      expectRefused(await shop.present(search, await shop.payFor(search)), "insufficient_funds")
    expect(workDone(shop)).toBe(after)
  })
})
