import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type OpenJournals, sqliteJournals } from "@till402/providers/journals"
import { afterAll, afterEach, assert, beforeAll, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { intentFixture } from "../rye/fakeRye.ts"
import { startShop } from "../rye/shop.ts"
import { crossmintPayee, prepare, usdc } from "../treasury/fakeNode.ts"
import { account, payment, rejectionOf, startTreasury } from "../treasury/treasuries.ts"

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

describe("treasuries over one journal", () => {
  it("pay an order once, and each order under a number of its own", async () => {
    const filename = newFile()
    const { node, paying } = startTreasury({ journal: open(filename).payments })
    server.use(node.handler())
    const second = startTreasury({ node, journal: open(filename).payments }).paying
    const paid = await Promise.all(
      Array.from({ length: 8 }, (_, at) => {
        const order = Math.floor(at / 2)
        const prepared = prepare({ memo: `0${order}` })
        const wanted = payment({ key: `order-${order}`, reference: `cm-${order}`, prepared })
        return (at % 2 === 0 ? paying : second).pay(wanted)
      })
    )
    assert.strictEqual(new Set(paid.map(({ transaction }) => transaction)).size, 4)
    assert.strictEqual(node.balance(usdc, crossmintPayee), 4n * 97_350_000n)
    assert.strictEqual(node.nonceOf(account.address), 4)
  })

  it("send what a dead process had signed, and nothing else", async () => {
    const filename = newFile()
    const dying = open(filename)
    const { node, paying } = startTreasury({ journal: dying.payments })
    server.use(node.handler())
    node.disturbances.push({ method: "eth_sendRawTransaction", what: "refused" })
    await rejectionOf(paying.pay(payment()))
    await dying.close()
    assert.strictEqual(node.balance(usdc, crossmintPayee), 0n)
    const { paying: next } = startTreasury({ node, journal: open(filename).payments })
    assert.strictEqual((await next.find("order-1")).status, "pending")
    await next.pay(payment({ reference: "cm-2" }))
    assert.strictEqual((await next.find("order-1")).status, "paid")
    assert.deepStrictEqual(
      [node.balance(usdc, crossmintPayee), node.nonceOf(account.address)],
      [97_350_000n, 1]
    )
  })
})

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
    assert.isUndefined(await shop.find("order-2"))
    await place(id, {}, shop)
    assert.deepStrictEqual(upstream.goods, [id])
  })
})
