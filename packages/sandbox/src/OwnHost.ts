import type { IncomingMessage } from "node:http"
import { isOwnHost as isHostOf } from "@till402/console/operate"

/*
 * Which names of this machine a sandbox answers to.
 */

export const strangeHost =
  "The sandbox answers to localhost, to IP addresses, and to the name that --host gives when it starts."

/** The name that containers give to their machine. */
const containerHost = "host.docker.internal"

/**
 * Whether a request's `Host` is this machine's: a website could otherwise read keys or spend play money.
 *
 * @param named another name of this machine
 */
export const isOwnHost = ({ headers: { host } }: IncomingMessage, named?: string): boolean =>
  isHostOf(host, containerHost, named)
