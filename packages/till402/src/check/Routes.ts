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

type Found = Pick<Route, "method"> & { readonly path: string }

const methods = ["get", "post", "put", "patch", "delete"]

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A field of a document, which may be anything. */
const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined

/** The operations of an OpenAPI document that may return 402. */
export const ofOpenApi = (text: string): ReadonlyArray<Found> => {
  const paths = fieldOf(readJson(text), "paths")
  if (typeof paths !== "object" || paths === null) return []
  return Object.entries(paths).flatMap(([path, operations]) =>
    methods.flatMap((method) =>
      fieldOf(fieldOf(fieldOf(operations, method), "responses"), "402") === undefined
        ? []
        : [{ method: method.toUpperCase(), path }]
    )
  )
}

/** The resources of a listing: texts such as `GET /weather`, addresses, or objects with `method` and `url` or `resource`. */
export const ofListing = (text: string): ReadonlyArray<Found> => {
  const { resources } = (readJson(text) ?? {}) as { readonly resources?: unknown }
  return (Array.isArray(resources) ? resources : []).flatMap((each: unknown): ReadonlyArray<Found> => {
    if (typeof each === "string") {
      const [, method = "GET", path] = /^(?:([A-Z]+) )?(\S+)$/.exec(each) ?? []
      return path === undefined ? [] : [{ method, path }]
    }
    const { method = "GET", resource, url = resource } = (each ?? {}) as Readonly<Record<string, unknown>>
    return typeof url === "string" && typeof method === "string" ? [{ method, path: url }] : []
  })
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
