import { expect, it } from "vitest"
import { fakeMarketplace } from "../../../../testing/src/index.ts"
import { openTill, search } from "../../toll/openTill.ts"

it("a response that lacks a marketplace names it, and so does its replay", async () => {
  const down = fakeMarketplace()
  down.search.failsOnceWith(new Error("reset by peer"))
  const up = fakeMarketplace()
  const shop = await openTill({ marketplaces: { marketplace_a: up, marketplace_b: down } })
  const payment = await shop.payFor(search)
  for (let time = 0; time < 2; time++) {
    const response = await shop.present(search, payment)
    expect(response.status).toBe(200)
    expect(response.headers.get("x-missing-marketplaces")).toBe("marketplace_b")
    expect(response.headers.get("access-control-expose-headers")).toContain("x-missing-marketplaces")
  }
  const whole = await shop.present(search, await shop.payFor(search))
  expect(whole.headers.get("x-missing-marketplaces")).toBeNull()
})
