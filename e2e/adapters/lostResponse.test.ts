import { memory, Till } from "@till402/core"
import { fakeFacilitator, fakeFulfilment, fakeMailer } from "@till402/testing"
import { expect, it, onTestFinished } from "vitest"
import { loseResponse, payFor, signIn } from "./buyer.ts"
import { type Received, send } from "./client.ts"
import { expressHosts } from "./express.ts"
import { serve } from "./hosts.ts"

/*
 * A buyer whose connection breaks after the payment was sent, over real sockets.
 */

const shippingAddress = {
  name: "Ada Lovelace",
  line1: "1 Analytical Way",
  city: "Newark",
  state: "NJ",
  postalCode: "07102",
  country: "US"
}
const body = JSON.stringify({ asin: "B000000001", email: "ada@example.com", shippingAddress })
/** The same order, as a client writes it that has only its memory of it. */
const reworded = JSON.stringify({
  productUrl: "https://www.amazon.com/dp/b000000001/ref=x?th=1",
  email: "Ada@Example.com",
  shippingAddress: {
    ...shippingAddress,
    name: "ada  lovelace ",
    state: "New Jersey",
    line2: "",
    phone: "+1 201 555 0100"
  }
})

const openShop = async () => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator,
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: memory(),
    fulfilment: fakeFulfilment(),
    mailer: fakeMailer(),
    onEvent: () => undefined
  })
  onTestFinished(() => till.dispose())
  await till.ready
  const port = await serve(expressHosts.atRoot(till, () => undefined))
  const headers = { "content-type": "application/json" }
  const buy = (payment?: string, sent = body): Promise<Received> =>
    send(port, "/x402/buy", {
      method: "POST",
      headers: payment === undefined ? headers : { ...headers, "payment-signature": payment },
      body: sent
    })
  return { till, facilitator, port, buy }
}

it("a lost response buys once: the same payment, a new one, and the wallet all lead to the one order", async () => {
  const shop = await openShop()
  const { buy, facilitator, port, till } = shop
  const payment = await payFor(await buy())
  await loseResponse(shop, "/x402/buy", body, payment)

  const again = await buy(payment)
  expect([again.status, JSON.parse(again.text)]).toMatchObject([200, { status: "processing" }])
  expect((await buy(payment)).bytes).toEqual(again.bytes)
  const { orderId } = JSON.parse(again.text)

  // A client that has lost its payment asks again, perhaps in other words, and pays anew.
  const status = `https://shop.example/x402-status/orders/${orderId}`
  expect(again.headers["link"]).toBe(`<${status}>; rel="status"`)
  for (const retry of [body, reworded]) {
    const refused = await buy(await payFor(await buy(undefined, retry)), retry)
    const { code, details, message } = JSON.parse(refused.text)
    expect([refused.status, code, details], refused.text).toEqual([409, "DUPLICATE_ORDER", { status }])
    expect(message).toMatch(/not charged\. Send the first payment again, with its body/)
  }

  const page = await signIn(port, new URL(status).pathname)
  expect(page.status, page.text).toBe(200)
  expect(JSON.parse(page.text)).toMatchObject({ orderId, response: { body: JSON.parse(again.text) } })
  const token = { "status-token": String(again.headers["status-token"]) }
  const states = await send(port, new URL(status).pathname, { headers: token })
  expect(JSON.parse(states.text)).toMatchObject({ orderId, refund: null })
  expect(states.text).not.toContain("ada@example.com")

  expect(facilitator.settled).toHaveLength(1)
  expect(await till.orders.list()).toHaveLength(1)
})
