import { createReadStream } from "node:fs"
import { createServer, type Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import { NodeHttpServer } from "@effect/platform-node"
import type { Till } from "@till402/core"
import { Till as TillService, TillRoutes } from "@till402/core/effect"
import * as forExpress from "@till402/express"
import * as forHono from "@till402/hono"
import * as forKoa from "@till402/koa"
import { Effect, Layer, Scope, Stream } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import express from "express"
import { Hono } from "hono"
import Koa from "koa"

/*
 * Servers of each framework with a till, and with the file at `/bare`, streamed in the way that the framework's own
 * guide shows.
 */

interface Source {
  readonly till: Till
  /** The file that both send. */
  readonly path: string
  /** The same as a web stream. */
  readonly open: () => ReadableStream<Uint8Array>
}

const honoServer = ({ open, till }: Source): Server => {
  const app = new Hono()
  app.use(forHono.till402(till))
  app.get("/bare", () => new Response(open()))
  const server = createAdaptorServer({ fetch: app.fetch })
  // Its type allows for HTTP/2, which is made on request only.
  if (!("closeAllConnections" in server)) throw new Error("not a server of HTTP/1")
  return server
}

const expressServer = ({ path, till }: Source): Server => {
  const app = express()
  app.use(forExpress.till402(till))
  app.get("/bare", (_request, response) => void createReadStream(path).pipe(response))
  return createServer(app)
}

const koaServer = ({ path, till }: Source): Server => {
  const app = new Koa()
  // A client that goes away before the end is no fault here.
  app.on("error", () => undefined)
  app.use(forKoa.till402(till))
  app.use((context) => {
    context.body = createReadStream(path)
  })
  return createServer(app.callback())
}

/** The routes of a till in Effect's server; `close` ends its scope. */
const effectServer = ({ open, till }: Source): Server => {
  const service = Layer.mock(TillService, {
    handle: (request, caller) => Effect.promise(() => till.handle(request, caller)),
    handles: till.handles,
    paths: ["/x402/*"],
    prefix: ""
  })
  const bare = HttpRouter.add(
    "GET",
    "/bare",
    Effect.sync(() =>
      HttpServerResponse.stream(Stream.fromReadableStream({ evaluate: open, onError: (cause) => cause }))
    )
  )
  const routes = Layer.mergeAll(TillRoutes, bare).pipe(Layer.provide(service))
  const scope = Scope.makeUnsafe()
  const handler = Effect.runPromise(
    HttpRouter.toHttpEffect(routes).pipe(
      Effect.flatMap((app) => NodeHttpServer.makeHandler(app, { scope })),
      Scope.provide(scope)
    )
  )
  const server = createServer()
  return server.on("request", (request, response) => {
    void handler.then((handle) => handle(request, response))
  })
}

/** One server of each framework. */
export const downloadServers = {
  Hono: honoServer,
  Express: expressServer,
  Koa: koaServer,
  Effect: effectServer
} as const
export type FrameworkName = keyof typeof downloadServers
export const frameworks = Object.keys(downloadServers) as ReadonlyArray<FrameworkName>
