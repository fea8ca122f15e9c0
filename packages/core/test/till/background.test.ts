import { expect, it } from "vitest"
import { buy, openTill, vaultBuy } from "../toll/openTill.ts"

it("background work ends before the till closes: orders placed, mails sent", async () => {
  const shop = await openTill()
  shop.fulfilment.place.delays(100)
  shop.mailer.send.delays(100)
  for (const call of [buy, vaultBuy, vaultBuy])
    expect((await shop.presentAgain(call, await shop.payFor(call))).status).toBe(200)
  await shop.till.dispose()
  expect(shop.fulfilment.orders.size).toBe(1)
  expect(shop.mailer.sent).toHaveLength(3)
})
