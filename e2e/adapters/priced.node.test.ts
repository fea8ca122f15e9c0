import { createReadStream } from "node:fs"
import { createServer, get, type IncomingMessage, type Server, ServerResponse } from "node:http"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import { Router as KoaRouter } from "@koa/router"
import type { PricedRouteOptions, Till } from "@till402/core"
import { priced as pricedExpress, till402 as expressTill } from "@till402/express"
import { priced as pricedFastify, till402 as fastifyTill } from "@till402/fastify"
import { priced as pricedKoa, till402 as koaTill } from "@till402/koa"
import { type ErrorRequestHandler, type Express, type RequestHandler, Router } from "express"
import Fastify, { type FastifyInstance, type preParsingHookHandler } from "fastify"
import type { Middleware } from "koa"
import { describe, expect, it } from "vitest"
import { headerOf, payChallenge } from "../../packages/core/test/toll/wallet.ts"
import { expresses } from "./express.ts"
import { serverOfFastify } from "./fastify.ts"
import { serve } from "./hosts.ts"
import { koas } from "./koa.ts"
import { openTill, openWallet, plainFetch } from "./pricedHandlers.ts"

/*
 * What handlers of Node's frameworks do with their response object, and what middleware does with it around them.
 */

const tides = { id: "tides", path: "/tides", price: "0.02" } as const
const form = { ...tides, method: "POST" } as const

const open = async (
  serverOf: (till: Till, route: PricedRouteOptions) => Server,
  route: PricedRouteOptions = tides
) => {
  const { facilitator, till } = openTill({ onProviderError: () => undefined })
  const port = await serve(serverOf(till, route))
  return { facilitator, url: `http://127.0.0.1:${port}/tides`, ...openWallet() }
}

const contents = async (response: Response) => [response.status, await response.text()]

const onError: ErrorRequestHandler = (error: Error, _request, response, next) => {
  if (response.headersSent) next(error)
  else response.status(500).send(`host: ${error.message}`)
}

describe.each(Object.entries(expresses))("a priced handler of %s", (_, express) => {
  const openExpress = (setUp: (app: Express, price: RequestHandler) => void, route?: PricedRouteOptions) =>
    open((till, options) => {
      const app = express()
      setUp(app.use(expressTill(till)), pricedExpress(till, options) as RequestHandler)
      return createServer(app.use(onError))
    }, route)

  it("may send a file, and pipe a stream", async () => {
    const { facilitator, pay, payment, url } = await openExpress((app, price) => {
      app.get("/tides", price, (request, response, next) => {
        if (request.query["pipe"] === undefined) response.sendFile(import.meta.filename)
        else pipeline(createReadStream(import.meta.filename), response.type("text")).catch(next)
      })
    })
    const own = await text(createReadStream(import.meta.filename))
    for (const query of ["", "?pipe"]) {
      expect(await contents(await pay(url + query))).toEqual([200, own])
      expect(await contents(await fetch(url + query, { headers: payment() }))).toEqual([200, own])
    }
    expect(facilitator.settled).toHaveLength(2)
  })

  it("costs nothing where its stream breaks off: the error handler responds, and the connection stays", async () => {
    const { facilitator, pay, url } = await openExpress((app, price) => {
      app.get("/tides", price, (_request, response, next) => {
        const source = async function* () {
          yield "hi"
          throw new Error("the tide is out")
        }
        pipeline(Readable.from(source()), response).catch(next)
      })
    })
    expect(await contents(await pay(url))).toEqual([500, "host: the tide is out"])
    expect(facilitator.settle.calls).toHaveLength(0)
  })

  it("is sold to a new payer whose first request it refused, however dear", async () => {
    const { facilitator, pay, url } = await openExpress(
      (app, price) => {
        app.get("/tides", price, ({ query }, response) => {
          if (query["port"] === undefined) response.status(400).send("which port?")
          else response.send("high")
        })
      },
      { ...tides, price: "5.00" }
    )
    expect(await contents(await pay(url))).toEqual([400, "which port?"])
    expect(await contents(await pay(`${url}?port=oslo`))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("is paid for what it sent before it threw", async () => {
    const errors: Array<string> = []
    const { facilitator, pay, url } = await openExpress((app, price) => {
      app.get("/tides", price, (_request, response) => {
        response.send("high")
        throw new Error("too late")
      })
      app.use(((error: Error, _request, _response, _next) => {
        errors.push(error.message)
      }) satisfies ErrorRequestHandler)
    })
    expect(await contents(await pay(url))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(1)
    await expect.poll(() => errors).toEqual(["too late"])
  })

  it("is charged where its caller asks only whether it has changed: a 304 would tell for nothing what is sold", async () => {
    const { facilitator, url } = await openExpress((app, price) => {
      app.get("/tides", price, (_request, response) => {
        response.json({ high: "12:40" })
      })
    })
    const { pay } = openWallet(plainFetch)
    const first = await pay(url, { headers: { "if-none-match": "*" } })
    const etag = first.headers.get("etag")!
    const again = await pay(url, {
      headers: { "if-none-match": etag, "if-modified-since": new Date().toUTCString() }
    })
    for (const sold of [first, again]) expect(await contents(sold)).toEqual([200, '{"high":"12:40"}'])
    expect(facilitator.settled).toHaveLength(2)
  })

  it("is compressed by middleware before it, which sees what the client accepts", async () => {
    const compress: RequestHandler = (request, response, next) => {
      const { end } = response
      response.end = ((chunk: string | Uint8Array) => {
        if (request.headers["accept-encoding"] === undefined || chunk === undefined || chunk.length === 0)
          return Reflect.apply(end, response, [chunk])
        const bytes = gzipSync(chunk)
        response.set({ "content-encoding": "gzip", "content-length": String(bytes.length) })
        return Reflect.apply(end, response, [bytes])
      }) as typeof end
      next()
    }
    const { pay, payment, url } = await open((till, options) => {
      const app = express().use(compress).use(expressTill(till))
      app.get("/tides", pricedExpress(till, options), (request, response) => {
        response.send(`high ${request.headers["accept-encoding"]}`)
      })
      return createServer(app)
    })
    const sold = await pay(url)
    expect(sold.headers.get("content-encoding")).toBe("gzip")
    expect(await contents(sold)).toEqual([200, "high undefined"])
    expect(await contents(await fetch(url, { headers: payment() }))).toEqual([200, "high undefined"])
  })

  it("keeps headers that middleware after the price sets at the last moment", async () => {
    const session: RequestHandler = (_request, response, next) => {
      const { writeHead } = response
      response.writeHead = ((...head: Parameters<typeof writeHead>) => {
        response.setHeader("x-session", "1")
        return Reflect.apply(writeHead, response, head)
      }) as typeof writeHead
      next()
    }
    const { pay, url } = await openExpress((app, price) => {
      app.get("/tides", price, session, (_request, response) => {
        response.send("high")
      })
    })
    const sold = await pay(url)
    expect([...(await contents(sold)), sold.headers.get("x-session")]).toEqual([200, "high", "1"])
  })

  it("fails loudly without a handler, and outside of a route", async () => {
    const { facilitator, url } = await openExpress((app, price) => {
      app.get("/tides", price)
    })
    const outside = await openExpress((app, price) => {
      app.use("/tides", price)
    })
    for (const at of [url, outside.url])
      expect(await contents(await fetch(at))).toEqual([
        500,
        expect.stringContaining("priced route tides has no handler: nothing was charged")
      ])
    expect(facilitator.verify.calls).toHaveLength(0)
  })

  it("gives nothing away where its handler comes before the price, in the app or in a router of it", async () => {
    const handler: RequestHandler = (_request, response) => void response.send("high")
    const inApp = await openExpress((app, price) => {
      app.get("/tides", handler, price)
    })
    const inRouter = await openExpress((app, price) => {
      const router = Router()
      router.route("/tides").get(handler, price).post(handler)
      app.use(Router().use(router))
    })
    for (const { url } of [inApp, inRouter])
      for (const _ of ["first", "again"])
        expect(await contents(await fetch(url))).toEqual([
          500,
          expect.stringContaining("Add one after priced")
        ])
    expect(await contents(await fetch(inRouter.url, { method: "POST" }))).toEqual([200, "high"])
  })

  it("may follow middleware that serves some for free, and another method's handler", async () => {
    const { facilitator, pay, url } = await openExpress((app, price) => {
      const members: RequestHandler = (request, response, next) => {
        if (request.get("x-member") === undefined) next()
        else response.send("free for members")
      }
      const handler: RequestHandler = (_request, response) => void response.send("high")
      app.route("/tides").post(handler).all(members).get(price).get(handler)
    })
    expect(await contents(await fetch(url, { headers: { "x-member": "1" } }))).toEqual([
      200,
      "free for members"
    ])
    expect(await contents(await fetch(url, { method: "POST" }))).toEqual([200, "high"])
    expect(await contents(await pay(url))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("refuses a form with files that was parsed before the price", async () => {
    const { facilitator, pay, url } = await openExpress((app, price) => {
      const parse: RequestHandler = async (request, _response, next) => {
        await text(request)
        request.body = { title: "tides" }
        next()
      }
      app.post("/tides", parse, price, (_request, response) => {
        response.send("kept")
      })
    }, form)
    const body = new FormData()
    body.set("file", new Blob(["a"]), "a.txt")
    const refused = await pay(url, { method: "POST", body })
    expect([refused.status, facilitator.settle.calls.length]).toEqual([500, 0])
  })
})

describe("a priced handler of Fastify", () => {
  const openFastify = (setUp: (app: FastifyInstance, price: ReturnType<typeof pricedFastify>) => void) =>
    open((till, options) => {
      const app = Fastify()
      setUp(app, pricedFastify(till, options))
      return serverOfFastify(app)
    })

  it("may hijack its reply: nothing is sent before the payment settles", async () => {
    const { facilitator, pay, payment, url } = await openFastify((app, price) => {
      app.get("/tides", price, (_request, reply) => {
        reply.hijack()
        reply.raw.writeHead(200, ["content-type", "text/plain", "x-a", "1"])
        reply.raw.write("hi")
        setTimeout(() => reply.raw.end("gh"), 10)
      })
    })
    facilitator.rejectsSettlement()
    expect((await pay(url)).status).toBe(402)
    const settled = await openFastify((app, price) => {
      app.get("/tides", price, (_request, reply) => {
        reply.hijack()
        reply.raw.setHeader("x-a", "1")
        reply.raw.end("high")
      })
    })
    const sold = await settled.pay(settled.url)
    expect([...(await contents(sold)), sold.headers.get("x-a")]).toEqual([200, "high", "1"])
    expect(payment()).toBeTruthy()
  })

  it("gives nothing away where another preParsing has replaced its price, and serves where both are a list", async () => {
    const own: preParsingHookHandler = (_request, _reply, payload, done) => done(null, payload)
    let calls = 0
    const serving = (merged: (price: ReturnType<typeof pricedFastify>) => object) =>
      openFastify((app, price) => {
        // Hooks of the app that respond before the price: some callers are refused, and members pass.
        app.addHook("onRequest", async (request, reply) => {
          if (request.headers["x-banned"] !== undefined) return reply.code(429).send("later")
          if (request.headers["x-member"] !== undefined) return reply.send("free for members")
        })
        app.get("/tides", merged(price), () => {
          calls++
          return "high"
        })
      })
    const lost = await serving((price) => ({ ...price, preParsing: own }))
    expect(await contents(await fetch(lost.url))).toEqual([
      500,
      expect.stringContaining("has lost its price")
    ])
    expect(calls).toBe(0)
    const both = await serving((price) => ({ ...price, preParsing: [price.preParsing, own] }))
    expect(await contents(await both.pay(both.url))).toEqual([200, "high"])
    expect(calls).toBe(1)
    for (const { url } of [lost, both]) {
      expect((await fetch(url, { headers: { "x-banned": "1" } })).status).toBe(429)
      expect(await contents(await fetch(url, { headers: { "x-member": "1" } }))).toEqual([
        200,
        "free for members"
      ])
    }
    expect(calls).toBe(1)
  })

  it.each(["before the till is registered", "after it"])(
    "gives nothing away where its price is in its config, and says where it belongs: %s",
    async (order) => {
      const { till } = openTill({})
      const price = pricedFastify(till, tides)
      const app = Fastify()
      const failures: Array<string> = []
      const add = (url: string, config: object) => {
        try {
          app.get(url, { config }, () => "high")
        } catch (error) {
          failures.push((error as Error).message)
        }
      }
      if (order === "after it") await app.register(fastifyTill(till))
      add("/tides", price)
      add("/more", { till: price })
      app.get("/free", { config: { own: true, none: null } }, () => "free")
      if (order !== "after it") await app.register(fastifyTill(till))
      for (const url of ["/tides", "/more"]) {
        const { body, statusCode } = await app.inject(url)
        expect([statusCode, body]).not.toEqual([200, "high"])
        if (statusCode === 500) failures.push(body)
      }
      expect(failures).toHaveLength(2)
      for (const text of failures)
        expect(text).toMatch(/priced route tides has no price: what priced returned is in the route's config/)
      expect((await app.inject("/free")).body).toBe("free")
      await app.close()
    }
  )

  it("refuses a route with its price under another name, and takes one that has it there as well", async () => {
    const { pay, url } = await openFastify((app, price) => {
      app.get("/tides", { ...price, config: { price } }, () => "high")
    })
    expect(await contents(await pay(url))).toEqual([200, "high"])
    const { till } = openTill({})
    const app = Fastify()
    await app.register(fastifyTill(till))
    const price = pricedFastify(till, tides)
    expect(() => app.get("/tides", { price } as object, () => "high")).toThrow(
      "priced route tides has no price"
    )
    app.get("/waves", { ...price, price } as object, () => "high")
    await app.close()
  })

  it("runs the hooks of its app: validation, serialization, onSend, onResponse", async () => {
    const finished: Array<number> = []
    const { facilitator, pay, url } = await openFastify((app, price) => {
      app.addHook("onSend", async (_request, reply, payload) => {
        reply.header("x-sent", "1")
        return payload
      })
      app.addHook("onResponse", async (_request, reply) => void finished.push(reply.statusCode))
      const schema = {
        querystring: { type: "object", properties: { days: { type: "integer" } } },
        response: { 200: { type: "object", properties: { days: { type: "integer" } } } }
      }
      app.get("/tides", { ...price, schema }, (request) => ({ ...(request.query as object), secret: 1 }))
    })
    const sold = await pay(`${url}?days=2`)
    expect([...(await contents(sold)), sold.headers.get("x-sent")]).toEqual([200, '{"days":2}', "1"])
    const refused = await pay(`${url}?days=two`)
    expect(refused.status).toBe(400)
    expect(facilitator.settled).toHaveLength(1)
    // Each payment follows a 402.
    await expect.poll(() => finished).toEqual([402, 200, 402, 400])
  })
})

describe.each(Object.entries(koas))("a priced handler of %s", (_, Koa) => {
  // Later versions of Node have a second method for it.
  const written = "writeInformation" in ServerResponse.prototype ? [103, 103] : [103]

  it("streams texts: of a file with an encoding, or made by the handler", async () => {
    const { facilitator, pay, url } = await open((till, options) => {
      const app = new Koa()
      app.use(pricedKoa(till, options)).use((context) => {
        context.body =
          context.query["made"] === undefined
            ? createReadStream(import.meta.filename, "utf8")
            : Readable.from(["hí", "gh"])
      })
      return createServer(app.callback())
    })
    expect(await contents(await pay(url))).toEqual([200, await text(createReadStream(import.meta.filename))])
    expect(await contents(await pay(`${url}?made`))).toEqual([200, "hígh"])
    expect(facilitator.settled).toHaveLength(2)
  })

  it("sends no early hints before the payment settles; a free one does", async () => {
    const { url } = await open((till, options) => {
      const app = new Koa()
      const hint = async (context: { respond?: boolean | undefined; res: ServerResponse }) => {
        context.respond = false
        const hints = { link: "</high.css>; rel=preload" }
        await new Promise<void>((resolve) => context.res.writeEarlyHints(hints, resolve))
        for (const later of written.slice(1))
          Reflect.apply(context.res.writeInformation, context.res, [later, hints])
        Reflect.get(context.res, "writeHeader").call(context.res, 200)
        context.res.end("high")
      }
      app.use((context, next) => (context.path === "/free" ? hint(context) : next()))
      app.use(pricedKoa(till, options))
      app.use(hint)
      return createServer(app.callback())
    })
    const hintsOf = (path: string, headers: Record<string, string>) =>
      new Promise<ReadonlyArray<unknown>>((resolve, reject) => {
        const hints: Array<number> = []
        get(new URL(path, url), { headers }, (response: IncomingMessage) => {
          text(response).then((body) => resolve([response.statusCode, body, hints]), reject)
        })
          .on("information", ({ statusCode }) => hints.push(statusCode))
          .on("error", reject)
      })
    expect(await hintsOf("/free", {})).toEqual([200, "high", written])
    const asked = (await fetch(url)).headers.get("payment-required")!
    const paid = headerOf(await payChallenge(JSON.parse(Buffer.from(asked, "base64").toString())))
    expect(await hintsOf("/tides", { "payment-signature": paid })).toEqual([200, "high", []])
  })

  it("gives nothing away where its handler comes before the price; another may serve some for free", async () => {
    const openKoa = (setUp: (router: KoaRouter, price: Middleware) => void) =>
      open((till, options) => {
        const router = new KoaRouter()
        setUp(router, pricedKoa(till, options) as Middleware)
        const app = new Koa()
        app.silent = true
        app.use(async (context, next) => {
          try {
            await next()
          } catch (error) {
            context.status = 500
            context.body = (error as Error).message
          }
        })
        return createServer(app.use(koaTill(till)).use(router.routes()).callback())
      })
    const handler: Middleware = (context) => {
      context.body = "high"
    }
    const bare = await openKoa((router, price) => {
      router.get("/tides", handler, price)
      router.post("/tides", handler)
    })
    expect(await contents(await fetch(bare.url))).toEqual([
      500,
      expect.stringContaining("has no handler after priced")
    ])
    expect(await contents(await fetch(bare.url, { method: "POST" }))).toEqual([200, "high"])
    const { facilitator, pay, url } = await openKoa((router, price) => {
      router.get("/tides", (context, next) =>
        context.get("x-member") === "" ? next() : handler(context, next)
      )
      router.get("/tides", price)
      router.get("/tides", handler)
    })
    expect(await contents(await fetch(url, { headers: { "x-member": "1" } }))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(0)
    expect(await contents(await pay(url))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("may write to Node's response itself: nothing is sent before the payment settles", async () => {
    const serverOf = (till: Till, options: PricedRouteOptions) => {
      const app = new Koa()
      app.use(pricedKoa(till, options))
      app.use(async (context) => {
        context.respond = false
        context.res.writeHead(201, { "content-type": "text/plain" })
        setTimeout(() => context.res.end("high"), 10)
      })
      return createServer(app.callback())
    }
    const { facilitator, pay, url } = await open(serverOf)
    facilitator.rejectsSettlement()
    const refused = await pay(url)
    expect(refused.status).toBe(402)
    expect(await refused.text()).not.toContain("high")
    const settled = await open(serverOf)
    expect(await contents(await settled.pay(settled.url))).toEqual([201, "high"])
    expect(await contents(await fetch(settled.url, { headers: settled.payment() }))).toEqual([201, "high"])
  })

  it("is charged where its caller asks only whether it has changed", async () => {
    const { facilitator, url } = await open((till, options) => {
      const app = new Koa()
      app.use(pricedKoa(till, options))
      app.use((context) => {
        context.body = "high"
        context.etag = "tides"
        if (context.fresh) context.status = 304
      })
      return createServer(app.callback())
    })
    const { pay } = openWallet(plainFetch)
    expect(await contents(await pay(url, { headers: { "if-none-match": '"tides"' } }))).toEqual([200, "high"])
    expect(facilitator.settled).toHaveLength(1)
  })

  it("sells what Koa would send: JSON, a buffer, a message of a status", async () => {
    const bodies: Array<unknown> = [{ high: 1 }, Buffer.from("high"), undefined]
    const { pay, payment, url } = await open((till, options) => {
      const app = new Koa()
      app.use(pricedKoa(till, options))
      app.use((context) => {
        context.status = 201
        const body = bodies.shift()
        if (body !== undefined) context.body = body
      })
      return createServer(app.callback())
    })
    for (const expected of ['{"high":1}', "high", "Created"]) {
      expect(await contents(await pay(url))).toEqual([201, expected])
      expect(await contents(await fetch(url, { headers: payment() }))).toEqual([201, expected])
    }
  })
})
