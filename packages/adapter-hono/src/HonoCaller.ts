import type { Context, HonoRequest } from "hono"

interface NodeBindings {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string } }
}

/** The client's address, set by @hono/node-server; on other runtimes, use the till's option `clientAddress`. */
export const callerOf = (context: Context) => {
  const { incoming } = (context.env ?? {}) as NodeBindings
  return { clientAddress: incoming?.socket?.remoteAddress }
}

/** Rebuilds a request whose body was already read, from Hono's copy, which may differ byte for byte. */
export const rebuildRequest = async (url: URL, request: HonoRequest): Promise<Request> => {
  const headers = new Headers(request.raw.headers)
  headers.delete("content-length")
  return new Request(url, { method: request.raw.method, headers, body: await request.arrayBuffer() })
}

/** @throws TypeError where another framework calls a middleware of Hono */
export const requireHono = ({ req }: Partial<Context>): void => {
  if (typeof req?.raw !== "object")
    throw new TypeError(
      "@till402/hono is for Hono, and another framework has called it: use @till402/express, @till402/fastify or @till402/koa"
    )
}
