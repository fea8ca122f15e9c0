import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import type { Till } from "@till402/core"
import { till402 as tillExpress } from "@till402/express"
import { till402 as tillHono } from "@till402/hono"
import { till402 as tillKoa } from "@till402/koa"
import express from "express"
import { Hono } from "hono"
import Koa from "koa"

export type AdapterName = "hono" | "express" | "koa"

/** A server that mounts a till, on a port of this machine. */
export interface Serving {
  /** `http://127.0.0.1:4021`. */
  readonly url: string
  readonly stop: () => Promise<void>
}

const servers: Record<AdapterName, (till: Till) => Server> = {
  hono: (till) => createAdaptorServer({ fetch: new Hono().use(tillHono(till)).fetch }) as Server,
  express: (till) => createServer(express().use(tillExpress(till))),
  koa: (till) => createServer(new Koa().use(tillKoa(till)).callback())
}

/** Takes a port before there is a till, since the till must know its own public address. */
export const serve = async (
  adapter: AdapterName,
  port: number,
  makeTill: (baseUrl: string) => Promise<Till>
): Promise<Serving & { readonly till: Till }> => {
  const reserved = createServer()
  await listen(reserved, port)
  const taken = (reserved.address() as AddressInfo).port
  const url = `http://127.0.0.1:${taken}`
  await close(reserved)
  const till = await makeTill(url)
  const server = servers[adapter](till)
  try {
    await listen(server, taken)
  } catch (error) {
    await till.dispose()
    throw error
  }
  return {
    url,
    till,
    stop: async () => {
      await close(server)
      await till.dispose()
    }
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject)
      resolve()
    })
  })

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
    // Connections that are still busy get a moment, then they are cut.
    setTimeout(() => server.closeAllConnections(), 1_000).unref()
  })
