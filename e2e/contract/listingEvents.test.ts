import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { TillEvent } from "@till402/core"
import { expect, it, onTestFinished } from "vitest"
import { calls } from "./calls.ts"
import { account, pay } from "./payer.ts"
import { openShop } from "./till.ts"

/*
 * A facilitator's EXTENSION-RESPONSES says whether it lists the service: that is for the seller.
 */

/** A facilitator that accepts and settles every payment, and says something about the listing. */
const openFacilitator = async (extensions: object): Promise<string> => {
  let settled = 0
  const header = Buffer.from(JSON.stringify(extensions)).toString("base64")
  const server = createServer((request, response) => {
    request.resume()
    request.on("end", () => {
      response.setHeader("content-type", "application/json")
      response.setHeader("EXTENSION-RESPONSES", header)
      if (request.url === "/supported") {
        const network = "eip155:84532"
        return response.end(JSON.stringify({ kinds: [{ x402Version: 2, scheme: "exact", network }] }))
      }
      const payer = account.address
      if (request.url === "/verify") return response.end(JSON.stringify({ isValid: true, payer }))
      const transaction = `0x${(++settled).toString(16).padStart(64, "0")}`
      return response.end(JSON.stringify({ success: true, transaction, network: "eip155:84532", payer }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it.each([
  ["listing_accepted", { status: "success" }, undefined],
  ["listing_rejected", { status: "rejected", rejectedReason: "invalid schema" }, "invalid schema"]
])("%s is an event, once for each route, and no header for the buyer", async (code, bazaar, reason) => {
  const events: Array<TillEvent> = []
  const facilitator = { url: await openFacilitator({ bazaar }) }
  const shop = await openShop({ options: { facilitator, onEvent: (event) => events.push(event) } })
  for (const call of [calls.search, calls.search, calls.track]) {
    const { response } = await pay(shop, call)
    expect(response.status).toBe(200)
    expect([...response.headers.keys()].filter((name) => name.startsWith("extension"))).toEqual([])
  }
  const told = events.filter((event) => event.code.startsWith("listing_"))
  expect(told.map((event) => [event.code, event.reason])).toEqual([
    [code, reason],
    [code, reason]
  ])
  expect(told[0]!.message).toContain("https://shop.example/x402/search")
})
