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

const listFinding: Finding = {
  status: "warn",
  problem:
    "clientAddress returns all of X-Forwarded-For, which callers begin as they like: each text counts as another client, so that limits hold nobody",
  cure: 'Return the one address that your own proxy added: the last, behind one proxy. See docs/mounting.md, "Behind a proxy"'
}

type OwnAddress = (request: Request) => string | undefined

/** How many requests with several addresses are shown to the host's function once more. */
const shownRequests = 20

/** Whether the host's function returns the whole list. What it throws is reported where its address is used. */
const returnsList = (own: OwnAddress, request: IncomingRequest, list: string): boolean => {
  try {
    const given: unknown = own(request.toRequest())
    if (given instanceof Promise) given.catch(() => undefined)
    return given === list
  } catch {
    return false
  }
}

/** Remembers the first request that shows it, and reports that once. */
export class ProxyCheck {
  /** The host's own function decides, if it has one. */
  private readonly own: OwnAddress | undefined
  private check: Check | undefined
  private shown = 0
  constructor(own: OwnAddress | undefined) {
    this.own = own
  }

  /** What was found by now. */
  readonly found = (): ReadonlyArray<Check> => (this.check === undefined ? [] : [this.check])

  /** Handles a request, and reports its proxy before. */
  readonly noting = (handling: Handling, request: IncomingRequest, caller: Caller = {}): Handling => {
    if (this.check !== undefined) return handling
    const { clientAddress } = caller
    // A client of a trusted proxy's own network has an address that the header names.
    if (this.own === undefined && clientAddress !== undefined && !isPrivate(clientAddress)) return handling
    const forwarded = request.header("x-forwarded-for")
    if (forwarded === null) return handling
    if (this.own !== undefined) return this.notingOwn(handling, this.own, request, forwarded)
    return clientAddress !== undefined && forwarded.includes(clientAddress)
      ? handling
      : this.reporting(handling, finding)
  }

  private notingOwn(
    handling: Handling,
    own: OwnAddress,
    request: IncomingRequest,
    forwarded: string
  ): Handling {
    if (!forwarded.includes(",") || this.shown++ >= shownRequests) return handling
    return returnsList(own, request, forwarded) ? this.reporting(handling, listFinding) : handling
  }

  private reporting(handling: Handling, found: Finding): Handling {
    this.check = checkOf("client address", undefined, found)
    return Effect.andThen(
      report("Warn", "client_address_unknown", textOf(found), { reason: "clientAddress" }),
      Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    )
  }
}
