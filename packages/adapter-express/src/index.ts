import type { Till } from "@till402/core"
import { malformedTarget, targetOf, toRequest, writeResponse } from "@till402/core/node"
import type { RequestHandler } from "express"

/**
 * Mounts a till in Express, at the root or at any prefix. Paths that are not the till's go on to the
 * host's own routes. A body parser may come before it.
 *
 * @example
 * const app = express()
 * app.use(till402(till))
 * app.get("/", (request, response) => response.send("my own route"))
 */
export const till402 =
  (till: Pick<Till, "fetch" | "handles">): RequestHandler =>
  (request, response, next) => {
    const url = targetOf(request.originalUrl)
    if (url === undefined) {
      void writeResponse(malformedTarget(), response)
      return
    }
    // Express has taken the prefix of the mount off `path`; the till knows both forms.
    const mounted = till.handles(url.pathname) ? url : new URL(request.path + url.search, url)
    if (!till.handles(mounted.pathname)) {
      next()
      return
    }
    till
      .fetch(toRequest(request, mounted))
      .then((answer) => writeResponse(answer, response))
      .catch(next)
  }
