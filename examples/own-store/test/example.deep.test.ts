import { describe, expect, it } from "vitest"
import { runExample, start } from "../../express/test/exampleProcess.ts"
import {
  baseUrl,
  booksOf,
  buyer,
  chain,
  environment,
  type Found,
  main,
  paying,
  payTo,
  post,
  postgres,
  type Purchase,
  reading,
  sandbox,
  searchPrice,
  type Shelf,
  shippingAddress,
  useExample
} from "./runningStore.ts"

/*
 * Runs the example as its reader would, and pays it on a real (local) chain.
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

  it("sells a product and a vault item, and records both in its tables", async () => {
    const database = await postgres.createDatabase()
    const { stop, url } = await start(main, { ...environment, DATABASE_URL: database })
    await chain.mint(buyer().address, 1_000_000_000n)
    const before = await chain.balanceOf(payTo())
    const { pay } = paying()
    const paid = async <A>(path: string, body?: object): Promise<A> => {
      const response = await pay(`${url}/x402/${path}`, body === undefined ? {} : post(body))
      expect(response.status, path).toBe(200)
      return (await (response.headers.get("content-type") === "application/zip"
        ? response.arrayBuffer()
        : response.json())) as A
    }

    const [product] = (await paid<Found>("search?q=headphones")).products
    const { orderId } = await paid<{ readonly orderId: string }>("buy", {
      asin: product!.asin,
      email: "ada@example.com",
      shippingAddress
    })
    const [item] = (await paid<Shelf>("vault/search?limit=1")).items
    const { downloadToken, purchaseId } = await paid<Purchase>("vault/buy", {
      slug: item!.slug,
      walletAddress: "So11111111111111111111111111111111111111112",
      email: "ada@example.com"
    })
    const archive = await paid<ArrayBuffer>(`vault/download/${purchaseId}?downloadToken=${downloadToken}`)
    expect(archive.byteLength).toBeGreaterThan(0)

    await reading(database, async (sql) => {
      await expect
        .poll(() => sql`SELECT status FROM till.orders WHERE id = ${orderId}`)
        .toMatchObject([{ status: "placed" }])
      expect(await sql`SELECT consumed_by FROM till.quotes`).toMatchObject([
        { consumedBy: expect.any(String) }
      ])
      expect(await sql`SELECT id, status FROM till.vault_purchases`).toMatchObject([
        { id: purchaseId, status: "granted" }
      ])
      expect(await sql`SELECT downloads FROM till.vault_items WHERE slug = ${item!.slug}`).toMatchObject([
        { downloads: item!.downloads + 1 }
      ])
    })
    const books = await booksOf(database)
    expect(books.map(({ operation }) => operation)).toHaveLength(5)
    const booked = books.reduce((sum, { amountAtomic }) => sum + BigInt(amountAtomic as string), 0n)
    expect(await chain.balanceOf(payTo())).toBe(before + booked)
    expect(await stop()).toBe(0)
  })

  it("charges a payment once, however often two processes receive it, and after a restart", async () => {
    const database = await postgres.createDatabase()
    const env = { ...environment, DATABASE_URL: database }
    const [first, second] = await Promise.all([start(main, env), start(main, env)])
    await chain.mint(buyer().address, 1_000_000n)
    const before = await chain.balanceOf(buyer().address)

    const { header, pay } = paying()
    const paid = await (await pay(`${first.url}/x402/search?q=headphones`)).text()
    const again = async (url: string) => {
      const response = await fetch(`${url}/x402/search?q=headphones`, {
        headers: { "PAYMENT-SIGNATURE": header() }
      })
      return [response.status, await response.text()]
    }
    const copies = await Promise.all(
      Array.from({ length: 20 }, (_, copy) => again(copy % 2 === 0 ? first.url : second.url))
    )
    expect(copies).toEqual(copies.map(() => [200, paid]))
    expect(await Promise.all([first.stop("SIGINT"), second.stop()])).toEqual([0, 0])

    const restarted = await start(main, env)
    expect(await again(restarted.url)).toEqual([200, paid])
    expect(await restarted.stop()).toBe(0)
    expect(await chain.balanceOf(buyer().address)).toBe(before - searchPrice)
    expect(await booksOf(database)).toHaveLength(1)
  })
})
