import { describe, expect, it } from "vitest"
import { start } from "../../express/test/exampleProcess.ts"
import {
  booksOf,
  buyer,
  chain,
  environment,
  main,
  paying,
  postgres,
  searchPrice,
  useExample
} from "./runningStore.ts"

/*
 * Runs the example as its reader would, and pays it on a real (local) chain. example.deep.test.ts has the rest.
 */

useExample()

describe("The example of an own store", { timeout: 180_000 }, () => {
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
