import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { sqlite } from "../../src/sqlite.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { keepThreads } from "../stores/sqlite/keptThreads.ts"
import { buy, openTill, track, vaultBuy } from "../toll/openTill.ts"

keepThreads()

const file = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "till402-books-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return join(folder, "till.sqlite")
}

const booksOf = (filename: string, readOnly?: boolean) => {
  const books = Till.books({ storage: sqlite({ filename }), ...(readOnly === undefined ? {} : { readOnly }) })
  onTestFinished(books.dispose)
  return books
}

describe("the books of a till", () => {
  it("read beside it what it has sold, and call no provider", async () => {
    const filename = file()
    const { facilitator, fulfilment, payFor, present, till } = await openTill({
      storage: sqlite({ filename })
    })
    for (const call of [track, buy, vaultBuy])
      expect((await present(call, await payFor(call))).status).toBe(200)
    const settlements = facilitator.settle.calls.length
    const books = booksOf(filename)
    expect((await books.charges.list()).map(({ operation }) => operation).sort()).toEqual([
      "buy",
      "track",
      "vaultBuy"
    ])
    expect(await books.charges.list()).toEqual(await till.charges.list())
    expect((await books.orders.list()).map(({ id }) => id)).toEqual(
      (await till.orders.list()).map(({ id }) => id)
    )
    expect(await books.vault.purchases()).toEqual(await till.vault.purchases())
    expect(await books.ledger.list()).toEqual(await till.ledger.list())
    expect((await books.ledger.check()).faults).toEqual([])
    expect(facilitator.settle.calls.length).toBe(settlements)
    expect(fulfilment.place.calls.length).toBeLessThanOrEqual(1)
  })

  it("change nothing unless they may, and orders never", async () => {
    const filename = file()
    const { payFor, present, till } = await openTill({ storage: sqlite({ filename }) })
    await present(buy, await payFor(buy))
    const [order] = await till.orders.list()
    const books = booksOf(filename)
    await expect(books.refunds.stop("audit")).rejects.toThrow("read-only")
    await expect(books.vault.unlist("launch-plan")).rejects.toThrow("read-only")
    await expect(books.orders.cancel(order!.id)).rejects.toThrow("no fulfilment")
    await expect(books.ledger.check({ chain: true })).rejects.toThrow("can't read the chain")
    expect((await till.refunds.status()).stopped).toBeUndefined()
    const writable = booksOf(filename, false)
    expect(await writable.refunds.stop("audit")).toBe(true)
    expect((await till.refunds.status()).stopped?.reason).toBe("audit")
    await expect(writable.orders.cancel(order!.id)).rejects.toThrow("no fulfilment")
  })

  it("never make tables: a database that no till has opened is refused", async () => {
    const filename = file()
    const books = booksOf(filename, false)
    await expect(books.ready).rejects.toThrow("lacks the migrations")
    await expect(books.charges.list()).rejects.toThrow("lacks the migrations")
    expect(existsSync(filename)).toBe(true)
  })

  it("refuse options that they don't have, and values that can't be", () => {
    const open = (options: unknown) => () => Till.books(options as never)
    const storage = sqlite({ filename: file() })
    expect(open({ storage, readonly: false })).toThrow("there is no option readonly: did you mean readOnly?")
    expect(open({ storage, readOnly: "no" })).toThrow('readOnly must be true or false: got "no"')
    expect(open({ storage, onEvent: true })).toThrow("onEvent must be a function")
    expect(open({ storage: "till.sqlite" })).toThrow("storage must be a storage layer")
    expect(open({ storrage: storage })).toThrow("did you mean storage?")
    expect(open("till.sqlite")).toThrow("must be an object")
  })
})
