import type { Context, Hono } from "hono"
import type { PageContext } from "./pages/layout.ts"

export type Env = { Variables: { page: PageContext } }
export type ConsoleApp = Hono<Env>
export type ConsoleContext = Context<Env>
