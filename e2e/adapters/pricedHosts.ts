import { createServer, type Server } from "node:http"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { createAdaptorServer } from "@hono/node-server"
import { Router } from "@koa/router"
import type { PricedRouteOptions, Till } from "@till402/core"
import { priced as pricedExpress, till402 as expressTill } from "@till402/express"
import { priced as pricedFastify, till402 as fastifyTill } from "@till402/fastify"
import { priced as pricedHono, till402 as honoTill } from "@till402/hono"
import { priced as pricedKoa, till402 as koaTill } from "@till402/koa"
import type { ErrorRequestHandler } from "express"
import Fastify from "fastify"
import { Hono } from "hono"
import { expresses } from "./express.ts"
import { serverOfFastify } from "./fastify.ts"
import { koas } from "./koa.ts"

/* The same handlers in each framework: what one responds is written as its users write it. */

/** What a handler responds; `notFound`: as the framework does where there is no route. */
export interface Reply {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | null
  readonly notFound?: boolean
  /** What the framework writes as JSON, instead of a body. */
  readonly json?: unknown
}

export interface HandlerRequest {
  readonly city: string
  readonly url: string
  readonly acceptEncoding: string | undefined
  /** The body, by a parser that runs after `priced`. */
  readonly text: string
}

export type Handler = (request: HandlerRequest) => Reply | Promise<Reply>

export interface PricedApp {
  readonly till: Till
  readonly routes: ReadonlyArray<{
    readonly route: PricedRouteOptions
    readonly handler: Handler
    /** Path in the app. Default: that of the options. */
    readonly path?: string
  }>
  /** Headers that a middleware before the till sets on each response. */
  readonly outer: () => Readonly<Record<string, string>>
  /** Status of the error handler, which responds "host: <message>". Default: 500. */
  readonly errorStatus?: number
  /** Status of what responds where there is no route, "nothing here". Default: 404. */
  readonly notFoundStatus?: number
  /** A parser of all bodies, as text, before the till. */
  readonly parsesEarly?: boolean
}

/** An app with priced routes, a free one at `/free`, an error handler and a page for paths without a route. */
export type PricedHost = (app: PricedApp) => Server

const streamOf = (body: AsyncIterable<Uint8Array>): Readable => Readable.from(body)

const isStream = (body: NonNullable<Reply["body"]>): body is AsyncIterable<Uint8Array> =>
  typeof body !== "string" && !(body instanceof Uint8Array)

const onExpress =
  (express: (typeof expresses)["Express 5"]): PricedHost =>
  ({ errorStatus = 500, notFoundStatus = 404, outer, parsesEarly = false, routes, till }) => {
    const app = express()
    app.use((_request, response, next) => {
      response.set(outer())
      next()
    })
    const parser = express.text({ type: "*/*", limit: "1mb" })
    if (parsesEarly) app.use(parser)
    app.use(expressTill(till))
    for (const { handler, path, route } of routes) {
      const method = route.method === "POST" ? "post" : "get"
      app[method](path ?? route.path, pricedExpress(till, route), parser, (request, response, next) => {
        const responding = async () => {
          const {
            body = "",
            headers = {},
            json,
            notFound,
            status = 200
          } = await handler({
            city: String(request.params["city"]),
            url: request.originalUrl,
            acceptEncoding: request.get("accept-encoding"),
            text: typeof request.body === "string" ? request.body : ""
          })
          if (notFound === true) return next()
          response.status(status).set(headers)
          if (json !== undefined) response.json(json)
          else if (body === null) response.end()
          else if (isStream(body)) streamOf(body).pipe(response)
          else response.send(typeof body === "string" ? body : Buffer.from(body))
        }
        // Express 4 doesn't see a rejection.
        responding().catch(next)
      })
    }
    app.get("/free", (_request, response) => void response.send("free"))
    app.use((_request, response) => void response.status(notFoundStatus).send("nothing here"))
    const onError: ErrorRequestHandler = (error: Error, _request, response, next) => {
      if (response.headersSent) next(error)
      else response.status(errorStatus).type("text").send(`host: ${error.message}`)
    }
    app.use(onError)
    return createServer(app)
  }

const onKoa =
  (Koa: (typeof koas)["Koa 3"]): PricedHost =>
  ({ errorStatus = 500, notFoundStatus = 404, outer, parsesEarly = false, routes, till }) => {
    const app = new Koa()
    const router = new Router()
    app.on("error", () => undefined)
    app.use(async (context, next) => {
      context.set(outer())
      try {
        await next()
      } catch (error) {
        context.status = errorStatus
        context.body = `host: ${(error as Error).message}`
      }
    })
    const parse = async (context: { readonly req: Readable; readonly request: object }) => {
      if (!("body" in context.request)) Object.assign(context.request, { body: await text(context.req) })
    }
    if (parsesEarly)
      app.use(async (context, next) => {
        await parse(context)
        await next()
      })
    app.use(koaTill(till))
    for (const { handler, path, route } of routes) {
      router.register(
        path ?? route.path,
        [route.method ?? "GET"],
        [
          pricedKoa(till, route),
          async (context, next) => {
            if (route.method === "POST") await parse(context)
            const {
              body = "",
              headers = {},
              json,
              notFound,
              status
            } = await handler({
              city: String(context.params["city"]),
              url: context.originalUrl,
              acceptEncoding: context.get("accept-encoding") || undefined,
              text: "body" in context.request ? String(context.request.body) : ""
            })
            if (notFound === true) return next()
            if (status !== undefined) context.status = status
            context.set({ ...headers })
            if (json !== undefined) context.body = json
            else if (body === null) context.body = null
            else if (isStream(body)) context.body = streamOf(body)
            else context.body = typeof body === "string" ? body : Buffer.from(body)
            if (headers["content-type"] !== undefined) context.set("content-type", headers["content-type"])
          }
        ]
      )
    }
    router.get("/free", (context) => {
      context.body = "free"
    })
    app.use(router.routes())
    app.use((context) => {
      context.status = notFoundStatus
      context.body = "nothing here"
    })
    return createServer(app.callback())
  }

const onFastify: PricedHost = ({
  errorStatus = 500,
  notFoundStatus = 404,
  outer,
  parsesEarly = false,
  routes,
  till
}) => {
  const app = Fastify()
  app.addHook("onRequest", async (request, reply) => {
    reply.headers(outer())
    if (parsesEarly && request.method === "POST")
      Object.assign(request.raw, { rawBody: await text(request.raw) })
  })
  void app.register(fastifyTill(till))
  app.removeAllContentTypeParsers()
  if (parsesEarly)
    app.addContentTypeParser("*", (request, _payload, done) => {
      done(null, (request.raw as { readonly rawBody?: string }).rawBody)
    })
  else app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body))
  app.setErrorHandler((error: Error, _request, reply) =>
    reply.code(errorStatus).type("text/plain").send(`host: ${error.message}`)
  )
  app.setNotFoundHandler((_request, reply) => reply.code(notFoundStatus).send("nothing here"))
  for (const { handler, path, route } of routes) {
    app.route({
      method: route.method ?? "GET",
      url: path ?? route.path,
      ...pricedFastify(till, route),
      handler: async (request, reply) => {
        const {
          body = "",
          headers = {},
          json,
          notFound,
          status = 200
        } = await handler({
          city: String((request.params as { readonly city?: string }).city),
          url: request.originalUrl,
          acceptEncoding: request.headers["accept-encoding"],
          text: typeof request.body === "string" ? request.body : ""
        })
        if (notFound === true) return reply.callNotFound()
        reply.code(status).headers(headers)
        if (json !== undefined) return json
        if (body === null) return reply.send()
        if (isStream(body)) return reply.send(streamOf(body))
        return reply.send(typeof body === "string" ? body : Buffer.from(body))
      }
    })
  }
  app.get("/free", () => "free")
  return serverOfFastify(app)
}

const onHono: PricedHost = ({
  errorStatus = 500,
  notFoundStatus = 404,
  outer,
  parsesEarly = false,
  routes,
  till
}) => {
  const app = new Hono()
  app.use(async (context, next) => {
    for (const [name, value] of Object.entries(outer())) context.header(name, value)
    if (parsesEarly && context.req.method === "POST") await context.req.text()
    await next()
  })
  app.use(honoTill(till))
  app.onError((error, context) => context.text(`host: ${error.message}`, errorStatus as 500))
  app.notFound((context) => context.text("nothing here", notFoundStatus as 404))
  for (const { handler, path, route } of routes) {
    app.on(route.method ?? "GET", path ?? route.path, pricedHono(till, route), async (context) => {
      const {
        body = "",
        headers = {},
        json,
        notFound,
        status = 200
      } = await handler({
        city: String(context.req.param("city")),
        url: context.req.url,
        acceptEncoding: undefined,
        text: context.req.method === "POST" ? await context.req.text() : ""
      })
      if (notFound === true) return context.notFound()
      if (json !== undefined) return context.json(json as object, status as 200)
      const sent = body !== null && isStream(body) ? Readable.toWeb(streamOf(body)) : body
      for (const [name, value] of Object.entries(headers)) context.header(name, value)
      return typeof sent === "string"
        ? context.text(sent, status as 200)
        : context.body(sent as ReadableStream, status as 200)
    })
  }
  app.get("/free", (context) => context.text("free"))
  return createAdaptorServer({ fetch: app.fetch }) as Server
}

/** By framework. */
export const pricedHosts = {
  "Express 5": onExpress(expresses["Express 5"]),
  "Express 4": onExpress(expresses["Express 4"]),
  Fastify: onFastify,
  Hono: onHono,
  "Koa 3": onKoa(koas["Koa 3"]),
  "Koa 2": onKoa(koas["Koa 2"])
} satisfies Readonly<Record<string, PricedHost>>

export type FrameworkName = keyof typeof pricedHosts
