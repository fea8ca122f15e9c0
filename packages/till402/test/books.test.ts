import { existsSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { email } from "../../core/test/toll/openTill.ts"
import { keepThreads } from "../../core/test/stores/sqlite/keptThreads.ts"
import { controls, hostile, soldOut } from "./shopWorld.ts"
import { till402 } from "./world.ts"

keepThreads()

const lists = [
  ["orders", "list"],
  ["charges", "list"],
  ["refunds", "due"],
  ["purchases", "list"],
  ["ledger", "list"]
]

/** Lines above 80 columns that have more than a label and one key or hash. */
const longLines = (text: string): ReadonlyArray<string> =>
  text.split("\n").filter((line) => line.length > 80 && line.slice(11).includes(" "))

const readJson = (text: string): ReadonlyArray<Record<string, unknown>> => JSON.parse(text)

describe("lists", () => {
  it("show at 80 columns and as JSON what a till has sold", async () => {
    const { operate, order } = await soldOut()
    const counts = { orders: 1, charges: 3, refunds: 0, purchases: 1, ledger: 3 }
    for (const list of lists) {
      const [text, data] = [await operate(list), await operate([...list, "--json"])]
      expect([text.code, data.code], text.noted).toEqual([0, 0])
      expect(longLines(text.printed)).toEqual([])
      expect(text.printed).not.toMatch(controls)
      expect(readJson(data.printed)).toHaveLength(counts[list[0] as keyof typeof counts])
    }
    expect((await operate(["orders", "list"])).printed).toMatch(
      new RegExp(`${order.id} Placed +\\$26\\.64$`, "m")
    )
    expect((await operate(["refunds", "due"])).noted).toBe("no refund that is due")
    expect((await operate(["refunds", "status"])).printed).toBe("Refunds aren't stopped.")
  })

  it.each([
    [["orders", "list"], "id"],
    [["charges", "list"], "key"],
    [["purchases", "list"], "id"],
    [["ledger", "list"], "chargeKey"]
  ])("page by page, %j is the whole", async (list, name) => {
    const { operate } = await soldOut()
    const idsOf = (text: string) => readJson(text).map((record) => record[name])
    const all = idsOf((await operate([...list, "--json"])).printed)
    const paged: Array<unknown> = []
    let before: ReadonlyArray<string> = []
    for (;;) {
      const { noted, printed } = await operate([...list, "--json", "--limit", "1", ...before])
      paged.push(...idsOf(printed))
      const cursor = /^older: --before '(.+)'$/.exec(noted)?.[1]
      if (cursor === undefined || paged.length > all.length) break
      before = ["--before", cursor]
    }
    expect(paged).toEqual(all)
  })

  it("filter as the console does", async () => {
    const { operate, order } = await soldOut()
    const countOf = async (...args: ReadonlyArray<string>) =>
      readJson((await operate([...args, "--json"])).printed).length
    const [charge] = readJson((await operate(["charges", "list", "--json"])).printed)
    const payer = String(charge!["payer"])
    const transaction = String(charge!["transaction"])
    expect(await countOf("orders", "list", "--email", email.toUpperCase())).toBe(1)
    expect(await countOf("orders", "list", "--email", "other@mail.example")).toBe(0)
    expect(await countOf("orders", "list", "--status", "placed", "--item", "B000000001")).toBe(1)
    expect(await countOf("orders", "list", "--status", "refunded")).toBe(0)
    expect(await countOf("orders", "list", "--payer", payer)).toBe(1)
    expect(await countOf("charges", "list", "--payer", payer.toLowerCase())).toBe(3)
    expect(await countOf("charges", "list", "--transaction", transaction)).toBe(1)
    expect(await countOf("charges", "list", "--state", "voided")).toBe(0)
    expect(await countOf("purchases", "list", "--item", "launch-plan", "--payer", payer)).toBe(1)
    const today = new Date(order.createdAtMillis).toISOString().slice(0, 10)
    expect(await countOf("ledger", "list", "--from", today)).toBe(3)
    expect(await countOf("ledger", "list", "--day", "2020-02-29")).toBe(0)
    expect(await countOf("ledger", "totals", "--from", today, "--to", "2100-01-01")).toBe(3)
  })
})

describe("records", () => {
  it("of others' words move no cursor, as text and as JSON", async () => {
    const { operate, order, sql } = await soldOut()
    await sql("UPDATE till_orders SET personal = json_set(personal, '$.email', ?)", hostile)
    await sql("UPDATE till_orders SET document = json_set(document, '$.offer.product.title', ?)", hostile)
    for (const args of [["list"], ["show", order.id], ["list", "--json"], ["show", order.id, "--json"]]) {
      const { code, noted, printed } = await operate(["orders", ...args])
      expect([code, noted]).toEqual([0, ""])
      expect(printed).toContain("bag")
      expect(printed).not.toMatch(controls)
      expect(printed).not.toContain("\u001b")
    }
    const shown = JSON.parse((await operate(["orders", "show", order.id, "--json"])).printed)
    expect([shown.email, shown.offer.product.title]).toEqual([hostile, hostile])
    expect(shown.timeline.at(-1)).toEqual({ status: shown.status, atMillis: shown.updatedAtMillis })
  })

  it("are shown by their ids", async () => {
    const { operate, order } = await soldOut()
    const [purchase] = readJson((await operate(["purchases", "list", "--json"])).printed)
    for (const [what, id] of [
      ["orders", order.id],
      ["charges", order.chargeKey],
      ["purchases", String(purchase!["id"])]
    ]) {
      const { code, printed } = await operate([what!, "show", id!])
      expect([code, longLines(printed)]).toEqual([0, []])
      expect(printed).toContain(id)
      if (what !== "purchases") expect(printed).toMatch(/^settled +20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m)
      if (what === "orders")
        expect(printed.match(/^.{10} 20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC .+$/gm)).toEqual([
          expect.stringMatching(/^timeline .*Awaiting payment$/),
          expect.stringMatching(/^ .*Processing$/),
          expect.stringMatching(/^ .*Placing$/),
          expect.stringMatching(/^ .*Placed$/)
        ])
      expect(await operate([what!, "show", "none"])).toMatchObject({
        code: 1,
        printed: "",
        noted: expect.stringMatching(/^there is no \w+ none$/)
      })
    }
  })
})

describe("the ledger", () => {
  it("is checked, and one that disagrees is exit code 1", async () => {
    const { operate, sql } = await soldOut()
    expect(await operate(["ledger", "check"])).toMatchObject({
      code: 0,
      printed: expect.stringContaining("agree.")
    })
    await sql("UPDATE till_charges SET receipt = NULL WHERE operation = 'track'")
    const { code, printed } = await operate(["ledger", "check"])
    expect([code, printed.split("\n")[0]]).toEqual([1, "Charges and ledger disagree:"])
    const audit = JSON.parse((await operate(["ledger", "check", "--json"])).printed)
    expect(audit).toMatchObject({ isBalanced: false, faults: [{ chargeKey: expect.any(String) }, {}] })
  })

  it("and orders are exported", async () => {
    const { operate } = await soldOut()
    const csv = await operate(["ledger", "export"])
    expect([csv.code, csv.exported.trim().split("\r\n")]).toEqual([0, expect.objectContaining({ length: 4 })])
    expect(JSON.parse((await operate(["ledger", "export", "--format", "json"])).exported)).toHaveLength(3)
    const [order] = JSON.parse((await operate(["orders", "export", "--format", "json"])).exported)
    expect(JSON.stringify(order)).not.toContain(email)
    expect((await operate(["orders", "export", "--personal"])).exported).toContain(email)
  })
})

describe("a wrong command line", () => {
  it.each([
    [["orders", "list", "--status", "nope"], "--status"],
    [["charges", "list", "--limit", "0"], "--limit must be 1 to 1000"],
    [["ledger", "list", "--day", "2026-02-30"], "--day must be a day"],
    [["ledger", "list", "--day", "2026-02-01", "--to", "2026-02-02"], "either --day"],
    [["ledger", "list", "--before", "x"], "--before must be"],
    [["ledger", "check", "--chain"], "--config MODULE"],
    [["orders", "cancel", "x", "--yes"], "--config MODULE"]
  ])("%j is exit code 2, without a stack trace", async (args, fault) => {
    const { operate } = await soldOut()
    const { code, noted, printed } = await operate(args)
    expect([code, printed]).toEqual([2, ""])
    expect(noted).toContain(fault)
    expect(noted).not.toMatch(/^ +at /m)
  })

  it("with no database is exit code 2; with one that isn't there 1, and none is made", async () => {
    expect(await till402(["orders", "list"])).toMatchObject({
      code: 2,
      noted: expect.stringContaining("TILL_DATABASE")
    })
    const file = "/nowhere/till.sqlite"
    expect(await till402(["charges", "list", "--database", file])).toMatchObject({
      code: 1,
      noted: expect.stringContaining("doesn't exist")
    })
    expect(existsSync(file)).toBe(false)
  })
})
