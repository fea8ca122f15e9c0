import { isNativeError } from "node:util/types"
import { runInNewContext } from "node:vm"
import {
  extractDiscoveryInfo,
  isValidRouteTemplate,
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec
} from "@x402/extensions/bazaar"
import {
  descriptionFinding,
  headerFinding,
  maxDescription,
  type ReadChallenge,
  readChallenge,
  statusFinding
} from "@till402/console/operate"
import { wordsOf } from "../CommandFailed.ts"
import { see, type Seen } from "../http/see.ts"
import { fail, type Line, pass, warn } from "../doctor/Line.ts"
import { priceOf, readOffer, type Requirements } from "../pay/Offers.ts"
import { isSameServer } from "../pay/url.ts"
import { harmless } from "../terminal/wrap.ts"
import { findRoutes, type Route } from "./Routes.ts"

/*
 * What an indexer sees of each route: the challenge to a request without input, read by the official validators.
 */

type Challenge = ReadChallenge<Requirements>

/** What the official validators say of the discovery data. */
const extensionFindings = (challenge: Challenge): ReadonlyArray<string> => {
  const bazaar = challenge.extensions?.bazaar
  if (bazaar === undefined) return ["it has no discovery data (extensions.bazaar), so no index lists it"]
  const results = [
    validateDiscoveryExtensionSpec(bazaar as never),
    validateDiscoveryExtension(bazaar as never)
  ]
  const template = bazaar.routeTemplate
  return [
    ...results.flatMap(({ errors = [], valid }) =>
      valid ? [] : [`its discovery data is invalid: ${errors.join("; ")}`]
    ),
    ...(template === undefined || isValidRouteTemplate(template)
      ? []
      : [`its route template ${template} is invalid`])
  ]
}

/** How an index lists it: that of version 2, and of version 1 by the body. */
const listedFindings = (
  route: Route,
  challenge: Challenge,
  body: Challenge | undefined
): ReadonlyArray<string> => {
  const extract = (version: 1 | 2, requirements: Requirements | undefined) => {
    try {
      return extractDiscoveryInfo(
        { ...challenge, x402Version: version, accepted: challenge.accepts[0] } as never,
        requirements as never
      )
    } catch (error) {
      return wordsOf(error)
    }
  }
  const findings = (version: 1 | 2, listed: ReturnType<typeof extract>): ReadonlyArray<string> => {
    if (listed === null || typeof listed === "string")
      return [`indexers of version ${version} can't list it${listed === null ? "" : `: ${listed}`}`]
    const { method } = listed as { readonly method?: string }
    return method === undefined || method === route.method
      ? []
      : [`indexers of version ${version} list it as ${method}`]
  }
  return [
    ...findings(2, extract(2, challenge.accepts[0])),
    // Networks that version 1 doesn't know aren't in the body.
    ...(body?.accepts[0] === undefined ? [] : findings(1, extract(1, body.accepts[0])))
  ]
}

const placeFindings = ({ url }: Route, { resource }: Challenge): ReadonlyArray<string> => {
  const named = resource?.url ?? ""
  if (!URL.canParse(named))
    return [`its resource ${named === "" ? "has no address" : `${named} is no address`}`]
  const [one, other] = [new URL(named), new URL(url)]
  return isSameServer(one, other) && one.pathname === other.pathname
    ? []
    : [
        `it calls itself ${one.origin}${one.pathname}, so that is what gets listed${isSameServer(one, other) ? "" : `; it was called at ${other.origin}`}`
      ]
}

/** All that indexers would stumble over. Pure. */
const judge = (route: Route, { headers, status, text }: Seen): Line => {
  const noPrice = statusFinding(status)
  if (noPrice !== undefined)
    return fail(route.name, noPrice, "Let it return 402 before it looks at its input")
  const header = headers.get("payment-required")
  const challenge =
    header === null ? undefined : readChallenge<Requirements>(Buffer.from(header, "base64").toString("utf8"))
  if (header === null || challenge === undefined)
    return fail(
      route.name,
      "its 402 has no PAYMENT-REQUIRED header that can be read",
      "Have proxies pass it on: till402 doctor says more"
    )
  const description = challenge.resource?.description ?? ""
  const problems = [
    headerFinding(header),
    ...placeFindings(route, challenge),
    ...extensionFindings(challenge),
    ...listedFindings(route, challenge, readChallenge<Requirements>(text))
  ].filter((each) => each !== undefined)
  if (problems.length > 0)
    return fail(
      route.name,
      problems.join(". "),
      "Correct what the route declares, or its baseUrl: the address, with its port, at which callers reach it"
    )
  const price = challenge.accepts.map((each) => priceOf(readOffer(each, challenge.x402Version))).join(" or ")
  const undescribed = descriptionFinding(description)
  if (undescribed !== undefined)
    return warn(route.name, undescribed, `Give it one of at most ${maxDescription} characters`)
  return pass(route.name, `${price}: ${description}`)
}

/** A route that isn't called. It is a fault if no route is at this address: then `baseUrl` is another one. */
const skippedLine = (
  { method, name }: Route,
  skipped: NonNullable<Route["skipped"]>,
  { address, isAllElsewhere }: { readonly address: string; readonly isAllElsewhere: boolean }
): Line => {
  if (skipped._tag === "Method")
    return warn(name, `it isn't called: ${method} may change something`, "Call it by hand, without a payment")
  const { origin } = new URL(address)
  const other = harmless(skipped.origin)
  return (isAllElsewhere ? fail : warn)(
    name,
    `it isn't called: it is said to be at ${other}, and ${origin} is checked`,
    `If it is of this service, set its baseUrl to the address, with its port, at which callers reach it; or check ${other}`
  )
}

/** A slow machine takes two seconds to load the validators. */
const judgeTimeoutMillis = 5_000

/** All routes of a server share it: two hundred of them may each take as long as one may. */
const allTimeoutMillis = 60_000

/** Judges for a bounded time: the schema is the server's, and its patterns may backtrack for hours. */
const judgeInTime = (route: Route, seen: Seen): Line => {
  try {
    return runInNewContext(
      "run()",
      { run: () => judge(route, seen) },
      { timeout: judgeTimeoutMillis }
    ) as Line
  } catch (error) {
    // It is an error of the other context.
    const isLate = isNativeError(error) && "code" in error && error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
    return isLate
      ? fail(
          route.name,
          `its discovery data can't be validated in ${judgeTimeoutMillis / 1_000} seconds`,
          "Simplify the patterns of its schema"
        )
      : fail(
          route.name,
          `its 402 can't be read: ${harmless(wordsOf(error))}`,
          "Correct what the route declares"
        )
  }
}

const probe = async (route: Route): Promise<Line> => {
  try {
    return judgeInTime(route, await see(route.url, { method: route.method }))
  } catch (error) {
    return fail(route.name, `it can't be reached: ${wordsOf(error)}`, "Start it, or correct its address")
  }
}

/** A route for which no time was left. */
const lateLine = ({ name }: Route): Line =>
  fail(
    name,
    `it isn't called: the routes before it took ${allTimeoutMillis / 1_000} seconds`,
    "Check it by its own address, and look at why the others are slow"
  )

/**
 * Checks every paid route at an address, one after the other.
 *
 * @param now in milliseconds since 1970
 */
export const checkRoutes = async (address: string, now: () => number): Promise<ReadonlyArray<Line>> => {
  const lines: Array<Line> = []
  const endMillis = now() + allTimeoutMillis
  const routes = await findRoutes(address)
  const isAllElsewhere = routes.every(({ skipped }) => skipped?._tag === "Elsewhere")
  for (const route of routes) {
    const { skipped } = route
    if (skipped !== undefined) lines.push(skippedLine(route, skipped, { address, isAllElsewhere }))
    else lines.push(now() < endMillis ? await probe(route) : lateLine(route))
  }
  return lines
}
