import type { Till } from "@till402/core"
import type { MiddlewareHandler } from "hono"

/**
 * Mounts a till in Hono, on any runtime that Hono runs on. Paths that are not the till's go on to the
 * host's own routes.
 *
 * @example
 * const app = new Hono()
 * app.use(till402(till))
 * app.get("/", (context) => context.text("my own route"))
 */
export const till402 =
  (till: Pick<Till, "fetch" | "handles">): MiddlewareHandler =>
  async (context, next) => {
    const { pathname } = new URL(context.req.raw.url)
    if (till.handles(pathname)) return till.fetch(context.req.raw)
    return next()
  }
