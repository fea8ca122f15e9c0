import type { Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import { till402 } from "@till402/hono"
import { Hono } from "hono"
import type { Hosts } from "./hosts.ts"

const serverOf = ({ fetch }: Hono): Server => createAdaptorServer({ fetch }) as Server

/** Hono as a host. */
export const honoHosts: Hosts = {
  atRoot: (till, onError) => {
    const app = new Hono()
    app.onError((error, context) => {
      onError(error)
      return context.text(`host: ${error.message}`, 500)
    })
    app.use(async (context, next) => {
      await next()
      context.res.headers.append("Vary", "Accept")
      const cookies = context.res.headers.getSetCookie()
      context.res.headers.delete("Set-Cookie")
      for (const cookie of ["host=1", ...cookies]) context.res.headers.append("Set-Cookie", cookie)
    })
    app.use(till402(till))
    app.get("/own", (context) => context.text("my own route"))
    return serverOf(app)
  },
  underShop: (till) => {
    const app = new Hono()
    app.use("/shop/*", till402(till))
    app.get("/shop/own", (context) => context.text("my own route"))
    return serverOf(app)
  },
  afterBodyParser: (till) => {
    const app = new Hono()
    app.use(async (context, next) => {
      const type = context.req.header("content-type") ?? ""
      if (type.startsWith("application/json")) await context.req.json()
      if (type.startsWith("text/plain")) await context.req.text()
      return next()
    })
    app.use(till402(till))
    return serverOf(app)
  }
}
