import type { IncomingRequest, Till } from "@till402/core"
import type { HonoRequest, MiddlewareHandler } from "hono"
import { routePath } from "hono/route"

/**
 * Mounts a till in Hono, at the root or at any prefix, on any runtime that Hono runs on. Paths that are not
 * the till's go on to the host's own routes. The body may have been read before by way of `context.req`.
 *
 * @example
 * const app = new Hono()
 * app.use(till402(till))
 * app.get("/", (context) => context.text("my own route"))
 */
export const till402 =
  (till: Pick<Till, "answer" | "handles">): MiddlewareHandler =>
  async (context, next) => {
    const url = new URL(context.req.raw.url)
    if (!till.handles(url.pathname)) {
      // A till whose base URL has no prefix knows the path as it stands below Hono's mount.
      const mount = routePath(context).replace(/\/?\*$/, "")
      if (mount === "" || !url.pathname.startsWith(`${mount}/`)) return next()
      url.pathname = url.pathname.slice(mount.length)
      if (!till.handles(url.pathname)) return next()
    }
    // What @hono/node-server tells; elsewhere the option `clientAddress` of the till does.
    const { incoming } = (context.env ?? {}) as NodeBindings
    const caller = { clientAddress: incoming?.socket?.remoteAddress }
    const { raw } = context.req
    const again = raw.bodyUsed ? await madeAgain(url, context.req) : undefined
    const request: IncomingRequest = {
      method: raw.method,
      url,
      header: (name) => raw.headers.get(name),
      toRequest: () => again ?? (raw.url === url.href ? raw : new Request(url, raw))
    }
    const answered = await till.answer(request, caller)
    // Hono drops the body of a HEAD, but leaves its source waiting.
    if (context.req.method === "HEAD" && answered.body instanceof ReadableStream) await answered.body.cancel()
    return answered instanceof Response ? answered : new Response(answered.body as BodyInit | null, answered)
  }

interface NodeBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
}

/** A request whose body was read before us: Hono keeps what was read, though not always byte for byte. */
const madeAgain = async (url: URL, request: HonoRequest): Promise<Request> => {
  const headers = new Headers(request.raw.headers)
  headers.delete("content-length")
  return new Request(url, { method: request.raw.method, headers, body: await request.arrayBuffer() })
}
