import type { Till } from "@till402/core"
import { incoming, malformedTarget, targetOf, writeResponse } from "@till402/core/node"
import type { FastifyInstance, FastifyPluginCallback, onRequestAsyncHookHandler } from "fastify"
import { callerOf } from "./callerOf.ts"
import { refuseMisplaced, refuseUncalled } from "./priced.ts"
import { sendNow } from "./sendNow.ts"

export { priced } from "./priced.ts"

/** The instance whose hooks run for every path: those of a plugin's own run only for its routes. */
const rootOf = (app: FastifyInstance): FastifyInstance => {
  const parent = Object.getPrototypeOf(app) as Partial<FastifyInstance> | null
  return typeof parent?.addHook === "function" ? rootOf(parent as FastifyInstance) : app
}

/**
 * Mounts a till in Fastify, at the root or under a prefix: its own, or that of the plugin in which it is registered.
 *
 * Other paths continue to the host's own routes, and errors to its error handler. The till reads bodies itself, before
 * any parser of Fastify.
 *
 * @example
 * import Fastify from "fastify"
 *
 * const app = Fastify()
 * app.register(till402(till))
 * app.get("/", () => "my own route")
 */
export const till402 = (
  till: Pick<Till, "handle" | "handles">
): FastifyPluginCallback<{ readonly prefix?: string }> => {
  // Hosts without type checks may pass the options, or a promise.
  if (typeof till?.handles !== "function") throw new TypeError("till402 takes what Till.make returns")
  const plugin: FastifyPluginCallback<{ readonly prefix?: string }> = (
    app: FastifyInstance,
    { prefix = "" },
    done
  ) => {
    // As a middleware of another framework.
    if (typeof app.addHook !== "function")
      throw new TypeError(
        "@till402/fastify is for Fastify, and another framework has called it: use @till402/express, @till402/hono or @till402/koa"
      )
    const mount = `${app.prefix}${prefix}`.replace(/\/$/, "")
    const handle: onRequestAsyncHookHandler = async (request, reply) => {
      const sent = targetOf(request.raw.url ?? "/")
      if (sent === undefined) return sendNow(reply, () => writeResponse(malformedTarget(), reply.raw))
      // A till whose base URL has no prefix expects the path below the mount.
      const isBelow = mount !== "" && sent.pathname.startsWith(`${mount}/`)
      const below = isBelow ? { pathname: sent.pathname.slice(mount.length), search: sent.search } : undefined
      const url = till.handles(sent.pathname) && (isBelow || mount === "") ? sent : below
      if (url === undefined || !till.handles(url.pathname)) return
      const caller = { ...callerOf(request), mount: url === below ? mount : "" }
      const result = await till.handle(incoming(request.raw, { url }), caller)
      return sendNow(reply, () => writeResponse(result, reply.raw))
    }
    const root = rootOf(app)
    root.addHook("onRequest", handle)
    root.addHook("preHandler", refuseUncalled)
    for (const instance of new Set([root, app])) instance.addHook("onRoute", refuseMisplaced)
    done()
  }
  // Hooks of a plugin apply to the plugin's own routes; those of one with this mark, to the instance it is registered on.
  return Object.assign(plugin, { [Symbol.for("skip-override")]: true })
}
