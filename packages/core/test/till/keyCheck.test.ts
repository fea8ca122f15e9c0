import { readFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { ConfigurationError } from "../../src/domain/Errors.ts"
import type { SecretKey } from "../../src/runtime/Secrets.ts"
import { sqlite } from "../../src/sqlite.ts"
import { keepThreads } from "../stores/sqlite/keptThreads.ts"
import { temporaryFiles } from "../stores/sql/folder.ts"
import { keptInMemory } from "../stores/sql/keptInMemory.ts"
import {
  buy,
  type Call,
  downloadOf,
  jsonOf,
  type OpenOptions,
  openTill,
  search,
  track,
  vaultBuy
} from "../toll/openTill.ts"
import { outcomeOf, proofFor, signIn } from "../toll/signIn.ts"
import { otherPayer } from "../toll/wallet.ts"

keepThreads()

const nextFile = temporaryFiles()
const keyOf = (id: string, text: string): SecretKey => ({ id, secret: text.repeat(32) })
const first = keyOf("1", "a")
const second = keyOf("2", "b")
const minute = 60_000
const day = 24 * 60 * minute

const pass = (millis: number): void => void vi.setSystemTime(Date.now() + millis)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 2, 2, 12) })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A database, and tills on it, one after the other. */
const database = (options: OpenOptions = {}) => {
  const storage = options.storage ?? keptInMemory()
  const open = async (secret: ReadonlyArray<SecretKey>, more: OpenOptions = {}) =>
    openTill({ secret, ...options, ...more, storage: await storage })
  return {
    open,
    /** Starts a till and stops it: how it starts, and what it reports about keys. */
    start: async (secret: ReadonlyArray<SecretKey>, more: OpenOptions = {}): Promise<string> => {
      try {
        const { events, till } = await open(secret, more)
        await till.dispose()
        return events.find(({ code }) => code === "secret_key_retired")?.message ?? "started"
      } catch (error) {
        if (error instanceof ConfigurationError) return error.message
        throw error
      }
    },
    /** Pays for calls under these keys: the responses. */
    pay: async (secret: ReadonlyArray<SecretKey>, ...calls: ReadonlyArray<Call>) => {
      const shop = await open(secret)
      const paid = []
      for (const call of calls) {
        const payment = await shop.payFor(call)
        const response = await shop.presentAgain(call, payment)
        expect(response.status, response.text).toBe(200)
        paid.push({ call, payment, response })
      }
      await shop.till.dispose()
      return paid
    }
  }
}

/** Pays for a vault item: the call that downloads it. */
const sell = async (shop: ReturnType<typeof database>, ...secret: ReadonlyArray<SecretKey>) => {
  const [bought] = await shop.pay(secret, vaultBuy)
  const { downloadToken, purchaseId } = jsonOf(bought!.response)
  return downloadOf(String(purchaseId), String(downloadToken))
}

const missing = (id: string, losses: string) =>
  `Till402 can't start: secret lacks the key "${id}", under which this database has ${losses}`

describe("a database that was used with a key", () => {
  it("is used with it again", async () => {
    const { start } = database({ storage: sqlite({ filename: nextFile() }) })
    expect(await start([first])).toBe("started")
    expect(await start([first])).toBe("started")
  })

  it("is refused with another one, under its id or another, and says how to keep both", async () => {
    const { start } = database()
    await start([first])
    const advice =
      /not the one this database was used with: stored responses and download tokens would be lost.*list the old key second/
    expect(await start([keyOf("1", "b")])).toMatch(advice)
    expect(await start([keyOf("1", "b")])).toContain('secret (id "1")')
    expect(await start([second])).toMatch(advice)
    expect(await start([{ ...first, id: "2" }])).toMatch(advice)
    expect(await start([first])).toBe("started")
  })

  it("is used with a new one before it, and then without it, since nothing was made under it", async () => {
    const { start } = database()
    await start([first])
    expect(await start([second, first])).toBe("started")
    expect(await start([second])).toBe("started")
    expect(await start([first])).toBe("started")
  })

  it("is refused where one of several keys has changed under its id", async () => {
    const { start } = database()
    await start([second, first])
    expect(await start([second, keyOf("1", "c")])).toContain('secret (id "1")')
  })

  it("reports once that its marks were deleted, and nothing while it is new", async () => {
    const filename = nextFile()
    const lost = async () => {
      const { events, till } = await shop.open([first])
      await till.dispose()
      return events.flatMap(({ code, reason }) => (code === "service_changed" ? [reason] : []))
    }
    const shop = database({ storage: sqlite({ filename }) })
    const deleteMarks = () => {
      const file = new DatabaseSync(filename, { timeout: 60_000 })
      file.exec("DELETE FROM till_marks")
      file.close()
    }
    expect(await lost()).toEqual([])
    deleteMarks()
    expect(await lost()).toEqual([])
    await shop.pay([first], search)
    expect(await lost()).toEqual([])
    deleteMarks()
    expect([await lost(), await lost()]).toEqual([["till_marks"], []])
  })

  it("stores no key", async () => {
    const filename = nextFile()
    const { start } = database({ storage: sqlite({ filename }) })
    await start([first])
    const bytes = readFileSync(filename, "latin1")
    expect(bytes).toContain("secret.1")
    expect(bytes).not.toContain(first.secret)
  })
})

describe("after a rotation, a start without the old key", () => {
  it("is refused while a purchase can be downloaded under it, and leaves nothing behind", async () => {
    const shop = database()
    const download = await sell(shop, first)
    pass(90 * day)
    expect(await shop.start([second, first])).toBe("started")
    const refusal = await shop.start([keyOf("3", "c"), second])
    expect(refusal).toContain(missing("1", "1 purchase, 0 stored responses and 0 quotes"))
    expect(refusal).toContain(
      'Bring the key back, after the current one: secret: [{ id: "new", … }, { id: "1", … }]'
    )
    expect(refusal).toContain('retire it, with retiredKeys: ["1"]')
    // The new key left no mark: another one may have its id.
    expect(await shop.start([keyOf("3", "d"), second, first])).toBe("started")
    const [response] = await shop.pay([second, first], download)
    expect(response?.response.status).toBe(200)
  })

  it("is let through once the purchase can no longer be downloaded", async () => {
    const open = async () => ({ body: Buffer.from("PK345678") })
    const shop = database({ vault: { open, maxAgeMillis: 30 * day } })
    await sell(shop, first)
    await shop.start([second, first])
    pass(30 * day)
    expect(await shop.start([second])).toContain(missing("1", "1 purchase, 0"))
    pass(1)
    expect(await shop.start([second])).toBe("started")
  })

  it("is refused while a response is replayed, encrypted or not, and not a millisecond longer", async () => {
    const shop = database({ responseLifetimeMillis: 2 * minute })
    const [stored, plain] = await shop.pay([first], track, search)
    expect(await shop.start([second, first])).toBe("started")
    pass(2 * minute)
    expect(await shop.start([second])).toContain(missing("1", "0 purchases, 2 stored responses and 0 quotes"))
    const both = await shop.open([second, first])
    for (const { call, payment, response } of [stored!, plain!])
      expect((await both.present(call, payment)).text).toBe(response.text)
    await both.till.dispose()
    pass(1)
    expect(await shop.start([second])).toBe("started")
  })

  it("doesn't count the response of a vault purchase for longer than it is replayed", async () => {
    const open = async () => ({ body: Buffer.from("PK345678") })
    const shop = database({ vault: { open, maxAgeMillis: minute } })
    await sell(shop, first)
    await shop.start([second, first])
    pass(10 * minute)
    expect(await shop.start([second])).toContain(missing("1", "0 purchases, 1 stored response and 0 quotes"))
    pass(1)
    expect(await shop.start([second])).toBe("started")
  })

  it("is refused while a quote can be paid, which the old key still finds", async () => {
    const shop = database()
    const before = await shop.open([first])
    const quoteOf = async ({ challenge }: Pick<typeof before, "challenge">) =>
      (await challenge(buy)).accepts[0]?.extra["quoteId"]
    const quoteId = await quoteOf(before)
    const payment = await before.payFor(buy)
    await before.till.dispose()
    expect(await shop.start([second, first])).toBe("started")
    expect(await shop.start([second])).toContain(missing("1", "0 purchases, 0 stored responses and 1 quote:"))
    const after = await shop.open([second, first])
    expect([typeof quoteId, await quoteOf(after)]).toEqual(["string", quoteId])
    expect((await after.present(buy, payment)).status).toBe(200)
    await after.till.dispose()
    pass(2 * day)
    expect(await shop.start([second])).toBe("started")
  })

  it("is let through where only quotes under it have expired", async () => {
    const shop = database()
    const before = await shop.open([first])
    await before.challenge(buy)
    await before.till.dispose()
    await shop.start([second, first])
    pass(day)
    expect(await shop.start([second])).toBe("started")
  })

  it("is refused while a payment's outcome is unknown", async () => {
    const shop = database()
    const before = await shop.open([first])
    before.facilitator.losesNextSettlement(false)
    expect((await before.present(search, await before.payFor(search))).status).toBe(503)
    await before.till.dispose()
    await shop.start([second, first])
    expect(await shop.start([second])).not.toBe("started")
  })
})

describe("a retired key", () => {
  const tokenOf = (call: Call): string => call.path.split("downloadToken=")[1]!

  it("is reported with what is lost, and its purchases are downloaded by the wallet that paid", async () => {
    const shop = database()
    const download = await sell(shop, first)
    const [stored] = await shop.pay([first], track)
    await shop.start([second, first])
    const retired = { retiredKeys: ["1"] }
    expect(await shop.start([second], retired)).toMatch(
      /^The key "1" is retired: 1 purchase, 2 stored responses and 0 quotes were made under it\. The wallet that paid for a purchase downloads it with a sign-in; the rest is lost\./
    )
    const after = await shop.open([second], retired)
    const byToken = await after.present(download, await after.payFor(download))
    expect([byToken.status, jsonOf(byToken)["message"]]).toEqual([
      403,
      expect.stringContaining("sign-in-with-x")
    ])
    expect(outcomeOf(await signIn(after, download, await proofFor(after, download)))).toBe("200")
    const stranger = await signIn(after, download, await proofFor(after, download, otherPayer))
    expect(outcomeOf(stranger)).toBe("sign_in_refused")
    expect((await after.present(stored!.call, stored!.payment)).status).toBe(402)
  })

  it("opens nothing else: neither purchases of other keys, nor those that another token names", async () => {
    const shop = database()
    const old = await sell(shop, first)
    const young = await sell(shop, second, first)
    const after = await shop.open([second], { retiredKeys: ["1"] })
    const attempts = [
      young,
      { path: young.path.replace(tokenOf(young), "1.made-up") },
      { path: old.path.replace(tokenOf(old), "2.made-up") },
      { path: old.path.replace(tokenOf(old), "7.made-up") }
    ]
    for (const call of attempts)
      expect(outcomeOf(await signIn(after, call, await proofFor(after, call)))).toBe("sign_in_refused")
    expect((await after.present(young, await after.payFor(young))).status).toBe(200)
    // The token of a retired key can't be checked any more.
    const guess = { path: old.path.replace(tokenOf(old), "1.made-up") }
    expect(outcomeOf(await signIn(after, guess, await proofFor(after, guess)))).toBe("200")
  })

  it("is the cure where the only key is lost for good", async () => {
    const shop = database()
    const download = await sell(shop, first)
    expect(await shop.start([second])).toContain("the old one's in retiredKeys")
    expect(await shop.start([second], { retiredKeys: ["1"] })).toContain('The key "1" is retired')
    expect(await shop.start([second])).toContain(missing("1", "1 purchase, 1 stored response and 0 quotes"))
    const after = await shop.open([second], { retiredKeys: ["1"] })
    expect(outcomeOf(await signIn(after, download, await proofFor(after, download)))).toBe("200")
    await after.till.dispose()
    // A key that is found again works as before.
    const [again] = await shop.pay([second, first], download)
    expect(again?.response.status).toBe(200)
  })

  it("is silent once nothing is left under it, and on a new database", async () => {
    const shop = database()
    await shop.pay([first], track)
    pass(2 * day)
    expect(await shop.start([second], { retiredKeys: ["1"] })).toBe("started")
    expect(await database().start([second], { retiredKeys: ["1"] })).toBe("started")
  })

  it("serves a staging copy of a database, whose own keys are others", async () => {
    const shop = database()
    await sell(shop, second, first)
    const own = keyOf("staging", "s")
    const retiredKeys = ["1", "2"]
    expect(await shop.start([own], { retiredKeys })).toContain('The key "2" is retired: 1 purchase')
    const copy = await shop.open([own], { retiredKeys })
    expect((await copy.present(search, await copy.payFor(search))).status).toBe(200)
  })
})

describe("till.check", () => {
  it("has a check for each key that is missing or retired", async () => {
    const shop = database()
    await sell(shop, first)
    const secretChecks = async (secret: ReadonlyArray<SecretKey>, more: OpenOptions = {}) => {
      const { till } = await shop.open(secret, more)
      const checks = await till.check()
      await till.dispose()
      return checks.filter(({ name }) => name === "secret").map(({ status, subject }) => [status, subject])
    }
    expect(await secretChecks([second, first])).toEqual([["pass", undefined]])
    expect(await secretChecks([second], { retiredKeys: ["1"] })).toEqual([["warn", "key 1"]])
    const running = await shop.open([second, first])
    await sell(shop, keyOf("3", "c"), second, first)
    const checks = (await running.till.check()).filter(({ status }) => status === "fail")
    expect(checks).toMatchObject([
      { name: "secret", subject: "key 3", problem: expect.stringContaining('secret lacks the key "3"') }
    ])
  })
})

describe("till.keys", () => {
  it("counts what each key is needed for", async () => {
    const shop = database()
    await sell(shop, first)
    await shop.pay([second, first], track)
    const { challenge, till } = await shop.open([second, first], { retiredKeys: ["0"] })
    await challenge(buy)
    expect(await till.keys()).toEqual([
      { id: "2", status: "current", purchases: 0, responses: 1, quotes: 1 },
      { id: "1", status: "older", purchases: 1, responses: 1, quotes: 0 },
      { id: "0", status: "retired", purchases: 0, responses: 0, quotes: 0 }
    ])
  })
})
