import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, vi } from "vitest"
import { ConfigurationError } from "../../../src/domain/Errors.ts"
import { memory } from "../../../src/stores/memory.ts"
import { sqlite } from "../../../src/sqlite.ts"
import type { TillOptions } from "../../../src/till/settings/TillOptions.ts"
import { buy, jsonOf, openTill, search, vaultItem } from "../../toll/openTill.ts"
import { temporaryFiles } from "../../stores/sql/folder.ts"
import { payer } from "../../toll/wallet.ts"

const nextFile = temporaryFiles()

/** Calls a method as a host without type checks may. */
const callWith = (target: object, method: string, ...given: ReadonlyArray<unknown>): unknown =>
  Reflect.apply(Reflect.get(target, method), target, given)

const refusing = {
  quote: async () => ({
    product: { title: "Tote" },
    subtotal: "1.00",
    tax: "0",
    shipping: "0",
    total: "1.00",
    currency: "USD",
    reference: "q",
    expiresAt: new Date(Date.now() + 600_000)
  }),
  place: async () => {
    throw Object.assign(new Error("no"), { _tag: "PlacementRefused", reason: "sold_out" })
  },
  status: async () => undefined
}

const withRefundDue = async (storage: TillOptions["storage"] = memory()) => {
  const shop = await openTill({ storage, fulfilment: refusing })
  const received = await shop.present(buy, await shop.payFor(buy))
  expect(received.status, received.text).toBe(200)
  const id = String(jsonOf(received)["orderId"])
  await vi.waitFor(async () => expect((await shop.till.orders.find(id))?.status).toBe("refund_due"))
  return { ...shop, id }
}

describe("a call that the types rule out says what is wrong", () => {
  it.each<readonly [string, string, ReadonlyArray<unknown>, string]>([
    ["ledger", "totals", [], "from and to must be a valid Date"],
    ["ledger", "totals", [{ from: "2026-01-01", to: new Date() }], "from must be a valid Date"],
    ["ledger", "list", [{ from: "2026-01-01" }], "from must be a valid Date"],
    ["ledger", "check", [{ to: new Date("never") }], "to must be a valid Date"],
    ["ledger", "list", [{ before: "x" }], "before must be the last entry of the previous page"],
    ["charges", "list", [{ before: "zzz" }], "before must be the last charge of the previous page"],
    ["refunds", "due", [{ before: "zzz" }], "before must be the last refund of the previous page"],
    ["orders", "list", [{ status: "need_operator" }], 'status "need_operator": did you mean needs_operator?']
  ])("%s.%s(%j)", async (group, method, given, message) => {
    const { till } = await openTill()
    await expect(callWith(Reflect.get(till, group), method, ...given)).rejects.toThrow(message)
  })

  it.each(["orders", "ledger"])("%s.export of a format that doesn't exist", async (group) => {
    const { till } = await openTill()
    const pieces = callWith(Reflect.get(till, group), "export", { format: "xlsx" })
    await expect(callWith(Object(pieces), "next")).rejects.toThrow('format "xlsx": it is one of csv, json')
  })

  it.each([
    ["memory", () => memory()],
    ["SQLite", () => sqlite({ filename: ":memory:" })]
  ])("vault.put of an item without its fields, in %s", async (_, storage) => {
    const { till } = await openTill({ storage: storage() })
    await expect(callWith(till.vault, "put", { id: "1" })).rejects.toThrow(
      /^the item is not valid: slug: .*; title: /
    )
    await till.vault.put({ ...vaultItem, title: "Another title" })
  })

  it.each([["till.sqlite"], [{ file: "till.sqlite" }], [undefined]])("sqlite(%j)", async (given) => {
    const storage = callWith({ sqlite }, "sqlite", given)
    await expect(openTill(Object.fromEntries([["storage", storage]]))).rejects.toThrow(
      'sqlite takes { filename }: sqlite({ filename: "till.sqlite" })'
    )
  })
})

describe("a refund that is due", () => {
  it("is listed with its payer, amount and network, until it is recorded", async () => {
    const { id, till } = await withRefundDue()
    const [due, ...others] = await till.refunds.due()
    expect(others).toEqual([])
    const order = (await till.orders.find(id))!
    expect(due).toMatchObject({
      chargeKey: order.chargeKey,
      subject: { kind: "order", id },
      operation: "buy",
      network: "eip155:84532",
      payer: payer.address,
      amountAtomic: 1_000_000n,
      isStarted: false
    })
    await till.charges.recordRefund(order.chargeKey, `0x${"ab".repeat(32)}`)
    expect(await till.refunds.due()).toEqual([])
  })

  it("of a payer on Solana has the address as it is", async () => {
    const filename = nextFile()
    const { till } = await withRefundDue(sqlite({ filename }))
    const onSolana = "FzSvANi8kmhcAd9g9kN2pJ3xkRjqMcvzfzLHYj9Lp4Bd"
    const database = new DatabaseSync(filename, { timeout: 60_000 })
    database.prepare("UPDATE till_charges SET payer = ?").run(onSolana)
    database.close()
    expect(await till.refunds.due()).toMatchObject([{ payer: onSolana }])
  })

  it.each([
    ["paid by paypal", ["refund_without_transaction"]],
    [`0x${"ab".repeat(32)}`, []]
  ])("that is recorded as %j is reported: %j", async (transaction, codes) => {
    const { events, id, till } = await withRefundDue()
    expect(await till.orders.markRefunded(id, transaction)).toMatchObject({ outcome: "done" })
    expect(events.map(({ code }) => code).filter((code) => code.startsWith("refund"))).toEqual(codes)
  })
})

describe("a script without fulfilment", () => {
  it("can't change an order, and is told why; an unknown id is not found", async () => {
    const filename = nextFile()
    const { id } = await withRefundDue(sqlite({ filename }))
    const options = Object.fromEntries([
      ["storage", sqlite({ filename })],
      ["fulfilment", undefined]
    ])
    const { till } = await openTill(options)
    const { orders } = till
    const calls = [
      (order: string) => orders.cancel(order),
      (order: string) => orders.retry(order),
      (order: string) => orders.markRefunded(order, "0x1")
    ]
    for (const call of calls) {
      await expect(call("unknown")).resolves.toEqual({ outcome: "not_found" })
      await expect(call(id)).rejects.toThrow(ConfigurationError)
      await expect(call(id)).rejects.toThrow("this till has no fulfilment")
    }
    expect((await orders.find(id))?.status).toBe("refund_due")
    expect(await till.refunds.due()).toHaveLength(1)
  })
})

describe("the ledger as text", () => {
  it("has each entry with its payer, transaction and network, exact, newest first", async () => {
    const { payFor, present, till } = await openTill()
    await present(search, await payFor(search))
    const textOf = async (query: Parameters<typeof till.ledger.export>[0]) => {
      let text = ""
      for await (const piece of till.ledger.export(query)) text += piece
      return text
    }
    const [entry] = await till.ledger.list()
    const [header, line, ...rest] = (await textOf({ format: "csv" })).split("\r\n")
    expect(header).toBe(
      "at,kind,operation,amount,amountAtomic,network,asset,payer,payTo,transaction,transferLogIndex,chargeKey,round"
    )
    expect(line).toContain(`"settled","search","0.01","10000","eip155:84532"`)
    expect(line).toContain(`"${payer.address}"`)
    expect(line).toContain(`"${entry!.transaction}"`)
    expect(rest).toEqual([""])
    expect(JSON.parse(await textOf({ format: "json" }))).toMatchObject([
      { at: entry!.at.toISOString(), kind: "settled", amount: "0.01", transferLogIndex: null }
    ])
    const later = new Date(entry!.at.getTime() + 1)
    expect(await textOf({ format: "json", from: later })).toBe("[]\n")
    expect(JSON.parse(await textOf({ format: "json", from: entry!.at, to: later }))).toHaveLength(1)
  })
})
