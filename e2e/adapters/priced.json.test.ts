import express from "express"
import Fastify from "fastify"
import { priced as pricedExpress } from "@till402/express"
import { priced as pricedFastify } from "@till402/fastify"
import { createServer, type Server } from "node:http"
import type { Till } from "@till402/core"
import { describe, expect, it } from "vitest"
import { serverOfFastify } from "./fastify.ts"
import { serve } from "./hosts.ts"
import { openTill, openWallet, weather } from "./pricedHandlers.ts"
import { pricedHosts, type PricedHost } from "./pricedHosts.ts"

/*
 * What a priced handler gives its framework to write as JSON: what JSON loses isn't sold, and nothing else is stopped.
 */

const open = async (make: (till: Till) => Server) => {
  const events: Array<unknown> = []
  const errors: Array<unknown> = []
  const { facilitator, till } = openTill({
    onEvent: (event) => events.push(event),
    onProviderError: (failure) => errors.push(failure)
  })
  const port = await serve(make(till))
  const { pay } = openWallet()
  const buy = async () => {
    const response = await pay(`http://127.0.0.1:${port}/weather/oslo`)
    return { status: response.status, text: await response.text() }
  }
  return { buy, errors, events, facilitator }
}

/** Sells what `results` give, one call after the other. */
const selling = (host: PricedHost, results: ReadonlyArray<() => unknown>) => {
  const left = [...results]
  return open((till) =>
    host({
      till,
      outer: () => ({}),
      routes: [{ route: weather, handler: () => ({ json: left.shift()!() }) }]
    })
  )
}

const late = async () => ({ celsius: 21 })
const failing = async () => Promise.reject(new Error("no weather"))

/** A class that says itself what JSON has of it. */
class Amount {
  toJSON() {
    return "0.02"
  }
}

class Endless {
  toJSON() {
    return { next: new Endless() }
  }
}

class Refusal extends Error {
  toJSON() {
    return { reason: this.message }
  }
}

/** Results as clients of APIs return them: a list, which asks for more as it is iterated. */
class Page {
  readonly data = [{ celsius: 21 }]
  readonly response = new Response("{}")
  async *[Symbol.asyncIterator]() {
    yield* this.data
  }
}

class Ticks {
  readonly every = "1s"
  async *[Symbol.asyncIterator]() {
    yield this.every
  }
}

/** As clients of models return it before anyone awaits it: its lists are still empty. */
class Reply extends Ticks {
  readonly messages = []
  on() {
    return this
  }
}

describe.each(Object.entries(pricedHosts))("%s: a priced handler", (_name, host) => {
  it("costs nothing where JSON loses some of its result, and is named", async () => {
    const lost: ReadonlyArray<readonly [string, () => unknown]> = [
      ["Promise as weather", () => ({ city: "oslo", weather: late() })],
      ["Promise", () => ({ days: [failing(), failing()], at: failing() })],
      ["Map as rows", () => ({ city: "oslo", rows: new Map([["a", 1]]) })],
      ["stream as hours", () => ({ city: "oslo", hours: new ReadableStream() })],
      ["stream as ticks", () => ({ city: "oslo", ticks: new Ticks() })],
      ["stream", () => new Reply()]
    ]
    const { buy, errors, events, facilitator } = await selling(
      host,
      lost.map(([, result]) => result)
    )
    for (const [kind] of lost) {
      const { status, text } = await buy()
      expect([status, JSON.parse(text)]).toMatchObject([500, { code: "INTERNAL_ERROR" }])
      const error = `the handler responded with a value of the kind ${kind}`
      expect(events.at(-1)).toMatchObject({
        code: "request_failed",
        operation: "weather",
        error: expect.stringContaining(error)
      })
    }
    expect(errors).toHaveLength(lost.length)
    expect(facilitator.settled).toEqual([])
  })

  it("sells what JSON holds, however empty", async () => {
    const circle: Record<string, unknown> = { city: "oslo" }
    const results: ReadonlyArray<unknown> = [
      { city: "oslo", meta: {} },
      { city: "oslo", wind: undefined },
      { added: {}, removed: {}, changed: {} },
      { added: {}, removed: {}, changed: {} },
      { added: {}, removed: {}, changed: {} },
      { price: new Amount(), failed: new Refusal("no tides") },
      [circle, circle],
      // As an unpriced handler would respond.
      { celsius: Number.NaN, convert: () => 70, wind: undefined },
      { city: "oslo", failed: Object.assign(new Error("no tides"), { code: "E_TIDES" }) },
      new Page(),
      { city: "oslo", tags: new Set(), rows: new Map() }
    ]
    const { buy, events, facilitator } = await selling(
      host,
      results.map((result) => () => result)
    )
    for (const result of results) expect(await buy()).toEqual({ status: 200, text: JSON.stringify(result) })
    expect(events.filter((event) => (event as { code: string }).code !== "risky_setting")).toEqual([])
    expect(facilitator.settled).toHaveLength(results.length)
  })

  it("fails as before where its result can't be written", async () => {
    const { buy, facilitator } = await selling(host, [
      () => new Endless(),
      () => {
        const circle: Record<string, unknown> = { weather: late() }
        circle["self"] = circle
        return circle
      }
    ])
    for (const _ of [1, 2]) expect((await buy()).status).toBe(500)
    expect(facilitator.settled).toEqual([])
  })
})

describe("a priced handler whose host writes JSON in a way of its own", () => {
  const result = () => ({ city: "oslo", rows: new Map([["a", 1]]) })

  it("sells what a replacer of Express writes", async () => {
    const { buy } = await open((till) => {
      const app = express()
      app.set("json replacer", (_: string, value: unknown) => (value instanceof Map ? [...value] : value))
      app.get("/weather/:city", pricedExpress(till, weather), (_request, response) => {
        response.json(result())
      })
      return createServer(app)
    })
    expect(await buy()).toEqual({ status: 200, text: '{"city":"oslo","rows":[["a",1]]}' })
  })

  it("is a 500 however Express spaces and escapes it, and where Fastify's schema is of another status", async () => {
    const spaced = await open((till) => {
      const app = express().set("json spaces", 2).set("json escape", true)
      app.get("/weather/:city", pricedExpress(till, weather), (_request, response) => {
        response.json({ ...result(), note: "<b>" })
      })
      return createServer(app)
    })
    expect((await spaced.buy()).status).toBe(500)
    const schema = { response: { 400: { type: "object", properties: {} } } }
    const other = await open((till) => {
      const app = Fastify()
      app.get("/weather/:city", { ...pricedFastify(till, weather), schema }, async () => result())
      return serverOfFastify(app)
    })
    expect((await other.buy()).status).toBe(500)
  })

  it("sells what a schema or a serializer of Fastify writes", async () => {
    const response = {
      200: { type: "object", properties: { city: { type: "string" } } }
    }
    const schema = await open((till) => {
      const app = Fastify()
      app.get("/weather/:city", { ...pricedFastify(till, weather), schema: { response } }, async () =>
        result()
      )
      return serverOfFastify(app)
    })
    expect(await schema.buy()).toEqual({ status: 200, text: '{"city":"oslo"}' })
    const serializer = await open((till) => {
      const app = Fastify()
      app.setReplySerializer(() => '{"rows":1}')
      app.get("/weather/:city", pricedFastify(till, weather), async () => result())
      return serverOfFastify(app)
    })
    expect(await serializer.buy()).toEqual({ status: 200, text: '{"rows":1}' })
  })
})
