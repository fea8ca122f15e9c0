import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { MailRejected, TemporarilyUnavailable } from "../../../src/shop/ports/PortErrors.ts"
import { maxMailAttempts } from "../../../src/shop/orders/OrderTimings.ts"
import { email, openTill, vaultItem } from "../../toll/openTill.ts"
import {
  buyItem,
  day,
  downloads,
  hour,
  losingResponses,
  minute,
  pass,
  second,
  settles,
  openDatabase,
  type Shop
} from "./openShop.ts"

/*
 * The mail with the download token goes out once, whatever happens to the mail server or to the process. Time passes
 * by hand, and `reconcile` does what is due.
 */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

const down = () => new TemporarilyUnavailable({ message: "connection refused" })
const messages = ({ events }: Shop) => events.map(({ message }) => message)
const attempted = (shop: Shop, times: number) => settles(() => shop.mailer.send.calls).toHaveLength(times)
/** Until what came of the last attempt is written down. */
const noted = (database: ReturnType<typeof openDatabase>, due_at: number | null) =>
  settles(database.rows).toMatchObject([{ due_at }])

/** Lets a time pass in steps, with a look at what is due after each. */
const live = async (shop: Shop, { every, until }: { readonly every: number; readonly until: number }) => {
  for (let past = 0; past < until; past += every) {
    pass(every)
    await shop.till.reconcile()
  }
}

describe("the mail of a purchase", () => {
  it("goes out once, at once", async () => {
    const database = openDatabase()
    const shop = await database.open()
    const { downloadToken, purchaseId } = await buyItem(shop)
    await noted(database, null)
    await live(shop, { every: 6 * hour, until: 3 * day })
    await attempted(shop, 1)
    expect(shop.mailer.sent).toMatchObject([
      { to: email, idempotencyKey: `purchase-confirmed:${purchaseId}` }
    ])
    expect(shop.mailer.sent[0]!.text).toContain(downloadToken)
    expect(shop.mailer.sent[0]!.text).toContain("Launch plan")
  })

  it("goes out once a mail server that was down for an hour is up again", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.mailer.send.failsWith(down())
    const { purchaseId } = await buyItem(shop)
    await noted(database, Date.now() + 10 * second)

    await live(shop, { every: minute, until: hour })
    expect(shop.mailer.sent).toEqual([])
    const inVain = shop.mailer.send.calls.length
    // Rarer and rarer: an hour has room for sixty attempts a minute apart.
    expect(inVain).toBeGreaterThan(4)
    expect(inVain).toBeLessThan(12)
    expect(messages(shop)).toContain("A purchase confirmation could not be sent")

    shop.mailer.send.reset()
    await live(shop, { every: minute, until: 3 * hour })
    await attempted(shop, 1)
    expect(shop.mailer.sent).toMatchObject([{ idempotencyKey: `purchase-confirmed:${purchaseId}` }])
    expect(await database.rows()).toMatchObject([{ id: purchaseId, due_at: null }])
  })

  it("is sent by the next process where one ends between the grant and the mail", async () => {
    const database = openDatabase()
    const first = await database.open({ storage: losingResponses(database.storage(), "grant") })
    const bought = await buyItem(first)
    await first.till.dispose()
    expect(first.mailer.send.calls).toEqual([])
    expect(await database.rows()).toMatchObject([{ status: "granted", due_at: Date.now() + minute }])

    const next = await database.open()
    // Who granted it may yet be at it.
    pass(minute - 1)
    await next.till.reconcile()
    expect(next.mailer.send.calls).toEqual([])
    pass(1)
    await next.till.reconcile()
    await live(next, { every: hour, until: day })
    await attempted(next, 1)
    expect(next.mailer.sent[0]!.text).toContain(bought.downloadToken)
    expect(await downloads(next, bought)).toBe(200)
  })

  it("is sent by one of several processes", async () => {
    const database = openDatabase()
    const shops = [await database.open(), await database.open(), await database.open()]
    for (const { mailer } of shops) mailer.send.failsWith(down())
    for (const shop of [shops[0]!, shops[0]!, shops[1]!]) await buyItem(shop)
    const due_at = Date.now() + 10 * second
    await settles(database.rows).toMatchObject([{ due_at }, { due_at }, { due_at }])
    for (const { mailer } of shops) mailer.send.reset()
    pass(minute)
    await Promise.all(shops.map(({ till }) => till.reconcile()))
    expect(shops.flatMap(({ mailer }) => mailer.send.calls)).toHaveLength(3)
    expect(new Set(shops.flatMap(({ mailer }) => mailer.sent.map((mail) => mail.idempotencyKey))).size).toBe(
      3
    )
  })

  it("that hangs in a till which ends goes out of the next one", async () => {
    const database = openDatabase()
    const first = await database.open({ upstreamTimeoutMillis: 1_000 })
    first.mailer.send.hangs()
    await buyItem(first)
    await first.till.dispose()
    expect(await database.rows()).toMatchObject([{ due_at: Date.now() + 10 * second }])
    const next = await database.open()
    pass(10 * second)
    await next.till.reconcile()
    await attempted(next, 1)
  })

  it("that is refused for good is not sent again", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.mailer.send.failsWith(new MailRejected({ message: "no such mailbox" }))
    const bought = await buyItem(shop)
    await noted(database, null)
    await live(shop, { every: 6 * hour, until: 3 * day })
    await attempted(shop, 1)
    expect(await downloads(shop, bought)).toBe(200)
  })

  it("is given up after two days, and only its purchase is reported to the operator", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.mailer.send.failsWith(down())
    const { downloadToken, purchaseId } = await buyItem(shop)
    await noted(database, Date.now() + 10 * second)
    const since = Date.now()
    const givenUp = () =>
      shop.events.filter(({ level, message }) => level === "error" && message.includes("given up"))
    while (givenUp().length === 0 && Date.now() < since + 7 * day)
      await live(shop, { every: hour, until: hour })
    expect(Date.now() - since).toBeGreaterThan(day)
    expect(Date.now() - since).toBeLessThan(3 * day)
    expect(givenUp().map((event) => event.purchaseId)).toEqual([purchaseId])
    await live(shop, { every: 6 * hour, until: 3 * day })
    await attempted(shop, maxMailAttempts + 1)
    const reported = JSON.stringify(shop.events)
    for (const secret of [email, downloadToken, downloadToken.split(".")[1]!])
      expect(reported).not.toContain(secret)
  })

  it("is sent also where its item has got another slug since", async () => {
    const database = openDatabase()
    const shop = await database.open()
    shop.mailer.send.failsWith(down())
    await buyItem(shop)
    await noted(database, Date.now() + 10 * second)
    await shop.till.vault.put({ ...vaultItem, slug: "renamed" })
    shop.mailer.send.reset()
    pass(10 * second)
    await shop.till.reconcile()
    // Its slug is all that is known of the item by then.
    await attempted(shop, 1)
    expect(shop.mailer.sent[0]!.text).toContain("launch-plan")
  })

  it("is not due where there is no mailer, nor once there is one", async () => {
    const database = openDatabase()
    const silent = await database.open({ without: ["mailer"] })
    const bought = await buyItem(silent)
    expect(await database.rows()).toMatchObject([{ status: "granted", due_at: null }])
    expect(await downloads(silent, bought)).toBe(200)
    await silent.till.dispose()
    const next = await database.open()
    await live(next, { every: hour, until: day })
    expect(next.mailer.send.calls).toEqual([])
  })

  it("is the default one where the host's template fails, which is reported to the operator", async () => {
    const shop = await openTill({
      mailTemplates: {
        VaultPurchased: ({ title }) => {
          throw new Error(`no words for ${title}`)
        }
      }
    })
    const { downloadToken } = await buyItem(shop)
    await settles(() => shop.mailer.sent).toHaveLength(1)
    expect(shop.mailer.sent[0]!.text).toContain(downloadToken)
    const reported = shop.events.filter(({ message }) => message.startsWith("A mail template failed"))
    expect(reported).toMatchObject([{ level: "warning", reason: expect.stringContaining("VaultPurchased") }])
  })
})
