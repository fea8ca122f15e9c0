import { readFileSync } from "node:fs"
import { resend } from "@till402/providers/mail/resend"
import { memoryPlacementJournal } from "@till402/providers/rye"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { request as crossmintRequest } from "../crossmint/shop.ts"
import { start as startCrossmint, server as crossmintServer } from "../crossmint/payments.ts"
import { interceptRequests } from "../interceptRequests.ts"
import { context as mailContext, from, mail } from "../mail/mails.ts"
import { intentFixture, productDocument as ryeProduct } from "../rye/fakeRye.ts"
import { FakeNode } from "../treasury/fakeNode.ts"
import { account, rejectionOf, startTreasury } from "../treasury/treasuries.ts"
import { context as ryeContext, request as ryeRequest, startShop as startRye } from "../rye/shop.ts"
import { orderId, request as zincRequest, startShop as startZinc } from "../zinc/shop.ts"
import { contractOf } from "./contract.ts"

/*
 * Our requests and fixtures against the upstreams' own descriptions. See docs/upstreams.md for what each proves.
 */

const server = interceptRequests(crossmintServer)

const usdcOnBase = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

const queryOf = (path: string): URLSearchParams => new URLSearchParams(path.split("?")[1])

const fixture = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${path}`, import.meta.url), "utf8"))

describe("Rye", () => {
  const contract = contractOf("rye")
  /** Names an operation by its path: ids become `{id}`. */
  const operationOf = (method: string, path: string): string =>
    `${method} ${path.replace(/\?.*/, "").replace(/\/(ci_|shp_|ord_)\w+/, "/{id}")}`

  it.each(["1-retrieving", "2-awaiting", "3-placing", "4-completed", "5-failed"] as const)(
    "describes the fixture of the intent %s",
    (name) => {
      assert.deepStrictEqual(contract.responseFaults("GET /checkout-intents/{id}", intentFixture(name)), [])
    }
  )

  it("describes the other fixtures", () => {
    const shipments = fixture("rye/fixtures/rye-shipments.json")
    assert.deepStrictEqual(contract.responseFaults("GET /checkout-intents/{id}/shipments", shipments), [])
    assert.deepStrictEqual(contract.responseFaults("GET /products/lookup", ryeProduct), [])
  })

  it("describes every request of an order, and the balance that is read", async () => {
    const { place, quote, shop, upstream } = startRye(server, { offerRetrievalEffort: "low" })
    const { reference } = await quote({
      shippingAddress: { ...ryeRequest.shippingAddress, line2: "Flat 2" }
    })
    await place(reference)
    await shop.status(reference, ryeContext)
    const posted = upstream.received.filter(({ method }) => method === "POST")
    assert.strictEqual(posted.length, 2)
    for (const { body, method, path } of posted) {
      assert.deepStrictEqual(contract.requestFaults(operationOf(method, path), body), [])
    }
    // The shipments of a completed intent, on two pages.
    Object.assign(upstream.intents.get(reference)!, intentFixture("4-completed"), { id: reference })
    upstream.shipments = (_id, query) => ({
      data: [],
      pageInfo: query.has("after") ? { hasNextPage: false } : { hasNextPage: true, endCursor: "c1" }
    })
    await shop.status(reference, ryeContext)
    for (const { method, path } of upstream.received) {
      const operation = operationOf(method, path)
      const faults = contract.responseFaults(operation, undefined)
      assert.notInclude(faults.join(), "no such operation")
      assert.deepStrictEqual(contract.queryFaults(operation, queryOf(path)), [])
    }
    const queried = upstream.received.flatMap(({ path }) => [...queryOf(path).keys()])
    assert.deepStrictEqual(new Set(queried), new Set(["url", "after"]))
    const balance = { balance: { amountSubunits: 1, currencyCode: "USD" }, drawdownEnabled: true }
    assert.deepStrictEqual(contract.responseFaults("GET /billing/balance", balance), [])
  })

  it("describes the confirmations that a treasury pays for", async () => {
    const node = new FakeNode(8_453)
    node.fund(usdcOnBase, account.address, 1_000_000_000n)
    const { paying } = startTreasury({ node, network: "base" })
    server.use(node.handler())
    const placements = memoryPlacementJournal()
    const { upstream, place } = startRye(server, { placements, treasury: paying })
    upstream.x402 = {
      demand: { recipient: "0x00000000000000000000000000000000000000d1", maxAmountRequired: "97.35" },
      isPaid: (transaction) => transaction !== ""
    }
    upstream.put({ ...intentFixture("2-awaiting"), id: "ci_1", createdAt: new Date().toISOString() })
    await place("ci_1")
    const confirmed = upstream.received.filter(({ method }) => method === "POST")
    assert.strictEqual(confirmed.length, 2)
    for (const { body } of confirmed) {
      assert.deepStrictEqual(contract.requestFaults("POST /checkout-intents/{id}/confirm", body), [])
    }
  })

  it("disagrees with a field that is invented, misspelled, missing or of another type", () => {
    const intent = { ...intentFixture("2-awaiting"), expiresAt: "2026-11-20T10:45:00.000Z" }
    assert.deepStrictEqual(contract.responseFaults("GET /checkout-intents/{id}", intent), [
      "response.expiresAt: no such field"
    ])
    const { buyer } = intentFixture("2-awaiting")
    const body = { buyer, productUrl: "https://www.amazon.com/dp/B0TEST0001", quantity: 1 }
    assert.deepStrictEqual(contract.requestFaults("POST /checkout-intents", body), [])
    const wrong = { ...body, quantity: "1", productURL: body.productUrl, productUrl: undefined }
    assert.deepStrictEqual(
      contract.requestFaults("POST /checkout-intents", JSON.parse(JSON.stringify(wrong))),
      [
        "request.productUrl: missing",
        "request.quantity: not of type integer",
        "request.productURL: no such field"
      ]
    )
    assert.deepStrictEqual(
      contract.requestFaults("POST /checkout-intents/{id}/confirm", {
        paymentMethod: { type: "x402", network: "base-sepolia" }
      }).length,
      1
    )
  })
})

describe("Zinc", () => {
  const contract = contractOf("zinc")

  it("describes the fixture of an order", () => {
    const placed = fixture("zinc/fixtures/zinc-order-placed.json")
    assert.deepStrictEqual(contract.responseFaults("GET /orders/{id}", placed), [])
  })

  it("describes every request of an order", async () => {
    const { place, quote, shop, upstream } = startZinc(server, {
      allowance: { taxBasisPoints: 1_000, shippingCents: 0 },
      retailerCredentialsId: "zn_acct_1"
    })
    const { reference } = await quote()
    await place({ reference, shippingAddress: { ...zincRequest.shippingAddress, line2: "Flat 2" } })
    // The list of orders, on two pages.
    for (const orders of [[{ id: "another" }], []]) {
      upstream.next(/^GET \/orders/, () => HttpResponse.json({ orders, total: 2 }))
    }
    await rejectionOf(shop.find(orderId))
    const { body } = upstream.received.find(({ method }) => method === "POST")!
    assert.deepStrictEqual(contract.requestFaults("POST /orders", body), [])
    const listed = upstream.received.slice(-2).map(({ path }) => queryOf(path))
    assert.deepStrictEqual(
      listed.map((query) => [...query.keys()]),
      [
        ["metadata_key", "metadata_value"],
        ["metadata_key", "metadata_value", "offset"]
      ]
    )
    for (const query of listed) assert.deepStrictEqual(contract.queryFaults("GET /orders", query), [])
    assert.deepStrictEqual(contract.queryFaults("GET /orders", new URLSearchParams("cursor=1")), ["cursor"])
  })

  it("describes what is read of the wallet", () => {
    const times = { created_at: "2026-11-20T10:00:00Z", updated_at: "2026-11-20T10:00:00Z" }
    const wallet = { id: "w1", user_id: 1, balance: 5_000, wallet_type: "purchases", ...times }
    const read = { spendable_balance: 4_000, order_fee_cents: 100, billed_by_invoice: false }
    assert.deepStrictEqual(contract.responseFaults("GET /wallet/me", { ...wallet, ...read }), [])
    assert.deepStrictEqual(contract.responseFaults("GET /wallet/me", { ...wallet, spendable: 1 }), [
      "response.spendable: no such field"
    ])
  })
})

describe("Crossmint", () => {
  const contract = contractOf("crossmint")
  const operationOf = (method: string, path: string): string =>
    `${method} ${path.replace(/^.*(?=\/orders)/, "").replace(/(?<=orders\/)[\w-]+/, "{id}")}`

  it.each([
    ["POST /orders", "crossmint-create-order.response"],
    ["POST /orders", "crossmint-order-unavailable"],
    ["GET /orders/{id}", "crossmint-order-delivery"],
    ["GET /orders/{id}", "crossmint-order-completed"],
    ["GET /orders/{id}/tracking", "crossmint-tracking"]
  ])("describes the fixture of %s: %s", (operation, name) => {
    const document = fixture(`crossmint/fixtures/${name}.json`)
    assert.deepStrictEqual(contract.responseFaults(operation, document), [])
  })

  it("describes every request of an order, and what is read of its payment", async () => {
    const { first, place, quote, upstream } = startCrossmint({ receiptEmail: "books@shop.example" })
    await place()
    await quote({ shippingAddress: { ...crossmintRequest.shippingAddress, line2: "Flat 2" } })
    const posted = upstream.received.filter(({ method }) => method === "POST")
    assert.deepStrictEqual(
      posted.map(({ method, path }) => operationOf(method, path)),
      ["POST /orders", "POST /orders/{id}/payment", "POST /orders"]
    )
    for (const { body, method, path } of posted) {
      assert.deepStrictEqual(contract.requestFaults(operationOf(method, path), body), [])
    }
    const received = { amount: "97.35", currency: "usdc", txId: "0xab", chain: "base-sepolia" }
    const paid = { ...first(), payment: { ...first().payment, received, refunded: received } }
    assert.deepStrictEqual(contract.responseFaults("GET /orders/{id}", paid), [])
    const misspelled = { ...paid, payment: { ...paid.payment, received: { ...received, txID: "0xab" } } }
    assert.deepStrictEqual(contract.responseFaults("GET /orders/{id}", misspelled), [
      "response.payment.received.txID: no such field"
    ])
  })
})

describe("Resend", () => {
  const contract = contractOf("resend")

  it("describes the request, and the responses that are read", async () => {
    const bodies: Array<unknown> = []
    server.use(
      http.post("https://api.resend.com/emails", async ({ request }) => {
        bodies.push(await request.json())
        return HttpResponse.json({ id: "1" })
      })
    )
    await resend({ apiKey: "re_1", from, replyTo: "help@shop.example" }).send(mail, mailContext)
    assert.deepStrictEqual(contract.requestFaults("POST /emails", bodies[0]), [])
    assert.deepStrictEqual(contract.requestFaults("POST /emails", { to: "a@b.example", replyTo: "" }), [
      "request.replyTo: no such field"
    ])
    for (const name of ["invalid_from_address", "invalid_idempotent_request", "rate_limit_exceeded"]) {
      const refusal = { statusCode: 422, name, message: "refused" }
      assert.deepStrictEqual(contract.responseFaults("POST /emails", refusal), [])
    }
    const unknown = { statusCode: 422, name: "invalid_sender", message: "refused" }
    assert.lengthOf(contract.responseFaults("POST /emails", unknown), 1)
  })
})
