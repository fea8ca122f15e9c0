import type { Till } from "@till402/core"
import { bodyOf, malformedTarget, targetOf, toRequest } from "@till402/core/node"
import type { Context, Middleware } from "koa"

/**
 * Mounts a till in Koa, at the root or under a prefix. Paths that are not the till's go on to the host's
 * own middleware; a body parser may come before it. Status, headers and body are set on the context, so
 * that the host's logging and error handling see them.
 *
 * @example
 * const app = new Koa()
 * app.use(till402(till))
 * app.use((context) => { context.body = "my own route" })
 */
export const till402 =
  (till: Pick<Till, "fetch" | "handles">): Middleware =>
  async (context, next) => {
    const url = targetOf(context.originalUrl)
    if (url === undefined) return answer(context, malformedTarget())
    // A mount may have taken its prefix off `path`; the till knows both forms.
    const mounted = till.handles(url.pathname) ? url : new URL(context.path + url.search, url)
    if (!till.handles(mounted.pathname)) return next()
    const { body } = context.request as { readonly body?: unknown }
    const request = toRequest(Object.assign(context.req, body === undefined ? {} : { body }), mounted)
    return answer(context, await till.fetch(request))
  }

const answer = (context: Context, response: Response): void => {
  context.status = response.status
  const body = bodyOf(response)
  context.body = body ?? null
  // Setting an empty body makes Koa choose 204; the answer's own status stands.
  context.status = response.status
  for (const [name, value] of response.headers) context.set(name, value)
}
