import { request } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { serve } from "@hono/node-server"
import { onTestFinished } from "vitest"
import type { Server } from "./Visitor.ts"

/*
 * A server on a real socket, and a client that exposes the raw response.
 */

/** Opens a server on a free loopback port for one test; returns the port. */
export const listen = async ({ fetch }: Pick<Server, "fetch">): Promise<number> => {
  const server = serve({ fetch, port: 0, hostname: "127.0.0.1" })
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())))
  if (!server.listening) await new Promise<void>((resolve) => server.once("listening", () => resolve()))
  return (server.address() as AddressInfo).port
}

/** Sends headers unchanged, names and values in turn; returns the status and the body's text. */
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

/** The raw response to one request on its own connection. */
export interface Wire {
  readonly status: number
  /** The lines of the head after the first, unchanged. */
  readonly lines: ReadonlyArray<string>
  /** Everything after the head, unchanged. */
  readonly rest: string
}

const boundMillis = 5_000

/**
 * Sends one request and reads every byte until the connection ends, like a proxy, even if that is more than one
 * response.
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
    // A reset connection ends the response as well.
    socket.on("error", (error) => (chunks.length === 0 ? reject(error) : end()))
  })
