import { describe, expect, it } from "vitest"
import { runExample, start } from "../../express/test/exampleProcess.ts"
import {
  baseUrl,
  booksOf,
  buyer,
  chain,
  environment,
  main,
  paying,
  payTo,
  sandbox,
  searchPrice,
  useExample
} from "./runningStore.ts"

/*
 * More of what the running example does.
 */

useExample()

describe("The example of an own store", { timeout: 180_000 }, () => {
  it("is paid, and records it in its own ledger", async () => {
    const { stop, url } = await start(main, environment)
    expect(await (await fetch(url)).text()).toContain("A shop of my own")
    expect(await (await fetch(`${url}/health`)).json()).toEqual({ ok: true })
    expect((await fetch(`${url}/x402/search?q=headphones`)).status).toBe(402)

    await chain.mint(buyer().address, 1_000_000n)
    const before = await chain.balanceOf(payTo())
    const paid = await paying().pay(`${url}/x402/search?q=headphones`)
    expect(paid.status).toBe(200)
    expect(await chain.balanceOf(payTo())).toBe(before + searchPrice)
    expect(await booksOf(environment["DATABASE_URL"]!)).toMatchObject([
      { kind: "settled", operation: "search", amountAtomic: String(searchPrice) }
    ])
    expect(await stop()).toBe(0)
  })

  it("names the missing variables", async () => {
    const { DATABASE_URL: _database, PAY_TO: _payTo, ...rest } = environment
    const { code, output } = await runExample(main, rest)
    expect(code).toBe(1)
    expect(output).toContain("Set these in the environment first: PAY_TO, DATABASE_URL.")
  })

  it("reports that its database can't be reached", async () => {
    const { code, output } = await runExample(main, {
      ...environment,
      DATABASE_URL: "postgres://postgres:password@127.0.0.1:1/none"
    })
    expect(code).toBe(1)
    expect(output).toMatch(/The till could not start: .*ECONNREFUSED/)
    expect(output).not.toContain("password")
  })

  it("runs with one command on its own chain, facilitator and database", async () => {
    const { stop, url } = await start(sandbox, { PORT: "0", BASE_URL: baseUrl })
    expect((await fetch(`${url}/x402/search`)).status).toBe(402)
    expect(await stop()).toBe(0)
  })
})
