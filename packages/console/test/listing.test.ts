import { describe, expect, it } from "vitest"
import type { ConsoleSource } from "../src/index.ts"
import { fakeTill, openConsole, settings } from "./openConsole.ts"

const rowsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/<tr>[\s\S]*?<\/tr>/g)].map(([row]) =>
    row
      .replaceAll("<wbr />", "")
      .replaceAll(/<[^>]*>|\s+/g, " ")
      .replaceAll(/ +/g, " ")
  )
const rowOf = (text: string, route: string): string => rowsOf(text).find((row) => row.includes(route)) ?? ""

describe("the listing", () => {
  it("shows each route as the documents have it, and what is wrong with it", async () => {
    const { calls, textOf } = openConsole()
    const text = await textOf("/ops/listing")
    expect(rowOf(text, "GET /x402/search")).toMatch(/\$0\.01.*Base Sepolia.*listing, offers, OpenAPI.*none/)
    expect(rowOf(text, "GET /files/{id}")).toMatch(/\$0\.02.*offers, OpenAPI.*it has no description/)
    expect(rowOf(text, "POST /shop")).toContain("payments on all of them are withdrawn")
    expect(text).toContain("v=x402-1")
    // A check that fails, and what else is wrong with a node.
    expect(text).toContain("Check rpcUrl")
    expect(calls.filter(([name]) => name === "fetch").map(([, request]) => request)).toEqual([
      "GET /api/openapi.json",
      "GET /api/.well-known/x402",
      "GET /api/.well-known/x402.json"
    ])
  })

  it("calls each route without a payment when an operator asks, once a minute for all", async () => {
    let nowMillis = Date.UTC(2026, 10, 29, 12)
    const { calls, get, textOf } = openConsole({ now: () => new Date(nowMillis) })
    const called = () => calls.filter(([, request]) => request === "GET /api/x402/search").length
    await get("/ops/listing?call=all", { "sec-fetch-site": "cross-site" })
    expect(called()).toBe(0)
    const [text] = await Promise.all(Array.from({ length: 5 }, () => textOf("/ops/listing?call=all")))
    expect(rowOf(text!, "GET /x402/search")).toMatch(/402\s+\$0\.01.*none/)
    expect(rowOf(text!, "GET /files/{id}")).toContain("its 402 names https://elsewhere.example/files/1")
    expect(rowOf(text!, "GET /files/{id}")).toContain("offers other networks or wallets")
    expect(rowOf(text!, "POST /shop")).toContain("it returned 400 instead of 402")
    expect(called()).toBe(1)
    nowMillis += 61_000
    await get("/ops/listing?call=all")
    expect(called()).toBe(2)
  })

  it("says so where no document is served", async () => {
    const { till } = fakeTill()
    const none = { openapi: undefined, listing: undefined, llms: undefined }
    const { textOf } = openConsole({
      till: { ...till, settings: async () => ({ ...settings, documents: none }) }
    })
    expect(await textOf("/ops/listing")).toContain("openapiPath and discoveryPath are off")
  })
})

describe("the configuration", () => {
  it("shows the options by groups, and networks, as the till's call returns them", async () => {
    const { calls, textOf } = openConsole()
    const text = await textOf("/ops/configuration")
    expect(text).toMatch(/Base Sepolia \(eip155:84532\)[\s\S]*node\.example/)
    expect(rowOf(text, "limits.unsettled")).toContain("1000")
    expect(text).toContain("<h2>limits</h2>")
    expect(rowOf(text, "responseLifetimeMillis")).toContain("86400000 ms (24 hours)")
    expect(rowOf(text, "limits.lossPerHour")).toContain("$20.00")
    expect(calls.map(([name]) => name)).toEqual(["settings"])
  })
})

describe("the console of books", () => {
  it("says on the pages of the till what it lacks", async () => {
    const { till } = fakeTill()
    const { charges, ledger, orders, refunds, vault } = till
    const books: ConsoleSource = { charges, ledger, orders, refunds, vault }
    const { textOf } = openConsole({ till: books })
    for (const page of ["listing", "health", "configuration"])
      expect(await textOf(`/ops/${page}`), page).toContain("This console reads the storage alone")
    expect(await textOf("/ops/listing?call=all")).toContain("This console reads the storage alone")
  })
})
