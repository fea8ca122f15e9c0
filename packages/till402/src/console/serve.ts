import { createHash, randomBytes, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { getRequestListener } from "@hono/node-server"
import { type Access, type Console, tillConsole } from "@till402/console"
import { actionLine, type ConsoleSource, isOwnHost } from "@till402/console/operate"
import { CommandFailed, WrongUsage, wordsOf } from "../CommandFailed.ts"
import type { Surroundings } from "../commands/Surroundings.ts"
import { isOnThisMachine } from "../pay/url.ts"
import { labelled } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"
import { Guesses } from "./Guesses.ts"

/*
 * The console on a port, for an operator at this machine or behind their own proxy. Every visitor gives a password.
 */

/** Where a console listens. */
export interface Address {
  /** As in a URL: `127.0.0.1` or `[::1]`. */
  readonly host: string
  readonly port: number
}

const maxPort = 65_535

/** @throws WrongUsage if it isn't `HOST:PORT` */
export const addressOf = (text: string): Address => {
  const [, host = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[\w.-]+):(\d{1,5})$/.exec(text) ?? []
  if (host === "" || Number(port) > maxPort || !URL.canParse(`http://${host}`))
    throw new WrongUsage(`--listen must be HOST:PORT, such as 127.0.0.1:4022: got ${text}`)
  return { host, port: Number(port) }
}

const isLoopback = ({ host }: Address): boolean => isOnThisMachine(new URL(`http://${host}`))

/** What visitors give to be let in. */
export interface Password {
  readonly text: string
  /** It is new, and shown once: the environment has none. */
  readonly isNew: boolean
}

const minPasswordLength = 16

/**
 * The password of the environment, or a new one, which will do where only this machine is served.
 *
 * @throws WrongUsage if it is short, or missing where others can connect
 */
export const passwordFor = (address: Address, given: string | undefined): Password => {
  if (given !== undefined && given !== "") {
    if (given.length < minPasswordLength)
      throw new WrongUsage(`TILL_CONSOLE_PASSWORD must have at least ${minPasswordLength} characters`)
    return { text: given, isNew: false }
  }
  if (!isLoopback(address))
    throw new WrongUsage(
      `set TILL_CONSOLE_PASSWORD: others can connect to ${address.host}, and the pages show what was sold to whom`
    )
  return { text: randomBytes(18).toString("base64url"), isNew: true }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/** The name and the password of a request; browsers ask for both. */
const credentialsOf = (authorization: string): readonly [name: string, password: string] | undefined => {
  const [, encoded] = /^Basic ([\w+/]+=*)$/i.exec(authorization) ?? []
  if (encoded === undefined) return undefined
  const decoded = Buffer.from(encoded, "base64").toString("utf8")
  const colon = decoded.indexOf(":")
  return colon < 0 ? undefined : [decoded.slice(0, colon), decoded.slice(colon + 1)]
}

const maxName = 50

const isPassword = ({ text }: Password, given: string): boolean =>
  timingSafeEqual(digest(given), digest(text))

/** Lets in whoever has the password, under the name that they give. */
const authorizeBy =
  (password: Password, role: "admin" | "read") =>
  (request: Request): Access => {
    const [name, given] = credentialsOf(request.headers.get("authorization") ?? "") ?? ["", ""]
    if (isPassword(password, given)) return { role, name: harmless(name, maxName) || "operator" }
    return new Response("This console takes the password that its command printed or was given.\n", {
      status: 401,
      headers: { "www-authenticate": 'Basic realm="Till402", charset="UTF-8"', "cache-control": "no-store" }
    })
  }

/** How a console is served. */
export interface Served {
  readonly address: Address
  readonly password: Password
  /** Another name of this machine that requests may give. */
  readonly name: string | undefined
  readonly isAdmin: boolean
  readonly now: () => number
}

const listenerOf = (console: Console, served: Served, { output }: Surroundings) => {
  const { address, name, now, password } = served
  const guesses = new Guesses(now)
  const strange = `This console answers to localhost, to IP addresses, to ${address.host}, and to the name that --host gives.\n`
  const respond = getRequestListener(
    async (request) => {
      try {
        return await console.fetch(request)
      } catch (error) {
        output.note(harmless(`a page could not be made: ${wordsOf(error)}`, 500))
        return new Response("The page could not be made. The command's terminal says why.\n", { status: 500 })
      }
    },
    { overrideGlobalObjects: false }
  )
  return createServer((request, response) => {
    if (!isOwnHost(request.headers.host, address.host, name))
      return void response.writeHead(421, { "content-type": "text/plain" }).end(strange)
    const visitor = request.socket.remoteAddress ?? ""
    if (guesses.areSpent(visitor))
      return void response
        .writeHead(429, { "content-type": "text/plain", "retry-after": "60", "cache-control": "no-store" })
        .end("Too many wrong passwords came from your address. Wait a minute.\n")
    const credentials = credentialsOf(request.headers.authorization ?? "")
    if (credentials !== undefined && !isPassword(password, credentials[1])) guesses.add(visitor)
    return void respond(request, response)
  })
}

const listen = async (server: Server, { host, port }: Address): Promise<number> => {
  server.listen(port, host.replaceAll(/[[\]]/g, ""))
  try {
    await once(server, "listening")
  } catch (error) {
    throw new CommandFailed(`${host}:${port} can't be listened on: ${wordsOf(error)}. Give --listen another`)
  }
  return (server.address() as AddressInfo).port
}

/** Serves a console until the process is to end. */
export const serveConsole = async (
  till: ConsoleSource,
  served: Served,
  surroundings: Surroundings
): Promise<void> => {
  const { address, isAdmin, now, password } = served
  const { output, untilStopped = () => new Promise<never>(() => undefined) } = surroundings
  const console = tillConsole({
    till,
    path: "/",
    authorize: authorizeBy(password, isAdmin ? "admin" : "read"),
    onAction: (entry) => output.note(actionLine(entry)),
    now: () => new Date(now())
  })
  const server = listenerOf(console, served, surroundings)
  const port = await listen(server, address)
  try {
    output.print(`console    http://${address.host}:${port}/`)
    output.print(`access     ${isAdmin ? "reads; records, stops and resumes refunds" : "reads"}`)
    output.print("user       any name: the log has it")
    output.print(`password   ${password.isNew ? password.text : "that of TILL_CONSOLE_PASSWORD"}`)
    const warning = "Others can connect, and plain HTTP hides no password: serve it by a proxy with HTTPS."
    if (!isLoopback(address)) for (const line of labelled("note", warning)) output.note(line)
    await untilStopped()
  } finally {
    console.dispose()
    server.close()
    server.closeAllConnections()
  }
}
