import { createServer, type Server } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Till, TillRoutes } from "@till402/core/effect"
import { Effect, Layer, Scope } from "effect"
import { Cookies, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Hosts } from "./hosts.ts"
import type { Seam } from "./till.ts"

/** Wraps a fake till as a `Till` service. */
const tillOf = ({ handle, handles, paths = ["/x402/*"] }: Seam) =>
  Layer.mock(Till, {
    handle: (request, caller) => Effect.promise(() => handle(request, caller)),
    handles,
    paths,
    prefix: ""
  })

/** A Node server with the handler of `NodeHttpServer`. */
const serverOf = (routes: Layer.Layer<never, never, Till | HttpRouter.HttpRouter>, till: Seam): Server => {
  const server = createServer()
  const scope = Scope.makeUnsafe()
  const handling = HttpRouter.toHttpEffect(routes.pipe(Layer.provide(tillOf(till)))).pipe(
    Effect.flatMap((app) => NodeHttpServer.makeHandler(app, { scope })),
    Scope.provide(scope)
  )
  const handler = Effect.runPromise(handling)
  return server.on("request", (request, response) => {
    void handler.then((handle) => handle(request, response))
  })
}

const ownAt = (path: `/${string}`) => HttpRouter.add("GET", path, HttpServerResponse.text("my own route"))

/** `atRoot`'s middleware: a cookie, `Vary`, and an error page. */
const hostMiddleware = (onError: (error: unknown) => void) =>
  HttpRouter.use((router) =>
    router.addGlobalMiddleware((handled) =>
      handled.pipe(
        Effect.catchDefect((error) => {
          onError(error)
          return Effect.succeed(HttpServerResponse.text(`host: ${(error as Error).message}`, { status: 500 }))
        }),
        Effect.map((response) =>
          HttpServerResponse.replaceCookies(
            HttpServerResponse.setHeader(
              response,
              "vary",
              [response.headers["vary"], "Accept"].filter((value) => value !== undefined).join(", ")
            ),
            Cookies.merge(Cookies.setUnsafe(Cookies.empty, "host", "1"), response.cookies)
          )
        )
      )
    )
  )

/** Reads JSON and text, like a middleware that verifies a signature of the body. */
const bodyReader = HttpRouter.use((router) =>
  router.addGlobalMiddleware((handled) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const type = request.headers["content-type"] ?? ""
      if (type.startsWith("application/json") || type.startsWith("text/plain"))
        yield* Effect.orDie(request.text)
      return yield* handled
    })
  )
)

/** The router of a layer's routes, below a prefix. */
const below = (prefix: string) =>
  Layer.effect(
    HttpRouter.HttpRouter,
    HttpRouter.HttpRouter.useSync((router) => router.prefixed(prefix))
  )

/** Effect's own HTTP server as a host. */
export const effectHosts: Hosts = {
  atRoot: (till, onError) =>
    serverOf(Layer.mergeAll(hostMiddleware(onError), TillRoutes, ownAt("/own")), till),
  underShop: (till) =>
    serverOf(Layer.mergeAll(TillRoutes.pipe(Layer.provide(below("/shop"))), ownAt("/shop/own")), till),
  afterBodyParser: (till) => serverOf(Layer.mergeAll(bodyReader, TillRoutes), till),
  framework: { rejectsMalformedEncoding: 404, closesAfterUnreadBody: true }
}
