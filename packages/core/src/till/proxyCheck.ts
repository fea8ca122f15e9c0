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
  cure: 'Let the framework trust the proxy (Express: app.set("trust proxy", 1)), or return the address from clientAddress. See docs/mounting.md, "Behind a proxy"'
}

const chosenFinding: Finding = {
  status: "warn",
  problem:
    "The client's address is taken from where callers begin X-Forwarded-For: each text counts as a client, so limits hold nobody",
  cure: 'Take the one address that your own proxy added: the last, behind one proxy (Express: app.set("trust proxy", 1)). If your outermost proxy replaces the header, nothing is wrong. See docs/mounting.md, "Behind a proxy"'
}

type OwnAddress = (request: Request) => string | undefined

/** How many requests are shown to the host's function once more. */
const shownRequests = 20

/** What the host's function returns for a request with this header. What it throws is reported where its address is used. */
const addressBy = (own: OwnAddress, request: IncomingRequest, list: string): unknown => {
  try {
    const { headers, url } = request.toRequest()
    const shown = new Request(url, { headers })
    shown.headers.set("x-forwarded-for", list)
    const given: unknown = own(shown)
    if (given instanceof Promise) given.catch(() => undefined)
    return given
  } catch {
    return false
  }
}

/** An address of documents, which no client has (RFC 5737). */
const forged = "192.0.2.255"

/** Remembers the first request that shows it, and reports that once. */
export class ProxyCheck {
  /** The host's own function decides, if it has one. */
  private readonly own: OwnAddress | undefined
  private check: Check | undefined
  private shown = 0
  /** Requests for which the host's function had no address; `undefined` once it has had one. */
  private unknown: number | undefined = 0
  constructor(own: OwnAddress | undefined) {
    this.own = own
  }

  /** What was found by now. */
  readonly found = (): ReadonlyArray<Check> => (this.check === undefined ? [] : [this.check])

  /** Handles a request, and reports its proxy before. */
  readonly noting = (handling: Handling, request: IncomingRequest, caller: Caller = {}): Handling => {
    const found = this.check === undefined ? this.findingOf(request, caller) : undefined
    if (found === undefined) return handling
    this.check = checkOf("client address", undefined, found)
    return Effect.andThen(
      report("Warn", "client_address_unknown", textOf(found), { reason: "clientAddress" }),
      Effect.isEffect(handling) ? handling : Effect.succeed(handling)
    )
  }

  private findingOf(
    request: IncomingRequest,
    { clientAddress = "", trustsAll = false }: Caller
  ): Finding | undefined {
    const isProxys = clientAddress === "" || isPrivate(clientAddress)
    if (this.own === undefined && !isProxys && !trustsAll) return undefined
    const forwarded = request.header("x-forwarded-for")
    if (forwarded === null) return undefined
    if (this.own !== undefined && this.knowsBy(this.own, request, forwarded))
      return this.isChosen(this.own, request, forwarded) ? chosenFinding : undefined
    if (trustsAll) return forwarded.includes(",") ? chosenFinding : undefined
    // A client of a trusted proxy's own network has an address that the header names.
    const isNamed = clientAddress !== "" && forwarded.includes(clientAddress)
    return isProxys && !isNamed ? finding : undefined
  }

  /** Whether the host's function tells addresses, as far as can be said: it may leave some requests to the framework. */
  private knowsBy(own: OwnAddress, request: IncomingRequest, forwarded: string): boolean {
    if (this.unknown !== undefined && this.unknown < shownRequests)
      this.unknown =
        (addressBy(own, request, forwarded) ?? undefined) === undefined ? this.unknown + 1 : undefined
    return this.unknown !== shownRequests
  }

  /** Whether its address is what a caller writes before the others. */
  private isChosen(own: OwnAddress, request: IncomingRequest, forwarded: string): boolean {
    if (!forwarded.includes(",") || this.shown++ >= shownRequests) return false
    const given = addressBy(own, request, `${forged}, ${forwarded}`)
    return typeof given === "string" && given.includes(forged)
  }
}
