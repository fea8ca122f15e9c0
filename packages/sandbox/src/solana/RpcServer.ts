import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Predicate } from "effect"
import { isOwnHost, strangeHost } from "../OwnHost.ts"
import { requestText } from "../requestText.ts"
import type { RpcMethod } from "./TransactionMethods.ts"
import { RpcError, RpcParams } from "./RpcParams.ts"

/** Larger than any call of a payment. */
const bodyLimitBytes = 64 * 1024
const maxBatch = 50

export interface RpcServer {
  readonly url: string
  /** Closes the server and its connections. Safe to call twice. */
  readonly stop: () => Promise<void>
}

/**
 * Serves JSON-RPC 2.0 over HTTP on the loopback interface, single calls and batches.
 *
 * @throws Error if the port is taken.
 */
export const serveRpc = async (methods: ReadonlyMap<string, RpcMethod>, port: number): Promise<RpcServer> => {
  const server = createServer((request, response) => {
    handleRequest(methods, request).then(
      ({ body, status }) => respond(response, status, body),
      () => respond(response, 400, failure(null, new RpcError(-32700, "Parse error")))
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
      server.close(() => resolve())
      server.closeAllConnections()
    }))
  return { url: `http://127.0.0.1:${address.port}`, stop }
}

const respond = (response: ServerResponse, status: number, body: unknown): void => {
  const text = JSON.stringify(body)
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(text),
    ...(status === 413 ? { connection: "close" } : {})
  })
  response.end(text)
}

const failure = (id: unknown, { code, data, message }: RpcError) => ({
  jsonrpc: "2.0",
  error: { code, message, ...(data === undefined ? {} : { data }) },
  id
})

const handleRequest = async (
  methods: ReadonlyMap<string, RpcMethod>,
  request: IncomingMessage
): Promise<{ readonly status: number; readonly body: unknown }> => {
  if (!isOwnHost(request)) return { status: 421, body: failure(null, new RpcError(-32600, strangeHost)) }
  if (request.method !== "POST") {
    return { status: 405, body: failure(null, new RpcError(-32600, "Use POST.")) }
  }
  const text = await requestText(request, bodyLimitBytes)
  if (text === undefined) {
    const error = new RpcError(-32600, `The body is over ${bodyLimitBytes} bytes.`)
    return { status: 413, body: failure(null, error) }
  }
  const body: unknown = JSON.parse(text)
  if (!Array.isArray(body)) return { status: 200, body: callMethod(methods, body) }
  if (body.length === 0 || body.length > maxBatch) {
    return { status: 200, body: failure(null, new RpcError(-32600, `A batch has 1 to ${maxBatch} calls.`)) }
  }
  return { status: 200, body: body.map((each: unknown) => callMethod(methods, each)) }
}

const callMethod = (methods: ReadonlyMap<string, RpcMethod>, call: unknown) => {
  if (!Predicate.isObject(call) || typeof call["method"] !== "string") {
    return failure(null, new RpcError(-32600, "Invalid request"))
  }
  const { id = null, method, params = [] } = call
  try {
    const found = methods.get(call["method"])
    if (found === undefined) throw new RpcError(-32601, `Method not found: ${String(method).slice(0, 100)}`)
    if (!Array.isArray(params)) throw new RpcError(-32602, "Invalid params: expected a list.")
    return { jsonrpc: "2.0", result: found(new RpcParams(params)), id }
  } catch (error) {
    return failure(id, error instanceof RpcError ? error : new RpcError(-32603, String(error)))
  }
}
