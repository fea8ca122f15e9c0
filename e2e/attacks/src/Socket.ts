import { request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { serve } from "@hono/node-server"
import { onTestFinished } from "vitest"
import type { Server } from "./Visitor.ts"

/*
 * A server on a real socket, and a client that hides nothing of what comes back.
 */

/** Opens a server on a free port of the loopback interface for one test: its port. */
export const listen = async ({ fetch }: Pick<Server, "fetch">): Promise<number> => {
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" })
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  if (!server.listening) await new Promise<void>((resolve) => server.once("listening", () => resolve()))
  return (server.address() as AddressInfo).port
}

/** Sends headers as they are, names and values in turn: the status and what it says. */
export const sendRaw = (
  port: number,
  path: string,
  headers: ReadonlyArray<string>
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const sending = request({
      host: "127.0.0.1",
      port,
      path,
      agent: false,
      headers: ["host", "x", ...headers]
    })
    sending.on("error", reject)
    sending.on("response", (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.on("end", () =>
        resolve({ status: response.statusCode!, text: Buffer.concat(chunks).toString("utf8") })
      )
    })
    sending.end()
  })

/** What came over the wire for one request on a connection of its own. */
export interface Wire {
  readonly status: number
  /** The lines of the head after the first, as they came. */
  readonly lines: ReadonlyArray<string>
  /** What follows the head, as it came. */
  readonly rest: string
}

const boundMillis = 5_000

/**
 * Sends one request and takes every byte that comes back until the connection ends: what a proxy would see, be it more
 * than one response.
 */
export const overTheWire = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>
): Promise<Wire> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, "127.0.0.1", () => {
      const given = Object.entries({ host: "x", connection: "close", ...headers })
      const lines = given.map(([name, value]) => `${name}: ${value}\r\n`)
      socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("")}\r\n`)
    })
    const end = () => {
      socket.destroy()
      const [head = "", ...rest] = Buffer.concat(chunks).toString("latin1").split("\r\n\r\n")
      const [first = "", ...lines] = head.split("\r\n")
      resolve({ status: Number(first.split(" ")[1]), lines, rest: rest.join("\r\n\r\n") })
    }
    socket.setTimeout(boundMillis)
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.on("timeout", () => reject(new Error(`no end of the response within ${boundMillis} ms`)))
    socket.on("end", end)
    // A connection that is broken off has said what it had to say.
    socket.on("error", (error) => (chunks.length === 0 ? reject(error) : end()))
  })
