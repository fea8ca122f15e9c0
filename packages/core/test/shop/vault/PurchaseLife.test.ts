import { Effect } from "effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { Secrets } from "../../../src/runtime/Secrets.ts"
import { paymentOutcome, recheckDelayMillis } from "../../../src/shop/vault/PurchaseLife.ts"
import { downloadTokenOf } from "../../../src/shop/vault/DownloadToken.ts"
import { downloadOf, expectFailed, vaultBuy } from "../../toll/openTill.ts"
import {
  buyItem,
  day,
  download,
  downloads,
  failingGrants,
  hour,
  losingResponses,
  minute,
  pass,
  settles,
  openDatabase
} from "./openShop.ts"

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

describe("a purchase that was reserved", () => {
  it("is cleared away once its attempt is dead", async () => {
    const database = openDatabase()
    const first = await database.open({ storage: losingResponses(database.storage(), "advance") })
    const payment = await first.payFor(vaultBuy)
    expectFailed(await first.present(vaultBuy, payment), 503, "STORAGE_UNAVAILABLE")
    await first.till.dispose()
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])

    const next = await database.open()
    pass(14 * minute)
    await next.till.reconcile()
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])
    pass(minute)
    await next.till.reconcile()
    expect(await database.rows()).toEqual([])
  })

  it("stays for as long as its payment may settle, days if need be", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.facilitator.settle.failsWith(new Error("connection reset"))
    const payment = await shop.payFor(vaultBuy)
    expectFailed(await shop.present(vaultBuy, payment), 503, "SETTLEMENT_PENDING")
    for (let past = 0; past < 3 * day; past += 3 * hour) {
      pass(3 * hour)
      expect(await shop.till.reconcile()).toEqual({ settled: 0, pending: 1 })
      expect(await database.rows()).toMatchObject([{ status: "reserved" }])
    }
    expect(shop.mailer.send.calls).toEqual([])
    shop.facilitator.settle.reset()
    expect(await shop.till.reconcile()).toEqual({ settled: 1, pending: 0 })
    expect(await database.rows()).toMatchObject([{ status: "granted" }])
    await settles(() => shop.mailer.sent).toHaveLength(1)
  })

  it("is granted by the next till with a vault where one without settled its payment", async () => {
    const database = openDatabase()
    const first = await database.open()
    first.facilitator.losesNextSettlement(false)
    const payment = await first.payFor(vaultBuy)
    expectFailed(await first.present(vaultBuy, payment), 503, "SETTLEMENT_PENDING")
    await first.till.dispose()
    const other = await database.open({ without: ["vault"] })
    await settles(database.charges).toEqual([{ state: "settled", effect_pending: 1 }])
    await other.till.dispose()
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])

    const next = await database.open()
    pass(300_001)
    await next.till.reconcile()
    expect(await database.rows()).toMatchObject([{ status: "granted" }])
    expect(await database.charges()).toMatchObject([{ state: "settled", effect_pending: 0 }])
    await settles(() => next.mailer.sent).toHaveLength(1)
  })
})

describe.each([undefined, { vaultDownload: "before-work" }] as const)(
  "a purchase whose payment settled and whose grant failed, with downloads that settle as %j",
  (settlement) => {
    it("can be downloaded at once: it is granted then", async () => {
      const database = openDatabase()
      const storage = failingGrants(database.storage(), 1)
      const shop = await database.open({ storage, ...(settlement && { settlement }) })
      const bought = await buyItem(shop)
      expect(await database.rows()).toMatchObject([{ id: bought.purchaseId, status: "reserved" }])
      expect(await database.charges()).toMatchObject([{ state: "settled", effect_pending: 1 }])

      expect((await download(shop, bought)).text).toContain("PK")
      expect(await database.rows()).toMatchObject([{ status: "granted" }])
      await settles(() => shop.mailer.sent).toHaveLength(1)
      await shop.till.reconcile()
      expect(await database.charges()).toMatchObject([{ effect_pending: 0 }, { effect_pending: 0 }])
      expect(shop.mailer.sent).toHaveLength(1)
      expect(await shop.till.ledger.check()).toMatchObject({
        isBalanced: true,
        settledCharges: 2,
        refunds: 0
      })
    })

    it("is sent again to its caller, by the same payment, while it can't be granted", async () => {
      const database = openDatabase()
      const storage = failingGrants(database.storage(), 2)
      const shop = await database.open({ storage, ...(settlement && { settlement }) })
      const { downloadToken, purchaseId } = await buyItem(shop)
      const call = downloadOf(purchaseId, downloadToken)
      const payment = await shop.payFor(call)
      expectFailed(await shop.present(call, payment), 503, "STORAGE_UNAVAILABLE")
      expect((await shop.present(call, payment)).status).toBe(200)
      expect(shop.facilitator.settled).toHaveLength(2)
    })

    it("is granted to nobody without its token", async () => {
      const database = openDatabase()
      const storage = failingGrants(database.storage(), 1)
      const shop = await database.open({ storage, ...(settlement && { settlement }) })
      const bought = await buyItem(shop)
      const forged = { ...bought, downloadToken: `${bought.downloadToken.slice(0, -1)}!` }
      expect(await downloads(shop, forged)).toBe(404)
      expect(await database.rows()).toMatchObject([{ status: "reserved" }])
    })
  }
)

describe("a purchase whose payment has not settled", () => {
  it("can't be downloaded", async () => {
    const database = openDatabase()
    const secret = "a secret of this test, of 32 characters or more"
    const shop = await database.open({ secret })
    shop.facilitator.settle.failsWith(new Error("connection reset"))
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "SETTLEMENT_PENDING")
    shop.facilitator.settle.reset()
    const purchaseId = (await database.rows())[0]!.id
    const token = Effect.map(Secrets, (secrets) => downloadTokenOf(secrets, purchaseId, "1")!)
    const keys = Secrets.layer([{ id: "1", secret }])
    const downloadToken = await Effect.runPromise(Effect.provide(token, keys))
    expect(await downloads(shop, { purchaseId, downloadToken })).toBe(404)
    expect(await database.rows()).toMatchObject([{ status: "reserved" }])
  })
})

describe("the pause before an unpaid purchase is checked again", () => {
  it.each([
    [3 * minute, 0],
    [3 * minute, 3 * minute],
    [4 * minute, 4 * minute],
    [6 * hour, 6 * hour],
    [6 * hour, 7 * hour]
  ])("is %d ms at the age of %d ms", (pauseMillis, ageMillis) => {
    expect(recheckDelayMillis(ageMillis)).toBe(pauseMillis)
  })

  it("grows with its age, as long as its payment is open", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.facilitator.settle.failsWith(new Error("connection reset"))
    expectFailed(await shop.present(vaultBuy, await shop.payFor(vaultBuy)), 503, "SETTLEMENT_PENDING")
    const boughtAtMillis = Date.now()
    pass(20 * minute)
    await shop.till.reconcile()
    expect(await database.rows()).toMatchObject([
      { status: "reserved", due_at: boughtAtMillis + 40 * minute }
    ])
  })
})

describe("the payment of a reserved purchase", () => {
  const subject = { kind: "purchase", id: "1" }
  const refund = { _tag: "Due", startedAtMillis: undefined } as const

  it.each([
    ["Paid", { state: "settled", refund: undefined, subject }],
    ["Unpaid", { state: "settled", refund, subject }],
    ["Unpaid", { state: "settled", refund: undefined, subject: { ...subject, id: "2" } }],
    ["Unpaid", { state: "settled", refund: undefined, subject: undefined }],
    ["Open", { state: "ready", refund: undefined, subject }],
    ["Unpaid", { state: "ready", refund: undefined, subject: { ...subject, id: "2" } }],
    ["Open", { state: "claimed", refund: undefined, subject: undefined }],
    ["Unpaid", { state: "voided", refund: undefined, subject }],
    ["Unpaid", undefined]
  ] as const)("is %s by the charge %o", (outcome, charge) => {
    expect(paymentOutcome({ id: "1" }, charge)).toBe(outcome)
  })
})

describe("the e-mail of a purchase", () => {
  it("is forgotten when its time is over; the token opens the download all the same", async () => {
    const database = openDatabase()
    const first = await database.open({ personalDataLifetimeMillis: day })
    const bought = await buyItem(first)
    await settles(database.rows).toMatchObject([{ due_at: null }])
    await first.till.dispose()
    expect(await database.rows()).toMatchObject([{ email: expect.stringContaining("@") }])

    pass(day + 1)
    // Upkeep begins when a till does.
    const next = await database.open({ personalDataLifetimeMillis: day })
    await settles(database.rows).toMatchObject([{ status: "granted", email: null }])
    expect(await downloads(next, bought)).toBe(200)
  })
})
