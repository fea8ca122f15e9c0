import type { IncomingMessage } from "node:http"
import { isIP } from "node:net"

/*
 * Which names of this machine a sandbox answers to.
 */

export const strangeHost =
  "The sandbox answers to localhost, to IP addresses, and to the name that --host gives when it starts."

/** The name that containers give to their machine. */
const containerHost = "host.docker.internal"

/**
 * Whether a request's `Host` is this machine's. A website could otherwise have its own name resolve to this machine, and
 * read keys or spend play money as a page of the same origin. It can't do that with an IP address.
 *
 * @param named another name of this machine
 */
export const isOwnHost = ({ headers: { host } }: IncomingMessage, named?: string): boolean => {
  if (host === undefined) return true
  const name = URL.parse(`http://${host}`)?.hostname
  if (name === undefined) return false
  return (
    name === "localhost" ||
    name.endsWith(".localhost") ||
    name === containerHost ||
    name === named?.toLowerCase() ||
    isIP(name.replaceAll(/[[\]]/g, "")) !== 0
  )
}
