import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { Caller } from "../http/HttpMessage.ts"
import { ServerRequest, toServerResponse } from "../http/ServerMessage.ts"
import { targetOf } from "../http/Target.ts"
import { TillService } from "./TillService.ts"

/** Uses the path as sent if the till handles it, otherwise the path below the router's mount. */
const readTarget = (
  till: TillService["Service"],
  { originalUrl, url }: HttpServerRequest.HttpServerRequest,
  { route }: HttpRouter.RouteContext["Service"]
) => {
  const sent = Option.isSome(route.prefix) ? targetOf(originalUrl) : undefined
  if (sent !== undefined && till.handles(sent.pathname)) return { url: sent, mount: undefined }
  const target = targetOf(url)
  return target !== undefined && till.handles(target.pathname)
    ? { url: target, mount: Option.getOrUndefined(route.prefix) }
    : undefined
}

const handle = Effect.fnUntraced(function* (till: TillService["Service"]) {
  const request = yield* HttpServerRequest.HttpServerRequest
  const target = readTarget(till, request, yield* HttpRouter.RouteContext)
  // The router may ignore case and repeated slashes; a till doesn't.
  if (target === undefined) return HttpServerResponse.empty({ status: 404 })
  const { mount, url } = target
  const context = yield* Effect.context<never>()
  const caller: Caller = { clientAddress: Option.getOrUndefined(request.remoteAddress), mount }
  const handling = till.handle(new ServerRequest(request, { context, url }), caller)
  return yield* toServerResponse(Effect.isEffect(handling) ? yield* handling : handling, request.method)
})

/**
 * Registers the routes of a till in an `HttpRouter`, for every path with and without the prefix of `baseUrl`. A client
 * that disconnects does not interrupt its call. A second till needs another mount: provide `router.prefixed`.
 *
 * @example
 * import { Till, TillRoutes, Track } from "@till402/core/effect"
 * import { Layer } from "effect"
 * import { HttpRouter } from "effect/http"
 *
 * const App = HttpRouter.serve(TillRoutes).pipe(Layer.provide(Till.layerConfig([Track.layer])))
 */
export const TillRoutes: Layer.Layer<never, never, TillService | HttpRouter.HttpRouter> = Layer.fresh(
  HttpRouter.use(
    Effect.fnUntraced(function* (router) {
      const till = yield* TillService
      for (const prefix of new Set(["", till.prefix] as const))
        for (const path of till.paths)
          yield* router.add("*", `${prefix}${path}`, handle(till), { uninterruptible: true })
    })
  )
)
