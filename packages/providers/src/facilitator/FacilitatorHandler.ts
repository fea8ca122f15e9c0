import { Predicate } from "effect"
import { openDoorCheck, readBytes, withoutUnsetKeys } from "@till402/core/effect"
import type { LocalFacilitator } from "./LocalFacilitator.ts"

/*
 * A local facilitator over HTTP, so that one process with one relayer serves many tills.
 */

/** Larger than any payment that a till accepts. */
const maxBodyBytes = 64 * 1024

/** Options of `facilitatorHandler`. */
export interface FacilitatorHandlerOptions {
  /**
   * Names the till that calls: look up the API key of a header, and return the name of its owner, never what the header says.
   * Anything but a text is refused with 401. Headers and cookies whose key is missing, `undefined` or `null` are left
   * out. Once, it is asked about a request without headers, then about a made-up word as Authorization, and you are warned if
   * that is admitted.
   * A payment that one till has settled is refused to all others.
   */
  readonly authorize: (request: Request) => Promise<string | undefined> | string | undefined
  /** Calls at the same time; further calls are refused with 503. Default 1,000. */
  readonly maxConcurrent?: number | undefined
}

const problem = (status: number, error: string, headers: Record<string, string> = {}): Response =>
  Response.json({ error }, { status, headers: { "cache-control": "no-store", ...headers } })

/** Reads the whole body; `undefined` if it exceeds the limit. */
const readBody = async ({ body }: Request): Promise<string | undefined> => {
  if (body === null) return ""
  const bytes = await readBytes(body, maxBodyBytes)
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes)
}

const readPayment = (text: string) => {
  try {
    const body: unknown = JSON.parse(text)
    if (!Predicate.isObject(body)) return undefined
    const { paymentPayload, paymentRequirements } = body
    return Predicate.isObject(paymentPayload) && Predicate.isObject(paymentRequirements)
      ? { paymentPayload, paymentRequirements }
      : undefined
  } catch {
    return undefined
  }
}

/** A caller without a name is refused. What is neither a name nor a plain no, such as `true`, is a mistake of the host. */
const isMistaken = (caller: unknown): boolean => Boolean(caller) && typeof caller !== "string"

/** Says which headers were left out: the caller's variable may not be set. */
const notAuthorized = (unread: ReadonlyArray<string>): string =>
  unread.length === 0
    ? "The caller is not authorized."
    : `The caller is not authorized. Headers whose key is missing, undefined or null are not read: ${unread.join(", ")}.`

const mistaken = (caller: unknown): string =>
  JSON.stringify({
    till402: "access",
    message: `authorize returned a ${typeof caller}, so calls get a 401: return the name of the till that calls, a text, or undefined for no access`
  })

const methods: ReadonlyMap<string, string> = new Map([
  ["verify", "POST"],
  ["settle", "POST"],
  ["supported", "GET"]
])

/**
 * Serves a local facilitator over HTTP: `POST /verify`, `POST /settle` and `GET /supported` below any prefix.
 *
 * Responds 401 to callers that `authorize` doesn't name, 400, 404, 405 or 413 to unreadable requests, and 503 when the
 * chain can't be read, the relayer can't pay, or too many calls run. A settlement that fails is a 200 with `success: false`.
 *
 * @example
 * import { facilitatorHandler, localFacilitator } from "@till402/providers/facilitator"
 * import { sqliteJournals } from "@till402/providers/journals"
 * import { Hono } from "hono"
 * import { privateKeyToAccount } from "viem/accounts"
 *
 * const facilitator = localFacilitator({
 *   account: privateKeyToAccount(`0x${process.env["RELAYER_KEY"]}`),
 *   networks: [{ network: "base", rpcUrl: process.env["BASE_RPC_URL"] ?? "" }],
 *   journal: sqliteJournals("facilitator.sqlite").settlements
 * })
 * const tills = new Map([[`Bearer ${process.env["SHOP_KEY"]}`, "shop"]])
 * const handle = facilitatorHandler(facilitator, {
 *   authorize: (request) => tills.get(request.headers.get("authorization") ?? "")
 * })
 * const app = new Hono().all("/facilitator/*", (context) => handle(context.req.raw))
 */
export const facilitatorHandler = (
  facilitator: Pick<LocalFacilitator, "verify" | "settle" | "getSupported">,
  { authorize, maxConcurrent = 1_000 }: FacilitatorHandlerOptions
): ((request: Request) => Promise<Response>) => {
  let running = 0
  let hasExplained = false
  const checkDoor = openDoorCheck<unknown>(authorize, (caller) =>
    typeof caller === "string" && caller !== "" ? caller : undefined
  )

  const respond = async (operation: string, request: Request, caller: string): Promise<Response> => {
    if (operation === "supported") return Response.json(await facilitator.getSupported())
    const body = await readBody(request)
    if (body === undefined) return problem(413, `The body is over ${maxBodyBytes} bytes.`)
    const payment = readPayment(body)
    if (payment === undefined) {
      return problem(400, "Send a JSON object with paymentPayload and paymentRequirements.")
    }
    const { paymentPayload, paymentRequirements } = payment
    if (operation === "settle") {
      return Response.json(await facilitator.settle(paymentPayload, paymentRequirements, caller))
    }
    try {
      return Response.json(await facilitator.verify(paymentPayload, paymentRequirements))
    } catch {
      return problem(503, "Payments can't be verified now. Nothing was settled. Retry.", {
        "retry-after": "1"
      })
    }
  }

  return async (given) => {
    const { request, unread } = withoutUnsetKeys(given)
    const operation = new URL(request.url).pathname.split("/").at(-1) ?? ""
    const method = methods.get(operation)
    if (method === undefined) return problem(404, "Not found: use /verify, /settle or /supported.")
    if (request.method !== method) return problem(405, `Use ${method}.`, { allow: method })
    void checkDoor(new URL("settle", request.url), "POST")
    const caller: unknown = await authorize(request)
    if (typeof caller !== "string" || caller === "") {
      // Once: the host's function returns the same for each request.
      if (isMistaken(caller) && !hasExplained) console.error(mistaken(caller))
      hasExplained ||= isMistaken(caller)
      return problem(401, notAuthorized(unread))
    }
    if (running >= maxConcurrent) {
      return problem(503, "Too many calls. Nothing was settled. Retry.", { "retry-after": "1" })
    }
    running++
    try {
      return await respond(operation, request, caller)
    } finally {
      running--
    }
  }
}
