import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { till402 } from "@till402/koa"
import Koa, { type Middleware } from "koa"
import Koa2 from "koa2"
import type { Hosts } from "./hosts.ts"

const route =
  (path: string): Middleware =>
  async (context, next) => {
    if (context.path !== path) return next()
    context.body = "my own route"
  }

/** Removes a prefix from the path for one middleware, like koa-mount. */
const mount =
  (prefix: string, inner: Middleware): Middleware =>
  async (context, next) => {
    const { path } = context
    if (!path.startsWith(`${prefix}/`)) return next()
    context.path = path.slice(prefix.length)
    await inner(context, async () => {
      context.path = path
      await next()
      context.path = path.slice(prefix.length)
    })
    context.path = path
  }

/** Reads JSON and text into `context.request.body`, like koa-bodyparser: `{}` if it read nothing. */
const bodyParser: Middleware = async (context, next) => {
  const read = async (): Promise<unknown> => {
    if (context.is("json")) return JSON.parse(await text(context.req))
    if (context.is("text/plain")) return text(context.req)
    return {}
  }
  Object.assign(context.request, { body: await read() })
  return next()
}

/** Both versions of Koa, by the types of version 3. */
export const koas = { "Koa 3": Koa, "Koa 2": Koa2 as unknown as typeof Koa }

const hostsOf = (Koa: (typeof koas)["Koa 3"]): Hosts => ({
  atRoot: (till, onError) => {
    const app = new Koa()
    app.on("error", () => undefined)
    app.use(async (context, next) => {
      try {
        context.append("Set-Cookie", "host=1")
        context.vary("Accept")
        await next()
      } catch (error) {
        onError(error)
        context.status = 500
        context.body = `host: ${(error as Error).message}`
      }
    })
    app.use(till402(till)).use(route("/own"))
    return createServer(app.callback())
  },
  underShop: (till) =>
    createServer(
      new Koa()
        .use(mount("/shop", till402(till)))
        .use(route("/shop/own"))
        .callback()
    ),
  afterBodyParser: (till) => createServer(new Koa().use(bodyParser).use(till402(till)).callback())
})

/** Koa as a host. */
export const koaHosts = hostsOf(koas["Koa 3"])
export const koa2Hosts = hostsOf(koas["Koa 2"])
