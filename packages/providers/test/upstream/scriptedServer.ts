import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { onTestFinished } from "vitest"

/*
 * An upstream on a real socket that responds as a test scripts it: for what an interceptor of `fetch` can't
 * show, such as cut connections, lying lengths, compressed bodies and slow bytes.
 */

export interface ReceivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** Handles one request; `socket` allows cutting the connection. */
export type Reply = (response: ServerResponse, request: ReceivedRequest & { readonly socket: Socket }) => void

export interface ScriptedServer {
  readonly url: string
  readonly requests: Array<ReceivedRequest>
  /** The replies to come, in order; the last one stays. */
  readonly replies: Array<Reply>
  /** Connections that are open now. */
  readonly connections: () => Promise<number>
  readonly close: () => Promise<void>
}

export const json =
  (document: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (response) =>
    void response
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(JSON.stringify(document))

/** Starts one that responds with these, and closes with the test. */
export const startScriptedServer = async (...replies: Array<Reply>): Promise<ScriptedServer> => {
  const requests: Array<ReceivedRequest> = []
  const server: Server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const received: ReceivedRequest = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        body: Buffer.concat(chunks).toString("utf8")
      }
      requests.push(received)
      const reply = replies.length > 1 ? replies.shift()! : replies[0]!
      reply(response, { ...received, socket: request.socket })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(close)
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    replies,
    connections: () =>
      new Promise((resolve, reject) =>
        server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)))
      ),
    close
  }
}
