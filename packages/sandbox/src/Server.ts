import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import type { Console } from "@till402/console"
import type { Till } from "@till402/core"
import { till402 as tillExpress } from "@till402/express"
import { till402 as tillHono } from "@till402/hono"
import { till402 as tillKoa } from "@till402/koa"
import express from "express"
import { Hono } from "hono"
import Koa from "koa"
import { isOwnHost, strangeHost } from "./OwnHost.ts"

/** A framework that can mount the till. */
export type AdapterName = "hono" | "express" | "koa"

export const adapterNames: ReadonlyArray<AdapterName> = ["hono", "express", "koa"]

/** A server with a port, which returns 503 until a till is mounted. */
export interface Server {
  /** `http://127.0.0.1:4021` */
  readonly url: string
  readonly mount: (adapter: AdapterName, till: Till, console: Console) => void
  /** Serves a JSON document beside the till, on this machine only. */
  readonly serve: (path: string, document: string) => void
  /** Accepts no more calls and waits up to 2 seconds for running ones. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/** A host app in each framework, with the till and its console as its only routes. */
const hosts: Readonly<Record<AdapterName, (till: Till, console: Console) => RequestListener>> = {
  hono: (till, console) => getRequestListener(new Hono().use(tillHono(till)).use(tillHono(console)).fetch),
  express: (till, console) => express().use(tillExpress(till)).use(tillExpress(console)),
  koa: (till, console) => new Koa().use(tillKoa(till)).use(tillKoa(console)).callback()
}

const stopTimeoutMillis = 2_000

/**
 * Listens on a port of the loopback interface (0: a free one). The port is chosen before the till is created,
 * since the till needs its public URL.
 *
 * @param named another name of this machine that requests may give
 *
 * @throws Error with code `EADDRINUSE` if the port is taken.
 */
export const openServer = async (port: number, named?: string): Promise<Server> => {
  let listener: RequestListener = (_request, response) => {
    response.writeHead(503, { "retry-after": "1", "content-type": "text/plain" }).end("Starting.\n")
  }
  const documents = new Map<string, string>()
  const server = createServer((request, response) => {
    if (!isOwnHost(request, named)) {
      response.writeHead(421, { "content-type": "text/plain" }).end(`${strangeHost}\n`)
      return
    }
    const document = request.method === "GET" ? documents.get(request.url ?? "") : undefined
    if (document === undefined) return listener(request, response)
    response.writeHead(200, { "content-type": "application/json" }).end(document)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      resolve()
    })
  })
  const address = server.address() as AddressInfo
  let stopped: Promise<void> | undefined
  return {
    url: `http://127.0.0.1:${address.port}`,
    mount: (adapter, till, console) => {
      listener = hosts[adapter](till, console)
    },
    serve: (path, document) => void documents.set(path, document),
    stop: () =>
      (stopped ??= new Promise((resolve) => {
        const deadline = setTimeout(() => server.closeAllConnections(), stopTimeoutMillis)
        server.close(() => {
          clearTimeout(deadline)
          resolve()
        })
        server.closeIdleConnections()
      }))
  }
}
