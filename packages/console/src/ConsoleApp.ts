import type { Context, Hono } from "hono"
import type { PageContext } from "./pages/layout.ts"

export type Env = { Variables: { page: PageContext } }
export type ConsoleApp = Hono<Env>
export type ConsoleContext = Context<Env>

/** A HEAD request, which reaches the routes of GET: it must open nothing, since nobody reads it to its end. */
export const isHead = ({ req }: ConsoleContext): boolean => req.method === "HEAD"
