import { createHmac } from "node:crypto"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { memory, Till, type TillEvent } from "@till402/core"
import { fakeFacilitator, fakeTracker } from "@till402/testing"
import { till402 as expressTill } from "@till402/express"
import { till402 as koaTill } from "@till402/koa"
import express from "express"
import Koa from "koa"
import { describe, expect, it, onTestFinished } from "vitest"
import { serve } from "./hosts.ts"

/*
 * A webhook that is signed over its bytes, on a public route behind a body parser of the host.
 */

const secret = "the webhook's secret"
const signatureOf = (body: string): string => createHmac("sha256", secret).update(body).digest("hex")
/** Not compact, so `JSON.stringify` of what it parses to has other bytes. */
const body = '{ "event": "order.shipped",\n  "id": 1.0 }'

const openTill = () => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    secret: "a text that nobody can guess, of 32 characters or more",
    facilitator: fakeFacilitator(),
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: (event) => {
      events.push(event)
    },
    publicRoutes: {
      "/webhooks/orders": async (request) =>
        new Response(null, {
          status: signatureOf(await request.text()) === request.headers.get("x-signature") ? 200 : 401
        }),
      "/profile.json": () => Response.json({ name: "agent" })
    }
  })
  onTestFinished(() => till.dispose())
  return { till, events }
}

const send = (port: number) =>
  fetch(`http://127.0.0.1:${port}/webhooks/orders`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-signature": signatureOf(body) },
    body
  })

describe("a signed webhook behind express.json()", () => {
  it("fails loudly: a 500, and an event that names what to change", async () => {
    const { events, till } = openTill()
    const port = await serve(createServer(express().use(express.json()).use(expressTill(till))))
    const response = await send(port)
    expect([response.status, (await response.json()).code]).toEqual([500, "INTERNAL_ERROR"])
    const event = events.find(({ code }) => code === "public_route_body_parsed")
    expect(event).toMatchObject({ level: "error", operation: "/webhooks/orders" })
    expect(event!.message).toContain("mount the till before the body parser")
  })

  it("is checked over its bytes where the parser keeps them in rawBody", async () => {
    const { till } = openTill()
    const parser = express.json({
      verify: (request, _response, buffer) => Object.assign(request, { rawBody: buffer })
    })
    const port = await serve(createServer(express().use(parser).use(expressTill(till))))
    expect((await send(port)).status).toBe(200)
  })

  it("is checked over its bytes after express.raw(), and before a parser", async () => {
    const { till } = openTill()
    const raw = express.raw({ type: "application/json" })
    const after = await serve(createServer(express().use(raw).use(expressTill(till))))
    const before = await serve(createServer(express().use(expressTill(till)).use(express.json())))
    expect([(await send(after)).status, (await send(before)).status]).toEqual([200, 200])
  })

  it("leaves public routes alone that get no body", async () => {
    const { till } = openTill()
    const port = await serve(createServer(express().use(express.json()).use(expressTill(till))))
    const response = await fetch(`http://127.0.0.1:${port}/profile.json`)
    expect([response.status, await response.json()]).toEqual([200, { name: "agent" }])
  })
})

describe("a signed webhook behind Koa's body parser", () => {
  it.each([
    ["is checked over its bytes where the parser keeps rawBody", true, 200],
    ["fails loudly where nothing is kept", false, 500]
  ])("%s", async (_, keepsRawBody, status) => {
    const { events, till } = openTill()
    const app = new Koa()
    app.use(async (context, next) => {
      const rawBody = await text(context.req)
      Object.assign(context.request, { body: JSON.parse(rawBody) }, keepsRawBody ? { rawBody } : {})
      await next()
    })
    app.use(koaTill(till))
    const port = await serve(createServer(app.callback()))
    expect((await send(port)).status).toBe(status)
    expect(events.some(({ code }) => code === "public_route_body_parsed")).toBe(!keepsRawBody)
  })
})
