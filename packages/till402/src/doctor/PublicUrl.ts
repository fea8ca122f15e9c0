import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { isOnThisMachine, withoutAlias } from "../pay/url.ts"
import { ofListing, ofOpenApi } from "@till402/console/operate"
import { belowBase, see, type Seen } from "../http/see.ts"
import { harmless } from "../terminal/wrap.ts"
import { fail, type Line, pass, warn } from "./Line.ts"

/*
 * The public URL as a stranger sees it, through whatever is before the till.
 */

/** What the settings promise. */
export interface Promised {
  readonly baseUrl: string
  /** `payTo` of each network, by its CAIP-2 identifier; empty if the settings aren't known. */
  readonly payTo: ReadonlyMap<string, string>
  readonly cors: boolean
  /** `false` if there is no such document. */
  readonly discoveryPath: string | false
  readonly openapiPath: string | false
  /** Of the status pages; `undefined` if it isn't known. */
  readonly statusPath: string | false | undefined
  /** `GET /x402/search`: a paid route, if the caller named one. */
  readonly route: string | undefined
}

/** A paid route to call: `GET /x402/search`. */
interface Probe {
  readonly method: string
  readonly path: string
  /** Whether neither the caller nor a document of the service named it. */
  readonly isGuess: boolean
}

/** An address by one name of this machine, without a slash at its end; other texts as they are. */
const plain = (address: string): string => {
  const url = URL.parse(address)
  return url === null ? address : withoutAlias(url).href.replace(/\/+$/, "")
}

/** What the documents of the service name, each route once. */
const namedRoutes = async ({
  baseUrl,
  discoveryPath,
  openapiPath
}: Promised): Promise<ReadonlyArray<Probe>> => {
  const documents = [
    [discoveryPath, ofListing],
    [openapiPath, ofOpenApi]
  ] as const
  const named = new Map<string, Probe>()
  for (const [path, read] of documents) {
    if (path === false) continue
    for (const found of read((await see(belowBase(baseUrl, path))).text)) {
      const { length } = plain(baseUrl)
      const below = plain(found.path).startsWith(plain(baseUrl))
        ? plain(found.path).slice(length)
        : found.path
      const { method } = found
      if (below.startsWith("/") && ["GET", "POST"].includes(method))
        named.set(`${method} ${below.replaceAll(/\{\w+\}|(?<=\/):\w+/g, "{}")}`, {
          method,
          path: below,
          isGuess: false
        })
    }
  }
  return Array.from(named.values())
}

const hasParameters = ({ path }: Probe): boolean => /[{:]/.test(path)

/** A paid route of the service, which is looked at closely: the first GET of its documents. Then the others. */
const findRoutes = async (promised: Promised): Promise<readonly [Probe, ...ReadonlyArray<Probe>]> => {
  if (promised.route !== undefined) {
    const [method = "GET", path = "/"] = promised.route.split(" ")
    return [{ method, path, isGuess: false }]
  }
  const named = await namedRoutes(promised)
  const first = named.find((each) => each.method === "GET" && !hasParameters(each)) ?? named[0]
  if (first === undefined) return [{ method: "GET", path: "/x402/search", isGuess: true }]
  return [first, ...named.filter((each) => each !== first)]
}

/** Its address, with a value for each parameter. */
const addressOf = (baseUrl: string, { path }: Probe): string =>
  belowBase(baseUrl, path.replaceAll(/\{\w+\}|(?<=\/):\w+/g, "1"))

/** The part of a challenge that is compared. */
interface Challenge {
  readonly error?: string
  readonly resource?: { readonly url?: string }
  readonly accepts: ReadonlyArray<{ readonly network?: string; readonly payTo?: string }>
}

const decode = (text: string): Challenge | undefined => {
  try {
    const challenge = JSON.parse(text) as Challenge
    return Array.isArray(challenge.accepts) ? challenge : undefined
  } catch {
    return undefined
  }
}

const challengeOf = ({ headers }: Seen): Challenge | undefined => {
  const header = headers.get("payment-required")
  return header === null ? undefined : decode(Buffer.from(header, "base64").toString("utf8"))
}

/** A payment that nobody can settle, as long as the longest real ones. */
const longNonsense = Buffer.from(JSON.stringify({ x402Version: 2, padding: "doctor".repeat(900) })).toString(
  "base64"
)

/** What a stranger got without a payment. */
interface Unpaid {
  readonly url: string
  readonly probe: Probe
  readonly unpaid: Seen
}

/** What a stranger got. */
interface Observation extends Unpaid {
  readonly withHeader: Seen
  readonly preflight: Seen
}

/** The port is easily mistaken where a server listens on this machine. */
const portOf = (address: string): string => {
  const url = new URL(address)
  return isOnThisMachine(url)
    ? `: the server must listen on its port ${url.port || (url.protocol === "https:" ? 443 : 80)}`
    : ""
}

const reachFault = (url: string, error: unknown): Line => {
  const words = wordsOf(error)
  const isTls = /certificate|self-signed|ssl|tls|altnames/i.test(words)
  return fail(
    isTls ? "tls" : "public url",
    `${url} can't be reached: ${words}`,
    isTls
      ? "Renew the certificate, or have the proxy send the whole chain for this name"
      : `Start the server, and let its name, port and firewall lead to it; or correct baseUrl${portOf(url)}`
  )
}

const secureLines = (url: URL): ReadonlyArray<Line> => {
  if (url.protocol === "https:") return [pass("tls")]
  return isOnThisMachine(url)
    ? []
    : [
        warn(
          "tls",
          `${url.origin} is plain HTTP: whoever is on the way reads and changes prices and payees`,
          "Put TLS before it, and set baseUrl to the https address"
        )
      ]
}

const statusLine = ({ probe, unpaid: { headers, status }, url }: Unpaid): Line => {
  if (probe.isGuess && status === 404)
    return warn(
      "402",
      `no document of the service names a paid route, and ${url} returned 404`,
      'Name one: --route "GET /weather/oslo"'
    )
  const place = headers.get("location")
  if (status >= 300 && status < 400 && place !== null)
    return fail(
      "402",
      `${url} redirects to ${harmless(place)}: clients don't follow with a payment, or pay for another address`,
      "Set baseUrl to the address that responds itself, or have the proxy pass the request on"
    )
  if (status >= 200 && status < 300)
    return fail(
      "402",
      `${url} returned ${status} instead of 402: what is sold there is given away`,
      "Another route, static files or a cache responds before the till, or before the price of the handler: put these first"
    )
  const cures: Readonly<Record<number, string>> = {
    401: "Let the till's paths pass the login that is before it",
    403: "Let the till's paths pass the firewall or bot filter that is before it",
    404: `Mount the till below the path of baseUrl, and give a price the path of its handler below that, and its method; or correct baseUrl${portOf(url)}`,
    405: "Give the price the method of its handler's route",
    503: "Start the till: GET its events for the reason, such as chain_unreadable"
  }
  return status === 402
    ? pass("402")
    : fail(
        "402",
        `${url} returned ${status} instead of 402`,
        cures[status] ?? "Have the proxy pass on the till's status, without an error page of its own"
      )
}

/** Whether a 402 came through as the till made it. */
const intactLines = ({ unpaid }: Observation, promised: Promised): ReadonlyArray<Line> => {
  const challenge = challengeOf(unpaid)
  if (challenge === undefined) {
    const isThere = unpaid.headers.has("payment-required")
    return [
      fail(
        "PAYMENT-REQUIRED",
        isThere
          ? "the PAYMENT-REQUIRED header of the 402 can't be read: something on the way has changed or cut it"
          : "the 402 has no PAYMENT-REQUIRED header: something on the way has dropped it, and version-2 clients can't pay",
        "Have the proxy pass on response headers of up to 8 KB unchanged (nginx: proxy_buffer_size 16k)"
      )
    ]
  }
  const bodyLine = decode(unpaid.text)
    ? pass("402 body")
    : warn(
        "402 body",
        "the body of the 402 isn't the till's: a proxy puts its own page there, and version-1 clients can't pay",
        "Turn off error pages for 402 (nginx: proxy_intercept_errors off)"
      )
  return [
    pass("PAYMENT-REQUIRED"),
    bodyLine,
    addressLine(challenge, promised),
    ...payeeLines(challenge, promised)
  ]
}

const addressLine = ({ resource }: Challenge, { baseUrl }: Promised): Line => {
  const named = resource?.url ?? ""
  return `${plain(named)}/`.startsWith(`${plain(baseUrl)}/`)
    ? pass("address")
    : fail(
        "address",
        `the 402 is for ${harmless(named)}, and the public URL is ${baseUrl}: clients refuse it, or indexers list the other`,
        "Give the till behind this URL the same baseUrl"
      )
}

const payeeLines = ({ accepts }: Challenge, { payTo }: Promised): ReadonlyArray<Line> => {
  if (payTo.size === 0) return []
  const strange = accepts.filter(
    ({ network = "", payTo: named = "" }) => payTo.get(network)?.toLowerCase() !== named.toLowerCase()
  )
  const offered = new Set(accepts.map(({ network }) => network))
  const absent = [...payTo.keys()].filter((network) => !offered.has(network))
  return [
    strange.length === 0
      ? pass("payee")
      : fail(
          "payee",
          `the public URL asks for payments to ${harmless(strange.map((each) => `${each.payTo} on ${each.network}`).join(", "))}, which isn't in these settings: another deployment responds, or it runs with other settings`,
          "Check where the name leads to, and restart what runs with older settings"
        ),
    ...absent.map((network) =>
      warn(
        "network",
        `${network} is in the settings, and the public URL doesn't offer it`,
        "Look at the till's events (network_not_supported, chain_unreadable), or restart it",
        network
      )
    )
  ]
}

/** Whether a response is the till's own error, such as that of a missing field: the request has arrived. */
const isOwnError = ({ text }: Seen): boolean => {
  try {
    return typeof (JSON.parse(text) as { readonly code?: unknown } | null)?.code === "string"
  } catch {
    return false
  }
}

/** Whether payments reach the till. */
const requestLine = ({ unpaid, withHeader }: Observation): Line => {
  const name = "PAYMENT-SIGNATURE"
  if (isOwnError(withHeader)) return pass(name)
  if ([400, 413, 431, 494].includes(withHeader.status) || withHeader.status >= 500)
    return fail(
      name,
      `a request with a PAYMENT-SIGNATURE header of ${longNonsense.length} bytes got ${withHeader.status}: something on the way refuses long headers`,
      "Allow request headers of 16 KB (nginx: large_client_header_buffers 4 16k)"
    )
  const [before, after] = [challengeOf(unpaid)?.error, challengeOf(withHeader)?.error]
  return withHeader.status === 402 && before === after
    ? fail(
        name,
        "a request with a PAYMENT-SIGNATURE header gets the same 402 as one without: something on the way drops the header, and nobody can pay",
        "Have the proxy pass on the request headers PAYMENT-SIGNATURE and X-PAYMENT"
      )
    : pass(name)
}

const listed = (headers: Headers, name: string): ReadonlyArray<string> =>
  (headers.get(name) ?? "").split(",").map((each) => each.trim().toLowerCase())

const corsLine = ({ preflight, unpaid }: Observation): Line => {
  const isAllowed =
    unpaid.headers.has("access-control-allow-origin") &&
    listed(unpaid.headers, "access-control-expose-headers").some(
      (each) => each === "payment-required" || each === "*"
    )
  const isPreflightAllowed =
    preflight.status < 300 &&
    listed(preflight.headers, "access-control-allow-headers").some((each) => each === "payment-signature")
  return isAllowed && isPreflightAllowed
    ? pass("cors")
    : warn(
        "cors",
        `browsers on other sites can't ${isAllowed ? "send a payment" : "read the price"}: the headers of CORS are not those of the till`,
        "Leave CORS of the till's paths to the till, or set cors to false if no browser is to pay"
      )
}

const cacheLine = ({ unpaid: { headers } }: Observation): Line => {
  const isKept =
    Number(headers.get("age") ?? 0) > 0 ||
    /\bhit\b/i.test(headers.get("x-cache") ?? headers.get("cf-cache-status") ?? "")
  const mayBeKept = !listed(headers, "cache-control").includes("no-store")
  return isKept || mayBeKept
    ? fail(
        "cache",
        isKept
          ? "the 402 came from a cache"
          : "the 402 may be kept by caches: its Cache-Control isn't no-store",
        "Exclude the till's paths from caching, and pass on its Cache-Control"
      )
    : pass("cache")
}

const maxSkewSeconds = 30

const dateLine = ({ unpaid: { headers } }: Observation, nowMillis: number): ReadonlyArray<Line> => {
  const served = Date.parse(headers.get("date") ?? "")
  if (Number.isNaN(served)) return []
  const seconds = Math.round((served - nowMillis) / 1_000)
  return [
    Math.abs(seconds) <= maxSkewSeconds
      ? pass("date")
      : warn(
          "date",
          `the server's clock is ${Math.abs(seconds)} seconds ${seconds < 0 ? "behind" : "ahead of"} this machine's: payments of the present may be refused as expired or not yet valid`,
          "Synchronize both clocks (NTP)"
        )
  ]
}

/** Judges what a stranger got. Pure. */
export const judgePublicUrl = (
  seen: Observation,
  promised: Promised,
  nowMillis: number
): ReadonlyArray<Line> => {
  const status = statusLine(seen)
  const before = [pass("public url"), ...secureLines(new URL(seen.url)), status]
  if (status.status !== "pass") return before
  const intact = intactLines(seen, promised)
  return [
    ...before,
    ...intact,
    // Without its header there is nothing to compare.
    ...(challengeOf(seen.unpaid) === undefined ? [] : [requestLine(seen)]),
    cacheLine(seen),
    ...(promised.cors ? [corsLine(seen)] : []),
    ...dateLine(seen, nowMillis)
  ]
}

/** The most routes that are called besides the first, and for how long. */
const [maxOthers, othersMillis] = [100, 30_000]

/** Whether strangers get a 402 of the other routes, too: each line is one that gives none. */
const otherLines = async (
  others: ReadonlyArray<Probe>,
  { baseUrl }: Promised,
  now: () => number
): Promise<ReadonlyArray<Line>> => {
  const wrong: Array<Line> = []
  const endMillis = now() + othersMillis
  let called = 0
  for (const probe of others.slice(0, maxOthers)) {
    if (now() > endMillis) break
    called++
    const url = addressOf(baseUrl, probe)
    const line = await see(url, { method: probe.method }).then(
      (unpaid) => statusLine({ url, probe, unpaid }),
      (error: unknown) => reachFault(url, error)
    )
    if (line.status !== "pass") wrong.push({ ...line, subject: `${probe.method} ${probe.path}` })
  }
  return wrong.length > 0 || called === 0 ? wrong : [pass("402", `${called} other routes`)]
}

/** Whether what mails and agents link to is there: the documents, and the status pages. */
const pageLines = async ({ baseUrl, discoveryPath, openapiPath, statusPath }: Promised) => {
  const lines: Array<Line> = []
  // What settings didn't name may have another path.
  if (statusPath === undefined) return lines
  const pages: ReadonlyArray<string | false> = [
    discoveryPath,
    openapiPath,
    statusPath === false ? false : `${statusPath}/orders/doctor`
  ]
  for (const path of pages) {
    if (path === false) continue
    const url = belowBase(baseUrl, path)
    const seen = await see(url)
    if (seen.status !== 200 && !isOwnError(seen))
      lines.push(
        warn(
          "pages",
          `${url} returned ${seen.status}, and not by the till: it is in what agents and buyers are sent to`,
          "Have the framework and the proxy leave this path to the till, or move or omit it by its option",
          path
        )
      )
  }
  return lines
}

/** Calls the public URL as strangers do, without paying, and judges what comes back. */
export const checkPublicUrl = async (promised: Promised, now: () => number): Promise<ReadonlyArray<Line>> => {
  const { baseUrl } = promised
  if (!URL.canParse(baseUrl)) throw new CommandFailed(`${baseUrl} is no address`)
  try {
    const [probe, ...others] = await findRoutes(promised)
    const { method } = probe
    const url = addressOf(baseUrl, probe)
    const origin = { origin: "https://browser.example" }
    const unpaid = await see(url, { method, headers: origin })
    const nowMillis = now()
    const withHeader = await see(url, { method, headers: { ...origin, "payment-signature": longNonsense } })
    const preflight = await see(url, {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": method,
        "access-control-request-headers": "payment-signature"
      }
    })
    const lines = judgePublicUrl({ url, probe, unpaid, withHeader, preflight }, promised, nowMillis)
    if (unpaid.status !== 402) return lines
    return [...lines, ...(await otherLines(others, promised, now)), ...(await pageLines(promised))]
  } catch (error) {
    return [reachFault(baseUrl, error)]
  }
}
