import { DatabaseSync } from "node:sqlite"
import { describe, expect, it } from "vitest"
import { ConfigurationError } from "../../src/domain/Errors.ts"
import { sqlite } from "../../src/sqlite.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { keepThreads } from "../stores/sqlite/keptThreads.ts"
import { temporaryFiles } from "../stores/sql/folder.ts"
import { type OpenOptions, openTill, search } from "../toll/openTill.ts"

keepThreads()

const nextFile = temporaryFiles()

const ownRoutesAlone: OpenOptions = {
  without: ["assistant", "fulfilment", "mailer", "marketplaces", "tracker", "vault"],
  operations: [
    {
      id: "weather",
      method: "GET",
      path: "/weather",
      description: "Weather, now",
      price: "0.02",
      example: { input: {}, output: { celsius: 21 } },
      work: () => ({ celsius: 21 })
    }
  ]
}

/** A database on which a till has run, changed by this statement, and tills on it. */
const changedBy = async (statement: string) => {
  const filename = nextFile()
  const first = await openTill({ storage: sqlite({ filename }) })
  await first.till.dispose()
  const file = new DatabaseSync(filename)
  file.exec(statement)
  return {
    rows: (table: string) => file.prepare(`SELECT COUNT(*) AS rows FROM ${table}`).get()?.["rows"],
    start: async (options: OpenOptions = {}): Promise<unknown> => {
      try {
        const { till } = await openTill({ storage: sqlite({ filename }), ...options })
        await till.dispose()
        return "started"
      } catch (error) {
        return error
      }
    },
    open: () => openTill({ storage: sqlite({ filename }) }),
    filename
  }
}

const noOrders = "CREATE TRIGGER own BEFORE INSERT ON till_orders BEGIN SELECT RAISE(IGNORE); END"

describe("a till on a database that takes payments of one network alone", () => {
  const allowed = (network: string) => `CREATE TRIGGER own BEFORE INSERT ON till_charges
    WHEN NEW.network <> '${network}' OR NEW.payer NOT GLOB '0x*' OR length(NEW.payer) <> 42
    BEGIN SELECT RAISE(ABORT, 'not of our network'); END`

  it("starts where that is its own, and sells", async () => {
    const { open, start } = await changedBy(allowed("eip155:84532"))
    expect(await start()).toBe("started")
    const shop = await open()
    expect((await shop.presentAgain(search, await shop.payFor(search))).status).toBe(200)
    await shop.till.dispose()
  })

  it("isn't ready where that is another", async () => {
    const { start } = await changedBy(allowed("eip155:8453"))
    expect(String(await start())).toContain("It failed at charges.claim: not of our network")
  })
})

describe("a till on a database whose host drops orders", () => {
  it("isn't ready, and says at which step a rehearsed sale failed", async () => {
    const { rows, start } = await changedBy(noOrders)
    const error = await start()
    expect(error).toBeInstanceOf(ConfigurationError)
    expect((error as ConfigurationError).message).toContain(
      "It failed at orders.replace: nothing was changed"
    )
    expect([rows("till_charges"), rows("till_ledger"), rows("till_quotes")]).toEqual([0, 0, 0])
  })

  it("starts with its own routes alone, which store none, and is opened by its books", async () => {
    const { filename, start } = await changedBy(noOrders)
    expect(await start(ownRoutesAlone)).toBe("started")
    const books = Till.books({ storage: sqlite({ filename }) })
    expect(await books.charges.list()).toEqual([])
    await books.dispose()
  })

  it("starts once the trigger is gone, and sells", async () => {
    const { filename, open, start } = await changedBy(noOrders)
    const file = new DatabaseSync(filename)
    file.exec("DROP TRIGGER own")
    file.close()
    expect(await start()).toBe("started")
    const shop = await open()
    const sold = await shop.presentAgain(search, await shop.payFor(search))
    expect(sold.status).toBe(200)
    expect(await shop.till.charges.list()).toHaveLength(1)
    await shop.till.dispose()
  })
})
