import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { dispatchRequest, findDispatcher } from "../../packages/core/src/fast/dispatchRequest.ts"
import type { Twin } from "./fastTwins.ts"

/*
 * Requests over a socket, beside `fetch`. The server is in this process, so its time counts for both.
 */

const startServer = async (): Promise<string> => {
  const server = createServer((_request, response) => {
    response.setHeader("content-type", "application/json").end('{"isValid":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  server.unref()
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const origin = await startServer()
// Node makes the dispatcher with its first request.
await fetch(origin)
const method = "POST"
const headers = { "content-type": "application/json" }
const body = JSON.stringify({ payment: "0x12".repeat(400) })

const byFetch = async (): Promise<string> =>
  (await fetch(origin, { method, headers, body, redirect: "manual" })).text()

const byDispatcher = (): Promise<unknown> =>
  new Promise((onResponse, onError) => {
    const request = { origin, path: "/", method, headers, body, maxBytes: 100_000 } as const
    dispatchRequest(findDispatcher()!, request, { onResponse, onError })
  })

const repeat =
  (send: () => Promise<unknown>): Twin["plain"] =>
  async (times) => {
    for (let index = 0; index < times; index++) await send()
  }

export const requestTwin: Twin = {
  name: "dispatchRequest (fetch), with a server in this process",
  perCall: 2,
  plain: repeat(byFetch),
  fast: repeat(byDispatcher)
}
