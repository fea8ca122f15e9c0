import type { Till } from "@till402/core"
import { malformedTarget, targetOf } from "@till402/core/node"
import type { Middleware } from "koa"
import { callerOf, requestOf, requireKoa, respond } from "./KoaMessages.ts"
import { refuseBare } from "./priced.ts"

export { priced } from "./priced.ts"

/**
 * Mounts a till in Koa, at the root or under a prefix (koa-mount).
 *
 * Other paths continue to the host's own middleware, and a body parser may run first. Status, headers and body are set
 * on the context, so the host's logging and error handling see them.
 *
 * @example
 * const app = new Koa()
 * app.use(till402(till))
 * app.use((context) => { context.body = "my own route" })
 */
export const till402 = (till: Pick<Till, "handle" | "handles">): Middleware => {
  // Hosts without type checks may pass the options, or a promise.
  if (typeof till?.handles !== "function") throw new TypeError("till402 takes what Till.make returns")
  const handle: Middleware = async (context, next) => {
    const original = targetOf(context.originalUrl)
    if (original === undefined) return respond(context, malformedTarget())
    // koa-mount removes the prefix from `url`. A till whose base URL has no prefix expects that form.
    const url = till.handles(original.pathname) ? original : targetOf(context.url)
    if (url === undefined || !till.handles(url.pathname)) {
      await next()
      return refuseBare(context)
    }
    const { pathname } = original
    const mount = pathname.endsWith(url.pathname) ? pathname.slice(0, -url.pathname.length) : undefined
    return respond(context, await till.handle(requestOf(context, { url }), { ...callerOf(context), mount }))
  }
  // Not in the promise, whose rejection Express 4 doesn't see.
  return (context, next) => {
    requireKoa(context, next)
    return handle(context, next)
  }
}
