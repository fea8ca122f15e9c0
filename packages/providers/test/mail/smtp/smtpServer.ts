import { readFileSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import type { AddressInfo } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

/*
 * Servers on a loopback socket: a whole one, and a scripted one.
 */

const pem = (name: string) => readFileSync(new URL(`../fixtures/${name}.pem`, import.meta.url), "utf8")

/** A certificate for localhost, signed by itself; for these tests alone. */
export const certificate = pem("localhost-cert")
export const key = pem("localhost-key")

export interface Received {
  readonly from: string
  readonly to: ReadonlyArray<string>
  /** Header and body as they came. */
  readonly raw: string
  readonly isEncrypted: boolean
  readonly user: string | undefined
}

export interface RunningServer {
  readonly port: number
  readonly received: ReadonlyArray<Received>
  /** Connections since the start. */
  readonly connections: () => number
  readonly close: () => Promise<void>
}

/** A response to a client: `new Error("No such user")` with `responseCode`. */
export const response = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode })

/** A real SMTP server, which keeps its mails. Without login and in the clear unless `options` change that. */
export const startSmtpServer = async (options: SMTPServerOptions = {}): Promise<RunningServer> => {
  const received: Array<Received> = []
  let connections = 0
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    disableReverseLookup: true,
    key,
    cert: certificate,
    closeTimeout: 100,
    onConnect: (_session, callback) => {
      connections += 1
      callback()
    },
    onData: (stream, session, callback) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString("utf8"),
          isEncrypted: session.secure,
          user: session.user
        })
        callback()
      })
    },
    ...options
  })
  // Clients report their own failures: the tests look there.
  server.on("error", () => undefined)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    connections: () => connections,
    close: () => new Promise((resolve) => server.close(() => resolve()))
  }
}

export interface ScriptedSmtpServer {
  readonly port: number
  /** Lines of the clients, all connections after each other. */
  readonly lines: ReadonlyArray<string>
  readonly close: () => Promise<void>
}

/**
 * A server that greets with `greeting` (`null`: never) and responds to each line with what `reply` returns:
 * `undefined` is silence, `"close"` ends the connection.
 */
export const startScriptedSmtpServer = async (
  greeting: string | null,
  reply: (line: string, socket: Socket) => string | undefined = () => undefined
): Promise<ScriptedSmtpServer> => {
  const lines: Array<string> = []
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => undefined)
    socket.on("close", () => sockets.delete(socket))
    if (greeting === "close") socket.destroy()
    else if (greeting !== null) socket.write(`${greeting}\r\n`)
    let rest = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = (rest + chunk).split("\r\n")
      rest = parts.pop()!
      for (const line of parts) {
        lines.push(line)
        const replied = reply(line, socket)
        if (replied === "close") socket.destroy()
        else if (replied !== undefined) socket.write(`${replied}\r\n`)
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as AddressInfo).port,
    lines,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      })
  }
}
