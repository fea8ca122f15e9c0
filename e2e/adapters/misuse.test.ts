import { createServer, type RequestListener } from "node:http"
import { getRequestListener } from "@hono/node-server"
import { Till } from "@till402/core"
import { priced as pricedExpress, till402 as express } from "@till402/express"
import { till402 as fastify } from "@till402/fastify"
import { priced as pricedHono, till402 as hono } from "@till402/hono"
import { priced as pricedKoa, till402 as koa } from "@till402/koa"
import type { ErrorRequestHandler, RequestHandler } from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { expresses } from "./express.ts"
import { serve } from "./hosts.ts"
import { koas } from "./koa.ts"
import { openTill, weather } from "./pricedHandlers.ts"

const mounting = { express, fastify, hono, koa }

describe("an adapter that gets no till says so when it is mounted", () => {
  it.each(Object.entries(mounting))("%s", (_, till402) => {
    for (const given of [undefined, { baseUrl: "https://shop.example" }, Promise.resolve(), Till])
      expect(() => Reflect.apply(till402, undefined, [given])).toThrow("till402 takes what Till.make returns")
  })
})

/** What a framework says of a middleware that fails. */
type Complaint = (middleware: never) => Promise<string>

const complaintOf = async (serverOf: (fail: (error: Error) => void) => RequestListener): Promise<string> => {
  const failed = Promise.withResolvers<string>()
  const port = await serve(createServer(serverOf(({ message }) => failed.resolve(message))))
  const { status } = await fetch(`http://127.0.0.1:${port}/x402/search`)
  expect(status).toBe(500)
  return failed.promise
}

const onExpress =
  (make: (typeof expresses)["Express 5"]): Complaint =>
  (middleware) =>
    complaintOf((fail) => {
      const onError: ErrorRequestHandler = (error: Error, _request, response, _next) => {
        fail(error)
        response.status(500).end()
      }
      return make().use(middleware).use(onError)
    })

const frameworks: Readonly<Record<string, Complaint>> = {
  "Express 5": onExpress(expresses["Express 5"]),
  "Express 4": onExpress(expresses["Express 4"]),
  // It calls a plugin where nobody catches what that throws: the process ends with the text.
  Fastify: async (plugin: RequestHandler) => {
    try {
      return String(Reflect.apply(plugin, undefined, [Fastify(), {}, () => undefined]))
    } catch (error) {
      return String(error)
    }
  },
  Hono: (middleware) =>
    complaintOf((fail) => {
      const app = new Hono().use(middleware)
      app.onError((error, context) => {
        fail(error)
        return context.text("", 500)
      })
      return getRequestListener(app.fetch)
    }),
  Koa: (middleware) =>
    complaintOf((fail) => {
      const app = new koas["Koa 3"]()
      app.on("error", fail)
      return app.use(middleware).callback()
    })
}

const cases = Object.entries(frameworks).flatMap(([name, complaint]) =>
  Object.entries(mounting)
    .filter(([adapter]) => !name.toLowerCase().startsWith(adapter))
    .map(([adapter, till402]) => [adapter, name, till402, complaint] as const)
)

describe("an adapter of another framework is named", () => {
  it.each(cases)("till402 of %s in %s", async (adapter, _, till402, complaint) => {
    const { till } = openTill({})
    expect(await complaint(till402(till) as never)).toContain(
      `@till402/${adapter} is for ${adapter[0]!.toUpperCase()}${adapter.slice(1)}, and another framework has called it`
    )
  })

  it.each([
    ["express", "Koa", pricedExpress],
    ["express", "Hono", pricedExpress],
    ["koa", "Express 5", pricedKoa],
    ["koa", "Hono", pricedKoa],
    ["hono", "Express 5", pricedHono],
    ["hono", "Koa", pricedHono]
  ])("priced of %s in %s", async (adapter, name, priced) => {
    const { till } = openTill({})
    expect(await frameworks[name]!(priced(till, weather) as never)).toContain(`@till402/${adapter} is for`)
  })
})
