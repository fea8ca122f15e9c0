import { Effect } from "effect"
import type { Handling } from "../http/Http.ts"
import type { Caller, IncomingRequest } from "../http/HttpMessage.ts"
import { report } from "../runtime/events.ts"
import { type Check, checkOf, type Finding, textOf } from "./Check.ts"

/*
 * Whether the till knows the addresses of its clients behind a proxy, as its requests show. Callers can forge the proxy's
 * header, so it is reported, and changes nothing.
 */

/** Addresses that no client on the Internet has: those of this machine and of private networks. */
const isPrivate = (address: string): boolean =>
  /^(?:::ffff:)?(?:10|127|169\.254|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.|^(?:::1$|f[cd]|fe80:)/i.test(address)

const finding: Finding = {
  status: "warn",
  problem:
    "Requests come through a proxy (X-Forwarded-For), and their client's address isn't known: all callers share the limits of one",
  cure: 'Let the framework trust the proxy (Express: app.set("trust proxy", 1)), or give clientAddress. See docs/mounting.md, "Behind a proxy"'
}

/** Remembers the first request that shows it, and reports that once. */
export class ProxyCheck {
  /** The host's own function decides, if it has one. */
  private readonly isOwn: boolean
  private check: Check | undefined
  constructor(isOwn: boolean) {
    this.isOwn = isOwn
  }

  /** What was found by now. */
  readonly found = (): ReadonlyArray<Check> => (this.check === undefined ? [] : [this.check])

  /** Handles a request, and reports its proxy before. */
  readonly noting = (handling: Handling, request: IncomingRequest, caller: Caller = {}): Handling => {
    if (this.isOwn || this.check !== undefined) return handling
    const { clientAddress } = caller
    // A client of a trusted proxy's own network has an address that the header names.
    if (clientAddress !== undefined && !isPrivate(clientAddress)) return handling
    const forwarded = request.header("x-forwarded-for")
    if (forwarded === null || (clientAddress !== undefined && forwarded.includes(clientAddress)))
      return handling
    this.check = checkOf("client address", undefined, finding)
    return Effect.andThen(
      report("Warn", "client_address_unknown", textOf(finding), { reason: "clientAddress" }),
      Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    )
  }
}
