import { createServer } from "node:http"
import { till402 } from "@till402/express"
import express, { type ErrorRequestHandler } from "express"
import express4 from "express4"
import type { Hosts } from "./hosts.ts"

/** Both versions of Express, by the types of version 5. */
export const expresses = { "Express 5": express, "Express 4": express4 as unknown as typeof express }

const hostsOf = (express: (typeof expresses)["Express 5"]): Hosts => ({
  atRoot: (till, onError) => {
    const app = express()
    app.use((_request, response, next) => {
      response.append("Set-Cookie", "host=1").append("Vary", "Accept")
      next()
    })
    app.use(till402(till))
    app.get("/own", (_request, response) => {
      response.send("my own route")
    })
    const handler: ErrorRequestHandler = (error: Error, _request, response, next) => {
      onError(error)
      if (response.headersSent) next(error)
      else response.status(500).type("text").send(`host: ${error.message}`)
    }
    app.use(handler)
    return createServer(app)
  },
  underShop: (till) => {
    const app = express()
    app.use("/shop", till402(till))
    app.get("/shop/own", (_request, response) => {
      response.send("my own route")
    })
    return createServer(app)
  },
  afterBodyParser: (till) => {
    const app = express()
    app.use(express.json(), express.text())
    app.use((request, _response, next) => {
      // What Express 4 leaves when it parsed nothing.
      request.body ??= {}
      next()
    })
    app.use(till402(till))
    return createServer(app)
  }
})

/** Express as a host. */
export const expressHosts = hostsOf(expresses["Express 5"])
export const express4Hosts = hostsOf(expresses["Express 4"])
