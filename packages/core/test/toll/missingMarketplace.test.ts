import { expect, it } from "vitest"
import { fakeMarketplace } from "../../src/testing/index.ts"
import { openTill, search } from "./openTill.ts"

it("an answer from which a marketplace is missing names it, and so does its repeat", async () => {
  const down = fakeMarketplace()
  down.search.failsOnceWith(new Error("reset by peer"))
  const up = fakeMarketplace()
  const shop = await openTill({ marketplaces: { marketplace_a: up, marketplace_b: down } })
  const payment = await shop.payFor(search)
  for (let time = 0; time < 2; time++) {
    const answer = await shop.present(search, payment)
    expect(answer.status).toBe(200)
    expect(answer.headers.get("x-missing-marketplaces")).toBe("marketplace_b")
    expect(answer.headers.get("access-control-expose-headers")).toContain("X-Missing-Marketplaces")
  }
  const whole = await shop.present(search, await shop.payFor(search))
  expect(whole.headers.get("x-missing-marketplaces")).toBeNull()
})
