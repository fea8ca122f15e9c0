/*
 * A shared cache in front of a server, as eager as RFC 9111 permits. It stores everything that isn't forbidden, guesses
 * freshness wherever the RFC allows it, and honors `Cache-Control` and `Vary`. It doesn't revalidate: stale responses
 * are fetched again.
 */

type Fetch = (request: Request) => Promise<Response>

interface Stored {
  readonly response: Response
  /** Names and values of the request's headers that the response varies by. */
  readonly selecting: ReadonlyArray<readonly [string, string | null]>
  readonly freshUntilMillis: number
}

/** Statuses whose freshness a cache may guess (RFC 9110, section 15.1). */
const heuristicallyCacheable = new Set([200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501])
const guessedSeconds = 60

const directivesOf = (headers: Headers): ReadonlyMap<string, string> =>
  new Map(
    (headers.get("cache-control") ?? "").split(",").map((directive) => {
      const [name = "", value = ""] = directive.trim().toLowerCase().split("=")
      return [name, value.replaceAll('"', "")]
    })
  )

/** How many seconds a shared cache may return a response to any caller; 0 if never (sections 3, 3.5 and 4.2). */
const freshSeconds = (request: Request, response: Response): number => {
  const [requested, directives] = [directivesOf(request.headers), directivesOf(response.headers)]
  if (requested.has("no-store") || ["no-store", "private", "no-cache"].some((name) => directives.has(name)))
    return 0
  const isShareable = ["public", "s-maxage", "must-revalidate"].some((name) => directives.has(name))
  if (request.headers.has("authorization") && !isShareable) return 0
  const explicit = directives.get("s-maxage") ?? directives.get("max-age")
  if (explicit !== undefined) return Number(explicit)
  return heuristicallyCacheable.has(response.status) || directives.has("public") ? guessedSeconds : 0
}

const varyOf = (response: Response): ReadonlyArray<string> =>
  (response.headers.get("vary") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "")

export interface SharedCache {
  readonly fetch: Fetch
  /** How many responses came from the cache. */
  readonly hits: () => number
}

export const sharedCache = (origin: Fetch): SharedCache => {
  const stored = new Map<string, Array<Stored>>()
  let hits = 0

  const find = (request: Request): Response | undefined =>
    stored
      .get(request.url)
      ?.findLast(
        ({ freshUntilMillis, selecting }) =>
          freshUntilMillis > Date.now() &&
          selecting.every(([name, value]) => request.headers.get(name) === value)
      )
      ?.response.clone()

  const keep = (request: Request, response: Response): void => {
    const seconds = freshSeconds(request, response)
    const vary = varyOf(response)
    if (seconds <= 0 || vary.includes("*")) return
    const selecting = vary.map((name) => [name, request.headers.get(name)] as const)
    const entry = { response: response.clone(), selecting, freshUntilMillis: Date.now() + seconds * 1_000 }
    const entries = stored.get(request.url)
    if (entries === undefined) stored.set(request.url, [entry])
    else entries.push(entry)
  }

  return {
    hits: () => hits,
    fetch: async (request) => {
      if (request.method !== "GET" && request.method !== "HEAD") {
        // Changing a resource makes its stored responses stale (section 4.4).
        stored.delete(request.url)
        return origin(request)
      }
      const found = find(request)
      if (found !== undefined) {
        hits++
        return request.method === "HEAD" ? new Response(null, found) : found
      }
      const response = await origin(request)
      if (request.method === "GET") keep(request, response)
      return response
    }
  }
}
