import { readFileSync } from "node:fs"
import { resend } from "@till402/providers/mail/resend"
import { http, HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { context as mailContext, from, mail } from "../mail/mails.ts"
import { intentFixture, productDocument as ryeProduct } from "../rye/fakeRye.ts"
import { rejectionOf } from "../rejectionOf.ts"
import { context as ryeContext, request as ryeRequest, startShop as startRye } from "../rye/shop.ts"
import { orderId, request as zincRequest, startShop as startZinc } from "../zinc/shop.ts"
import { contractOf } from "./contract.ts"

/*
 * Our requests and fixtures against the upstreams' own descriptions. See docs/upstreams/evidence.md for what each proves.
 */

const server = interceptRequests()

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
