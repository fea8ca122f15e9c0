import type { Till } from "@till402/core"
import { incoming, malformedTarget, targetOf, writeResponse } from "@till402/core/node"
import type { RequestHandler } from "express"

/**
 * Mounts a till in Express, at the root or at any prefix. Paths that are not the till's go on to the
 * host's own routes; what it throws goes to the host's error handlers. A body parser may come
 * before it.
 *
 * @example
 * const app = express()
 * app.use(till402(till))
 * app.get("/", (request, response) => response.send("my own route"))
 */
export const till402 =
  (till: Pick<Till, "answer" | "handles">): RequestHandler =>
  (request, response, next) => {
    const sent = targetOf(request.originalUrl)
    if (sent === undefined) {
      writeResponse(malformedTarget(), response).catch(next)
      return
    }
    // Express has taken the prefix of its mount off `url`; a till whose base URL has none knows that form.
    const url = till.handles(sent.pathname) ? sent : targetOf(request.url)
    if (url === undefined || !till.handles(url.pathname)) {
      next()
      return
    }
    till
      .answer(incoming(request, { url, parsedBody: request.body }), { clientAddress: request.ip })
      .then((answer) => writeResponse(answer, response))
      .catch(next)
  }
