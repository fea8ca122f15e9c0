import { once } from "node:events"
import { createServer } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import { Till } from "@till402/core"
import { sqlite } from "@till402/core/sqlite"
import { fakeFacilitator } from "@till402/testing"
import { till402 as forExpress } from "@till402/express"
import { till402 as forFastify } from "@till402/fastify"
import { till402 as forHono } from "@till402/hono"
import { till402 as forKoa } from "@till402/koa"
import { sampleShop } from "@till402/sandbox/shop"
import express from "express"
import express4 from "express4"
import Fastify from "fastify"
import { Hono } from "hono"
import Koa from "koa"
import Koa2 from "koa2"

/*
 * The same shop in each framework, in plain JavaScript. Prints its ports on one line, and ends with its standard input.
 */

const openTill = async (name) => {
  const { ports, vaultItems } = sampleShop()
  const till = Till.make({
    baseUrl: "https://shop.example",
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    networks: ["base-sepolia"],
    facilitator: fakeFacilitator(),
    trustFacilitator: true,
    secret: "a text that nobody can guess, of 32 characters or more",
    storage: sqlite({ filename: `${name}.sqlite` }),
    onEvent: ({ message }) => process.stderr.write(`${message}\n`),
    ...ports
  })
  await till.ready
  for (const item of vaultItems) await till.vault.put(item)
  return till
}

const onExpress = (express) => (till) => {
  const app = express()
  app.use(forExpress(till))
  app.get("/own", (_request, response) => {
    response.send("my own route")
  })
  return createServer(app)
}

const onKoa = (Koa) => (till) => {
  const app = new Koa()
  app.use(forKoa(till))
  app.use((context) => {
    context.body = "my own route"
  })
  return createServer(app.callback())
}

const hosts = {
  express: onExpress(express),
  express4: onExpress(express4),
  fastify: async (till) => {
    const app = Fastify()
    await app.register(forFastify(till))
    app.get("/own", () => "my own route")
    await app.ready()
    return app.server
  },
  hono: (till) => {
    const app = new Hono()
    app.use(forHono(till))
    app.get("/own", (context) => context.text("my own route"))
    return createAdaptorServer({ fetch: app.fetch })
  },
  koa: onKoa(Koa),
  koa2: onKoa(Koa2)
}

const ports = {}
const closing = []
for (const [name, host] of Object.entries(hosts)) {
  const till = await openTill(name)
  const server = (await host(till)).listen(0, "127.0.0.1")
  await once(server, "listening")
  ports[name] = server.address().port
  closing.push(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, "close")
    await till.dispose()
  })
}
console.log(JSON.stringify(ports))

process.stdin.resume()
await once(process.stdin, "end")
for (const close of closing) await close()
