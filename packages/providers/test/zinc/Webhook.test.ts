import { createHmac } from "node:crypto"
import type { FulfilmentUpdate } from "@till402/providers/zinc"
import { assert, describe, it } from "vitest"
import { startShop, webhookSecret } from "./shop.ts"

const start = (change: Parameters<typeof startShop>[1] = {}) => {
  const updates: Array<FulfilmentUpdate> = []
  const { open } = startShop(
    { use: () => {} },
    { onUpdate: (update) => void updates.push(update), ...change }
  )
  return { updates, shop: open() }
}

const sign = (body: string, secret = webhookSecret) => createHmac("sha256", secret).update(body).digest("hex")
const post = (body: string, signature = sign(body)) =>
  new Request("https://till.example/webhooks/zinc", {
    method: "POST",
    body,
    headers: { "x-webhook-signature": signature, "x-webhook-event": "order.placed" }
  })

const order_id = "550e8400-e29b-41d4-a716-446655440000"
const event = (name: unknown, more: object = {}) =>
  JSON.stringify({
    event: name,
    order_id,
    status: "order_placed",
    timestamp: "2026-11-20T10:00:00Z",
    data: {},
    ...more
  })

describe("a webhook", () => {
  it.each([
    ["order.started"],
    ["order.placed"],
    ["order.failed"],
    ["order.tracking_received"],
    ["order.delivered"],
    ["order.cancelled"],
    ["order.of_tomorrow"]
  ])("about an order is passed on: %s", async (name) => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(event(name)))).status, 200)
    assert.deepStrictEqual(updates, [{ reference: order_id, event: name }])
  })

  it("about a return is taken and left", async () => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(event("return.created", { return_id: "r" })))).status, 200)
    assert.deepStrictEqual(updates, [])
  })

  it.each<[string, string, number]>([
    ["no signature", "", 401],
    ["another secret's", sign(event("order.placed"), "other"), 401],
    ["another body's", sign("{}"), 401],
    ["one that was cut short", sign(event("order.placed")).slice(1), 401]
  ])("with %s is refused", async (_what, signature, status) => {
    const { shop, updates } = start()
    assert.strictEqual((await shop.webhook(post(event("order.placed"), signature))).status, status)
    assert.deepStrictEqual(updates, [])
  })

  it.each([["<html>"], ["[]"], [event(7)], [event("")], [event("order.placed", { order_id: "../x" })]])(
    "that contains %j is refused",
    async (body) => {
      const { shop, updates } = start()
      assert.strictEqual((await shop.webhook(post(body))).status, 400)
      assert.deepStrictEqual(updates, [])
    }
  )

  it("is refused if the host fails", async () => {
    const { shop } = start({ onUpdate: async () => Promise.reject(new Error("no")) })
    assert.strictEqual((await shop.webhook(post(event("order.placed")))).status, 500)
  })
})
