import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OpenJournals, sqliteJournals } from "@till402/providers/journals"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { intentFixture } from "../rye/fakeRye.ts"
import { startShop } from "../rye/shop.ts"

/*
 * What journals are for: processes that share one, and processes that come after one that died.
 */

const server = interceptRequests()
let folder: string
let files = 0
const opened: Array<OpenJournals> = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "till402-journals-"))
})
afterEach(async () => {
  await Promise.all(opened.splice(0).map((journals) => journals.close()))
})
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

const newFile = () => join(folder, `${++files}.sqlite`)
const open = (filename: string): OpenJournals => {
  const journals = sqliteJournals(filename)
  opened.push(journals)
  return journals
}

describe("Rye over a journal", () => {
  it("finds an order that a dead process had placed, by the till's id alone", async () => {
    const filename = newFile()
    const dying = open(filename)
    const { open: openShop, place, upstream } = startShop(server, { placements: dying.placements })
    const { id } = upstream.put({ ...intentFixture("2-awaiting"), createdAt: new Date().toISOString() })
    await place(id)
    await dying.close()
    const shop = openShop({ placements: open(filename).placements })
    assert.strictEqual(await shop.find("order-1"), id)
    assert.isNull(await shop.find("order-2"))
    await place(id, {}, shop)
    assert.deepStrictEqual(upstream.goods, [id])
  })
})
