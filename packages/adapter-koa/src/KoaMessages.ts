import { Readable } from "node:stream"
import type { Caller, IncomingRequest, PlainResponse } from "@till402/core"
import { bodyOf, cancelBody, incoming, type RequestSource, writeHead } from "@till402/core/node"
import type { Context } from "koa"

/** The request as the till reads it. Koa's body parsers keep the text that was sent in `rawBody`. */
export const requestOf = (context: Context, source: Omit<RequestSource, "parsedBody">): IncomingRequest => {
  const { body, rawBody } = context.request as { readonly body?: unknown; readonly rawBody?: unknown }
  return incoming(context.req, { ...source, parsedBody: rawBody ?? body })
}

interface ProxySettings {
  readonly maxIpsCount?: number
  readonly proxyIpHeader?: string
}

/**
 * The client's address, by the app's `proxy`: without `maxIpsCount`, the first of the header, which callers may have written.
 * A header of the host's own choice is one that its proxy sets.
 */
export const callerOf = ({ app, ip }: Context): Caller => {
  const { maxIpsCount, proxyIpHeader = "" } = app as ProxySettings
  const trustsAll = app.proxy && maxIpsCount === 0 && /^x-forwarded-for$/i.test(proxyIpHeader)
  return { clientAddress: ip, trustsAll }
}

/** @throws TypeError where another framework calls a middleware of Koa */
export const requireKoa = ({ app, originalUrl }: Partial<Context>, next: unknown): void => {
  if (typeof next !== "function" || typeof originalUrl !== "string" || app === undefined)
    throw new TypeError(
      "@till402/koa is for Koa, and another framework has called it: use @till402/express, @till402/fastify or @till402/hono"
    )
}

/** @throws Error where Koa has responded without the till: the caller got a 404, perhaps for a payment */
export const requireOpen = ({ headerSent }: Context): void => {
  if (headerSent)
    throw new Error(
      "Koa has responded before the till: a middleware before it doesn't wait for those that follow. It must await next(), or return next()"
    )
}

/** Sets the till's response on the context. */
export const respond = async (context: Context, response: Response | PlainResponse): Promise<void> => {
  const isHead = context.method === "HEAD"
  if (isHead) await cancelBody(response)
  const body = isHead ? null : await bodyOf(response)
  requireOpen(context)
  context.status = response.status
  context.body = body
  // Koa 2 lets a client wait for the rest of a body whose source has failed.
  if (body instanceof Readable) body.once("error", () => context.res.destroy())
  // Koa sets its own status and type for some bodies: restore those of the response.
  context.remove("Content-Type")
  context.status = response.status
  writeHead(response, context.res)
}
