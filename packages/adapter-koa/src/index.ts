import type { PlainResponse, Till } from "@till402/core"
import { bodyOf, cancelBody, incoming, malformedTarget, targetOf, writeHead } from "@till402/core/node"
import type { Context, Middleware } from "koa"

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
  return async (context, next) => {
    const original = targetOf(context.originalUrl)
    if (original === undefined) return respond(context, malformedTarget())
    // koa-mount removes the prefix from `url`. A till whose base URL has no prefix expects that form.
    const url = till.handles(original.pathname) ? original : targetOf(context.url)
    if (url === undefined || !till.handles(url.pathname)) return next()
    // Koa's body parsers keep the text that was sent in `rawBody`.
    const { body, rawBody } = context.request as { readonly body?: unknown; readonly rawBody?: unknown }
    const request = incoming(context.req, { url, parsedBody: rawBody ?? body })
    const { pathname } = original
    const mount = pathname.endsWith(url.pathname) ? pathname.slice(0, -url.pathname.length) : undefined
    return respond(context, await till.handle(request, { clientAddress: context.ip, mount }))
  }
}

const respond = async (context: Context, response: Response | PlainResponse): Promise<void> => {
  const isHead = context.method === "HEAD"
  if (isHead) await cancelBody(response)
  context.status = response.status
  context.body = isHead ? null : await bodyOf(response)
  // Koa sets its own status and type for some bodies: restore those of the response.
  context.remove("Content-Type")
  context.status = response.status
  writeHead(response, context.res)
}
