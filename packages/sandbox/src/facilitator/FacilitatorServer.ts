import { Predicate } from "effect"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { FacilitatorClient } from "@till402/core"
import { isOwnHost, strangeHost } from "../OwnHost.ts"
import { requestText } from "../requestText.ts"

/** Larger than any payment header that a server accepts. */
const bodyLimitBytes = 64 * 1024
const stopTimeoutMillis = 3_000

/** A facilitator served over HTTP. */
export interface FacilitatorServer {
  readonly url: string
  /** Waits up to 3 seconds for running settlements, then closes. Safe to call twice. */
  readonly stop: () => Promise<void>
}

interface ReceivedResponse {
  readonly status: number
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * Serves `POST /verify`, `POST /settle` and `GET /supported` on the loopback interface. Unreadable requests
 * get 400, 404, 405 or 413, those to a foreign host 421; a facilitator error gets 500.
 *
 * @throws Error if the port is taken.
 */
export const serveFacilitator = async (
  client: Required<FacilitatorClient>,
  port: number
): Promise<FacilitatorServer> => {
  const server = createServer((request, response) => {
    handleRequest(client, request).then(
      (result) => respond(response, result),
      (error: unknown) =>
        respond(response, {
          status: 500,
          body: { error: error instanceof Error ? error.message : String(error) }
        })
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject)
    server.listen(port, "127.0.0.1", () => resolve())
  })
  const address = server.address() as AddressInfo
  let stopped: Promise<void> | undefined
  const stop = () =>
    (stopped ??= new Promise<void>((resolve) => {
      const deadline = setTimeout(() => server.closeAllConnections(), stopTimeoutMillis)
      server.close(() => {
        clearTimeout(deadline)
        resolve()
      })
      server.closeIdleConnections()
    }))
  return { url: `http://127.0.0.1:${address.port}`, stop }
}

const respond = (response: ServerResponse, { status, body, headers }: ReceivedResponse): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...headers
  })
  response.end(text)
}

const handleRequest = async (
  client: Required<FacilitatorClient>,
  request: IncomingMessage
): Promise<ReceivedResponse> => {
  if (!isOwnHost(request)) return { status: 421, body: { error: strangeHost } }
  const { pathname } = new URL(request.url ?? "/", "http://facilitator.invalid")
  const method = pathname === "/supported" ? "GET" : "POST"
  if (pathname !== "/supported" && pathname !== "/verify" && pathname !== "/settle") {
    return { status: 404, body: { error: "Not found: use /verify, /settle or /supported." } }
  }
  if (request.method !== method) {
    return { status: 405, body: { error: `Use ${method}.` }, headers: { allow: method } }
  }
  if (pathname === "/supported") return { status: 200, body: await client.getSupported() }

  const body = await requestText(request, bodyLimitBytes)
  if (body === undefined) {
    return {
      status: 413,
      body: { error: `The body is over ${bodyLimitBytes} bytes.` },
      // The rest of the body stays unread, so the connection can't be reused.
      headers: { connection: "close" }
    }
  }
  const payment = parsePayment(body)
  if (payment === undefined) {
    return {
      status: 400,
      body: { error: "Send a JSON object with paymentPayload and paymentRequirements." }
    }
  }
  const { paymentPayload, paymentRequirements } = payment
  return {
    status: 200,
    body: await (pathname === "/verify"
      ? client.verify(paymentPayload, paymentRequirements)
      : client.settle(paymentPayload, paymentRequirements))
  }
}

const parsePayment = (
  text: string
): { readonly paymentPayload: unknown; readonly paymentRequirements: unknown } | undefined => {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Predicate.isObject(body)) return undefined
  const { paymentPayload, paymentRequirements } = body
  if (!Predicate.isObject(paymentPayload) || !Predicate.isObject(paymentRequirements)) return undefined
  return { paymentPayload, paymentRequirements }
}
