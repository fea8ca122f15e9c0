import { createServer, type Server } from "node:http"
import { till402 } from "@till402/fastify"
import Fastify, { type FastifyInstance } from "fastify"
import type { Hosts } from "./hosts.ts"

/** A server of an app, which handles requests once its plugins are loaded. */
export const serverOfFastify = (app: FastifyInstance): Server => {
  const ready = app.ready()
  return createServer((request, response) => {
    void ready.then(() => app.routing(request, response))
  })
}

/** Fastify as a host. */
export const fastifyHosts: Hosts = {
  atRoot: (till, onError) => {
    const app = Fastify()
    app.setErrorHandler((error: Error, _request, reply) => {
      onError(error)
      return reply.code(500).type("text/plain").send(`host: ${error.message}`)
    })
    app.addHook("onRequest", (_request, reply, done) => {
      reply.header("Set-Cookie", "host=1").header("Vary", "Accept")
      done()
    })
    void app.register(till402(till))
    app.get("/own", () => "my own route")
    return serverOfFastify(app)
  },
  underShop: (till) => {
    const app = Fastify()
    void app.register(till402(till), { prefix: "/shop" })
    app.get("/shop/own", () => "my own route")
    return serverOfFastify(app)
  },
  afterBodyParser: (till) => {
    const app = Fastify()
    app.addContentTypeParser("*", { parseAs: "string" }, (_request, body, done) => done(null, body))
    void app.register(till402(till))
    return serverOfFastify(app)
  },
  framework: { rejectsMalformedEncoding: 400 }
}
