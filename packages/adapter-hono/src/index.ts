import type { IncomingRequest, Target, Till } from "@till402/core"
import type { MiddlewareHandler } from "hono"
import { routePath } from "hono/route"
import { callerOf, rebuildRequest, requireHono } from "./HonoCaller.ts"
import { requireHandler } from "./priced.ts"

export { priced } from "./priced.ts"

const passOn: MiddlewareHandler = (context, next) => {
  requireHandler(context)
  return next()
}

/**
 * Mounts a till in Hono, at the root or under a prefix, on any runtime.
 *
 * Other paths continue to the host's own routes. Earlier middleware may have read the body through `context.req`.
 *
 * @example
 * const app = new Hono()
 * app.use(till402(till))
 * app.get("/", (context) => context.text("my own route"))
 */
export const till402 = (till: Pick<Till, "handle" | "handles">): MiddlewareHandler => {
  // Hosts without type checks may pass the options, or a promise.
  if (typeof till?.handles !== "function") throw new TypeError("till402 takes what Till.make returns")
  const handle: MiddlewareHandler = async (context, next) => {
    const { raw } = context.req
    const sent = new URL(raw.url)
    let url: Target = sent
    let mount: string | undefined
    if (!till.handles(sent.pathname)) {
      // A till whose base URL has no prefix expects the path below Hono's mount.
      mount = routePath(context).replace(/\/?\*$/, "")
      if (mount === "" || !sent.pathname.startsWith(`${mount}/`)) return passOn(context, next)
      url = { pathname: sent.pathname.slice(mount.length), search: sent.search }
      if (!till.handles(url.pathname)) return passOn(context, next)
    }
    const address = () => Object.assign(new URL(raw.url), { pathname: url.pathname })
    const rebuilt = raw.bodyUsed ? await rebuildRequest(address(), context.req) : undefined
    const request: IncomingRequest = {
      method: raw.method,
      url,
      header: (name) => raw.headers.get(name),
      toRequest: () => rebuilt ?? (url === sent ? raw : new Request(address(), raw))
    }
    const result = await till.handle(request, { ...callerOf(context), mount })
    // Hono drops the body of a HEAD response without canceling its stream.
    if (context.req.method === "HEAD" && result.body instanceof ReadableStream) await result.body.cancel()
    return result instanceof Response ? result : new Response(result.body as BodyInit | null, result)
  }
  // Not in the promise, whose rejection Express 4 doesn't see.
  return (context, next) => {
    requireHono(context)
    return handle(context, next)
  }
}
