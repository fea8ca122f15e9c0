import type { PlainResponse, Till } from "@till402/core"
import { bodyOf, cancelBody, incoming, malformedTarget, targetOf, writeHead } from "@till402/core/node"
import type { Context, Middleware } from "koa"

/**
 * Mounts a till in Koa, at the root or under a prefix (koa-mount). Paths that are not the till's go on to
 * the host's own middleware; a body parser may come before it. Status, headers and body are set on the
 * context, so that the host's logging and error handling see them.
 *
 * @example
 * const app = new Koa()
 * app.use(till402(till))
 * app.use((context) => { context.body = "my own route" })
 */
export const till402 =
  (till: Pick<Till, "answer" | "handles">): Middleware =>
  async (context, next) => {
    const sent = targetOf(context.originalUrl)
    if (sent === undefined) return answer(context, malformedTarget())
    // A mount may have taken its prefix off `url`; a till whose base URL has none knows that form.
    const url = till.handles(sent.pathname) ? sent : targetOf(context.url)
    if (url === undefined || !till.handles(url.pathname)) return next()
    const { body: parsedBody } = context.request as { readonly body?: unknown }
    const caller = { clientAddress: context.ip }
    return answer(context, await till.answer(incoming(context.req, { url, parsedBody }), caller))
  }

const answer = async (context: Context, response: Response | PlainResponse): Promise<void> => {
  const isHead = context.method === "HEAD"
  if (isHead) await cancelBody(response)
  context.status = response.status
  context.body = isHead ? null : await bodyOf(response)
  // Koa chooses a status and a type of its own for some bodies: the answer's own stand.
  context.remove("Content-Type")
  context.status = response.status
  writeHead(response, context.res)
}
