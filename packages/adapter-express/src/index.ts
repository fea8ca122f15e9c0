import type { Till } from "@till402/core"
import { incoming, malformedTarget, targetOf, writeResponse } from "@till402/core/node"
import type { RequestHandler } from "express"
import { callerOf } from "./callerOf.ts"
import { refuseBare } from "./priced.ts"
import { requireExpress } from "./requireExpress.ts"

export { priced } from "./priced.ts"

/**
 * Mounts a till in Express, at the root or under a prefix.
 *
 * Other paths continue to the host's own routes, and errors to its error handlers. A body parser may run first; see
 * `publicRoutes` for signed webhooks.
 *
 * @example
 * const app = express()
 * app.use(till402(till))
 * app.get("/", (request, response) => response.send("my own route"))
 */
export const till402 = (till: Pick<Till, "handle" | "handles">): RequestHandler => {
  // Hosts without type checks may pass the options, or a promise.
  if (typeof till?.handles !== "function") throw new TypeError("till402 takes what Till.make returns")
  return (request, response, next) => {
    requireExpress(request, next)
    const original = targetOf(request.originalUrl)
    if (original === undefined) {
      writeResponse(malformedTarget(), response).catch(next)
      return
    }
    // Express removes the mount prefix from `url`. A till whose base URL has no prefix expects that form.
    const url = till.handles(original.pathname) ? original : targetOf(request.url)
    if (url === undefined || !till.handles(url.pathname)) {
      refuseBare(request.app)
      next()
      return
    }
    till
      .handle(incoming(request, { url, parsedBody: request.body }), {
        ...callerOf(request),
        mount: url === original ? undefined : request.baseUrl
      })
      .then((result) => writeResponse(result, response))
      .catch(next)
  }
}
