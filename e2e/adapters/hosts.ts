import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"
import type { Received } from "./client.ts"
import { type Echo, fakeTill, type Seam } from "./till.ts"

/** How a framework hosts a till; each method makes a server that does not listen yet. */
export interface Hosts {
  /**
   * The till at the root, before a route `GET /own` that returns "my own route". A middleware before the
   * till sets the cookie `host=1` and `Vary: Accept`. The host's error handler returns 500 with the text
   * "host: <message>", and calls `onError`.
   */
  readonly atRoot: (till: Seam, onError: (error: unknown) => void) => Server
  /** The till mounted at `/shop`, before a route `GET /shop/own`. */
  readonly underShop: (till: Seam) => Server
  /** A parser of JSON and text that has read the body before the till gets the request. */
  readonly afterBodyParser: (till: Seam) => Server
  /** What the framework does itself, before or after any route: its router or server decides, not the adapter. */
  readonly framework?: {
    /** Responds with this status to a path with malformed percent-encoding. */
    readonly rejectsMalformedEncoding?: 400 | 404
    /** Closes the connection after a response if much of the request's body was not read. */
    readonly closesAfterUnreadBody?: boolean
  }
}

/** Listens on a free port until the test ends. */
export const serve = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return (server.address() as AddressInfo).port
}

/** What reached the till, from the response of its echo. */
export const echoOf = ({ text }: Received): Echo => JSON.parse(text) as Echo

/** A till at the root of a server that listens. */
export const setUp = async (hosts: Hosts) => {
  const till = fakeTill()
  const errors: Array<unknown> = []
  const port = await serve(hosts.atRoot(till.seam, (error) => errors.push(error)))
  return { ...till, errors, port }
}
