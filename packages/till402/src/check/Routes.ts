import { ofListing, ofOpenApi } from "@till402/console/operate"
import { CommandFailed, wordsOf } from "../CommandFailed.ts"
import { belowBase, see } from "../http/see.ts"
import { isSameServer } from "../pay/url.ts"

/*
 * The paid routes of a service, as indexers find them: by its OpenAPI document and its listing.
 */

export interface Route {
  readonly method: string
  /** With a value for each parameter. */
  readonly url: string
  readonly name: string
  /** Where it was found. */
  readonly foundIn: ReadonlyArray<string>
  /** Why it isn't called: documents may name what changes something, or somebody else's server. */
  readonly skipped?: { readonly _tag: "Method" } | { readonly _tag: "Elsewhere"; readonly origin: string }
}

const documentAt = async (url: string): Promise<string> => {
  const { status, text } = await see(url)
  return status === 200 ? text : ""
}

const maxRoutes = 200

const probedMethods: ReadonlySet<string> = new Set(["GET", "POST"])

const skippedOf = (method: string, url: string, address: string): Route["skipped"] => {
  const named = URL.parse(url)
  if (named === null || !isSameServer(named, new URL(address)))
    return { _tag: "Elsewhere", origin: named?.origin ?? url }
  return probedMethods.has(method) ? undefined : { _tag: "Method" }
}

/**
 * The paid routes below an address, or the address itself if it returns 402.
 *
 * @throws CommandFailed if it can't be reached, or nothing paid is found there
 */
export const findRoutes = async (address: string): Promise<ReadonlyArray<Route>> => {
  const origin = await see(address).catch((error: unknown) => {
    throw new CommandFailed(`${address} can't be reached: ${wordsOf(error)}`)
  })
  if (origin.status === 402) return [{ method: "GET", url: address, name: `GET ${address}`, foundIn: [] }]
  const documents = {
    "/openapi.json": ofOpenApi(await documentAt(belowBase(address, "/openapi.json"))),
    "/.well-known/x402": ofListing(await documentAt(belowBase(address, "/.well-known/x402")))
  }
  const routes = new Map<string, Route>()
  for (const [document, found] of Object.entries(documents))
    for (const { method, path } of found) {
      const name = `${method} ${path}`
      const template = URL.canParse(path) ? path : belowBase(address, path)
      const url = template.replaceAll(/\{\w+\}|(?<=\/):\w+/g, "1")
      const foundIn = [...(routes.get(name)?.foundIn ?? []), document]
      const skipped = skippedOf(method, url, address)
      routes.set(name, { method, name, url, foundIn, ...(skipped === undefined ? {} : { skipped }) })
    }
  if (routes.size === 0)
    throw new CommandFailed(
      `nothing paid is found at ${address}: it returned ${origin.status}, and neither /openapi.json nor /.well-known/x402 lists a route. Give the address of the service, with its prefix, or that of a paid route`
    )
  return [...routes.values()].slice(0, maxRoutes)
}
