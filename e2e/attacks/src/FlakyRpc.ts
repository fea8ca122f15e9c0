import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** A chain's JSON-RPC endpoint that can be cut off, and counts its requests. */
export interface FlakyRpc {
  readonly url: string
  readonly cutOff: () => void
  readonly restore: () => void
  /** The number of requests that failed. */
  readonly refusals: () => number
  /** Number of requests passed on; each request of a batch counts. */
  readonly requests: () => number
}

const sizeOf = (body: string): number => {
  const document: unknown = JSON.parse(body)
  return Array.isArray(document) ? document.length : 1
}

/** Opens one in front of an endpoint, for the duration of one test. */
export const openFlakyRpc = async (rpcUrl: string): Promise<FlakyRpc> => {
  let isDown = false
  let refusals = 0
  let requests = 0
  const server = createServer(async (request, response) => {
    if (isDown) {
      refusals++
      request.socket.destroy()
      return
    }
    const chunks: Array<Buffer> = []
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
    const headers = { "content-type": "application/json" }
    const body = Buffer.concat(chunks).toString("utf8")
    requests += sizeOf(body)
    const upstream = await fetch(rpcUrl, { method: "POST", headers, body })
    response.writeHead(upstream.status, headers).end(await upstream.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutOff: () => {
      isDown = true
    },
    restore: () => {
      isDown = false
    },
    refusals: () => refusals,
    requests: () => requests
  }
}
