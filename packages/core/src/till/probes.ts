import { incoming, type IncomingRequest, type PlainResponse, toResponse } from "../http/HttpMessage.ts"
import type { RunningTill } from "./RunningTill.ts"

/** Options of `Till.probes`. */
export interface ProbeOptions {
  /**
   * Path before `/livez` and `/readyz`.
   *
   * @default ""
   */
  readonly prefix?: `/${string}`
}

/** Handlers of liveness and readiness, which every adapter mounts like a till: `app.use(till402(Till.probes(till)))`. */
export interface Probes {
  readonly handle: (request: IncomingRequest) => Promise<PlainResponse>
  readonly fetch: (request: Request) => Promise<Response>
  readonly handles: (pathname: string) => boolean
}

const headers = { "content-type": "application/health+json", "cache-control": "no-store" }

/**
 * Makes the handlers of `/livez` and `/readyz`, for orchestrators and load balancers: 200 or 503, and a body without
 * details, since anybody may read it. `livez` fails where the start failed: restart the process. `readyz` fails while the
 * storage doesn't answer and while the till closes: send it no calls. Neither depends on a facilitator or node, so that
 * their outage doesn't stop all processes at once. The storage is read at most once a second.
 *
 * @example
 * const probes = Till.probes(till)
 * const server = { fetch: (request: Request) => probes.fetch(request) }
 */
export const makeProbes = (
  till: Pick<RunningTill, "isLive" | "isReady">,
  { prefix = "/" }: ProbeOptions = {}
): Probes => {
  const base = prefix.replace(/\/$/, "")
  const probes = new Map<string, () => Promise<boolean>>([
    [`${base}/livez`, till.isLive],
    [`${base}/readyz`, till.isReady]
  ])
  const handle = async ({ method, url }: IncomingRequest): Promise<PlainResponse> => {
    const probe = probes.get(url.pathname)
    if (probe === undefined) return { status: 404, headers, body: null }
    if (method !== "GET" && method !== "HEAD")
      return { status: 405, headers: { ...headers, allow: "GET, HEAD" }, body: null }
    const isWell = await probe()
    const body = method === "HEAD" ? null : JSON.stringify({ status: isWell ? "pass" : "fail" })
    return { status: isWell ? 200 : 503, headers, body }
  }
  return {
    handle,
    fetch: async (request) => toResponse(await handle(incoming(request))),
    handles: (pathname) => probes.has(pathname)
  }
}
