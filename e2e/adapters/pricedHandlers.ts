import { createAdaptorServer } from "@hono/node-server"
import { memory, type PricedRouteOptions, Till, type TillOptions } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { priced, till402 } from "@till402/hono"
import { payingFetch } from "@till402/sandbox"
import { type Context, Hono } from "hono"
import { HTTPException } from "hono/http-exception"
import type { Server } from "node:http"
import { generatePrivateKey } from "viem/accounts"
import { onTestFinished } from "vitest"
import { send } from "./client.ts"
import { serve } from "./hosts.ts"

export const weather = { id: "weather", path: "/weather/:city", price: "0.02" } as const
export const notes = { id: "notes", method: "POST", path: "/notes", price: "0.02" } as const

export type Handler = (context: Context) => Response | Promise<Response>

/** A till without routes of its own, and a fake facilitator. */
export const openTill = (options: Partial<TillOptions>) => {
  const facilitator = fakeFacilitator()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    secret: "a text that nobody can guess, of 32 characters or more",
    facilitator,
    storage: memory(),
    operations: [],
    onEvent: () => undefined,
    trustFacilitator: true,
    ...options
  })
  onTestFinished(() => till.dispose())
  return { facilitator, till }
}

/** Sends a request as it is: `fetch` itself adds `Cache-Control: no-cache` to one with conditions. */
export const plainFetch: typeof fetch = async (input, init) => {
  const { headers: given, method, url } = new Request(input, init)
  const { pathname, port, search } = new URL(url)
  const headers = Object.fromEntries(given)
  const received = await send(Number(port), pathname + search, { method, headers })
  const { bytes, headers: all, status } = received
  return new Response(status === 304 ? null : new Uint8Array(bytes), {
    status,
    headers: all as Record<string, string>
  })
}

/** The official client, with a wallet of its own. */
export const openWallet = (base: typeof fetch = fetch) => {
  const sent: Array<Request> = []
  const recording: typeof fetch = async (input, init) => {
    const request = new Request(input, init)
    sent.push(request.clone())
    return base(request)
  }
  return {
    pay: payingFetch(generatePrivateKey(), 1_000, recording),
    /** The header of the last payment. */
    payment: () => ({ "payment-signature": sent.at(-1)!.headers.get("payment-signature")! })
  }
}

export const started = async (
  options: Partial<TillOptions>,
  routesOf: (app: Hono, price: (route: PricedRouteOptions) => ReturnType<typeof priced>) => void
) => {
  const { facilitator, till } = openTill(options)
  const app = new Hono()
  let requests = 0
  app.use(async (context, next) => {
    context.header("x-request-id", String(++requests))
    await next()
  })
  app.use(till402(till))
  app.onError((error, context) =>
    error instanceof HTTPException ? error.getResponse() : context.text(`host: ${error.message}`, 500)
  )
  routesOf(app, (route) => priced(till, route))
  const origin = `http://127.0.0.1:${await serve(createAdaptorServer({ fetch: app.fetch }) as Server)}`
  return { facilitator, till, origin, ...openWallet() }
}

/** An app with one priced handler, and how often that was called. */
export const selling = async (
  handler: Handler = (context) => context.json({ city: context.req.param("city") }),
  options: Partial<TillOptions> = {},
  route: PricedRouteOptions = weather
) => {
  const calls: Array<string> = []
  const host = await started(options, (app, price) => {
    app.on(route.method ?? "GET", route.path, price(route), (context) => {
      calls.push(context.req.path)
      return handler(context)
    })
    app.get("/free", (context) => context.text("free"))
  })
  return { ...host, calls, oslo: `${host.origin}/weather/oslo?days=2`, notes: `${host.origin}/notes` }
}
