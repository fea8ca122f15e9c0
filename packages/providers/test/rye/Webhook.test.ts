import { createHmac } from "node:crypto"
import { type FulfilmentUpdate, rye } from "@till402/providers/rye"
import { HttpResponse } from "msw"
import { assert, describe, it } from "vitest"
import { interceptRequests } from "../interceptRequests.ts"
import { startShop, webhookSecret } from "./shop.ts"

const server = interceptRequests()

const start = (change: Parameters<typeof startShop>[1] = {}) => {
  const updates: Array<FulfilmentUpdate> = []
  return {
    updates,
    ...startShop(server, {
      onUpdate: (update) => void updates.push(update),
      ...change
    })
  }
}

const sign = (body: string | Uint8Array, secret = webhookSecret) =>
  `v0=${createHmac("sha256", secret).update(body).digest("hex")}`

const event = (type: string, source: object, more: object = {}) =>
  JSON.stringify({
    id: "evt_1",
    object: "event",
    createdAt: "2026-11-20T10:00:00.000Z",
    source,
    type,
    ...more
  })

const post = (body: string | Uint8Array<ArrayBuffer>, signature: string | null = sign(body)) =>
  new Request("https://till.example/webhooks/rye", {
    method: "POST",
    body,
    headers: signature === null ? {} : { "x-rye-signature": signature }
  })

const intent = { id: "ci_3f6c1e0a9b2d4c58", type: "checkout_intent" }

describe("a webhook", () => {
  it.each([
    ["checkout_intent.completed"],
    ["checkout_intent.order_failed"],
    ["checkout_intent.offer_retrieved"],
    ["checkout_intent.of_tomorrow"]
  ])("about an intent is passed on: %s", async (type) => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(event(type, intent, { new: 1 })))).status, 200)
    assert.deepStrictEqual(updates, [{ reference: intent.id, event: type }])
  })

  it("about a shipment is passed on for its intent", async () => {
    const { shop, updates, upstream } = start()
    const body = event("shipment.updated", { id: "shp_1", type: "shipment" })
    assert.strictEqual((await shop.webhook(post(body))).status, 200)
    assert.deepStrictEqual(updates, [{ reference: "ci_3f6c1e0a9b2d4c58", event: "shipment.updated" }])
    assert.strictEqual(upstream.count(/^GET \/shipments\/shp_1$/), 1)
    const known = event(
      "shipment.created",
      { id: "shp_2", type: "shipment" },
      { data: { checkoutIntentId: "ci_2" } }
    )
    assert.strictEqual((await shop.webhook(post(known))).status, 200)
    assert.strictEqual(updates[1]!.reference, "ci_2")
    assert.strictEqual(upstream.received.length, 1)
  })

  it.each([
    [503, 503],
    [404, 502]
  ])("about a shipment is requested again if Rye responds with %i", async (status, response) => {
    const { shop, updates, upstream } = start()
    upstream.next(/^GET \/shipments/, () => HttpResponse.json({}, { status }))
    const body = event("shipment.updated", { id: "shp_1", type: "shipment" })
    assert.strictEqual((await shop.webhook(post(body))).status, response)
    assert.deepStrictEqual(updates, [])
  })

  it("about a product is taken and left", async () => {
    const { shop, updates } = start()
    const body = event("product.updated", { id: "p_1", type: "product" }, { data: { name: "x" } })
    assert.strictEqual((await shop.webhook(post(body))).status, 200)
    assert.deepStrictEqual(updates, [])
  })

  it("that verifies the endpoint gets a response", async () => {
    const { shop, updates } = start()
    const body = event("webhook_endpoint.verification_challenge", { id: "we_1", type: "webhook_endpoint" })
    const response = await shop.webhook(post(body))
    assert.strictEqual(response.status, 200)
    assert.deepStrictEqual(await response.json(), { challenge: "we_1" })
    assert.deepStrictEqual(updates, [])
  })

  it("is requested again if the host fails, and accepted without a listener", async () => {
    const body = event("checkout_intent.completed", intent)
    for (const onUpdate of [
      () => {
        throw new Error("no")
      },
      async () => Promise.reject(new Error("no"))
    ]) {
      assert.strictEqual((await start({ onUpdate }).shop.webhook(post(body))).status, 500)
    }
    const { open } = startShop(server)
    assert.strictEqual((await open().webhook(post(body))).status, 200)
  })

  const whole = event("checkout_intent.completed", intent)
  it.each<[string, string | null]>([
    ["no signature", null],
    ["another secret's", sign(whole, "other")],
    ["another body's", sign(`${whole} `)],
    ["another version's", sign(whole).replace("v0", "v1")],
    ["a bare digest", sign(whole).slice(3)],
    ["one that was cut short", sign(whole).slice(0, -1)],
    ["one with more behind it", `${sign(whole)}0`],
    ["nothing behind the version", "v0="],
    ["one digit that differs", sign(whole).replace(/.$/, (digit) => (digit === "0" ? "1" : "0"))]
  ])("with %s is refused", async (_what, signature) => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(whole, signature))).status, 401)
    assert.deepStrictEqual(updates, [])
  })

  it("is signed over its bytes, and hex may be in capitals", async () => {
    const { shop, updates } = start()
    const odd = `${whole.replace("evt_1", "évt ☂")}\n `
    assert.strictEqual((await shop.webhook(post(odd, sign(odd).toUpperCase()))).status, 200)
    assert.strictEqual(updates.length, 1)
  })

  it.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ["no JSON", "<html>"],
    ["nothing", ""],
    ["half a document", whole.slice(0, 50)],
    ["no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["no type", event("", intent)],
    ["no source", JSON.stringify({ type: "checkout_intent.completed" })],
    ["an id that is a path", event("checkout_intent.completed", { ...intent, id: "../x" })],
    ["a list", "[]"],
    ["null", "null"]
  ])("with %s in it is refused", async (_what, body) => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(body))).status, 400)
    assert.deepStrictEqual(updates, [])
  })

  it("is refused if it is too large, whatever its announced length", async () => {
    const { shop } = start()
    const large = "x".repeat(256 * 1024 + 1)
    assert.strictEqual((await shop.webhook(post(large))).status, 413)
    const stream = new Request("https://till.example/", {
      method: "POST",
      body: new Blob([large]).stream(),
      duplex: "half"
    } as RequestInit)
    assert.strictEqual((await shop.webhook(stream)).status, 413)
  })

  it("is refused if it is incomplete", async () => {
    const { shop } = start()
    const body = new ReadableStream({
      pull: (controller) => controller.error(new Error("reset"))
    })
    const broken = new Request("https://till.example/", {
      method: "POST",
      body,
      duplex: "half"
    } as RequestInit)
    assert.strictEqual((await shop.webhook(broken)).status, 400)
  })

  it("has to be posted, and needs a secret", async () => {
    const { open, shop } = start()
    const got = await shop.webhook(new Request("https://till.example/"))
    assert.strictEqual(got.status, 405)
    assert.strictEqual(got.headers.get("allow"), "POST")
    assert.strictEqual((await rye({ apiKey: "k" }).webhook(post(whole))).status, 404)
    assert.strictEqual((await open({ webhookSecret: "other" }).webhook(post(whole))).status, 401)
  })
})
