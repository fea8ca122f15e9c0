import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { memory, Till, type TillOptions } from "@till402/core"
import { fakeFacilitator, fakeMarketplace, fakeTracker } from "@till402/testing"
import { onTestFinished } from "vitest"
import { run } from "../src/commands/run.ts"
import { recordedOutput } from "../src/terminal/Output.ts"

/*
 * A service with a node and a facilitator, as processes of their own would be, and a proxy before it that tests break.
 */

export const payTo = "0x1111111111111111111111111111111111111111"
export const secret = "rDq3+Zk0vT8nJ1xYwB5uLe7hQm2sGc9f"
/** Of a wallet without real money. */
export const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d"

/** Runs a command line; reads what it prints. */
export const till402 = async (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>> = {}
) => {
  const { noted, output, printed, written } = recordedOutput()
  const slept: Array<number> = []
  const sleep = async (millis: number) => void slept.push(millis)
  const code = await run(args, { environment, output, sleep }, "1.2.3")
  return { code, printed: printed.join("\n"), noted: noted.join("\n"), written, slept }
}

/** Listens on a free port of this machine until the test ends. */
export const listen = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const hex = (value: number | bigint): string => `0x${value.toString(16)}`

/** A node that has what a test sets. */
export const startNode = async () => {
  const node = {
    chainId: 84_532,
    ageSeconds: 2,
    hasLogs: true,
    code: "0x",
    balanceAtomic: 5_000_000n,
    /** Whether authorizations of EIP-3009 were used; `undefined`: the call fails. */
    isUsed: undefined as boolean | undefined,
    url: ""
  }
  const call = (data: string) => {
    // `authorizationState(address,bytes32)`
    if (!data.startsWith("0xe94a0102")) return `0x${node.balanceAtomic.toString(16).padStart(64, "0")}`
    return node.isUsed === undefined ? undefined : `0x${(node.isUsed ? "1" : "0").padStart(64, "0")}`
  }
  const answers = (method: string, [first]: ReadonlyArray<{ readonly data?: string }> = []): unknown =>
    ({
      eth_chainId: hex(node.chainId),
      eth_getBlockByNumber: {
        number: "0x3e8",
        hash: `0x${"1".repeat(64)}`,
        timestamp: hex(Math.floor(Date.now() / 1000) - node.ageSeconds),
        transactions: []
      },
      eth_getCode: node.code,
      eth_call: call(first?.data ?? ""),
      ...(node.hasLogs ? { eth_getLogs: [] } : {})
    })[method]
  node.url = await listen((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const result = answers(method, params)
      const error = { code: -32_601, message: `no ${method}` }
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ jsonrpc: "2.0", id, ...(result === undefined ? { error } : { result }) }))
    })
  })
  return node
}

/** A facilitator over HTTP, of which a doctor reads what it supports. */
export const startFacilitator = (network = "eip155:84532"): Promise<string> =>
  listen((_request, response) => {
    const kinds = [{ x402Version: 2, scheme: "exact", network }]
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ kinds, extensions: [], signers: {} }))
  })

/** What a proxy does to requests and responses. */
export interface Proxy {
  readonly request?: (headers: Headers) => void
  /** Responds instead of the till. */
  readonly instead?: (request: Request) => Response | undefined
  readonly response?: (response: Response, request: Request) => Promise<Response> | Response
}

/** A till behind a proxy. Its address is also its `baseUrl`, unless the options have another. */
export const startService = async (options: Partial<TillOptions> = {}, proxy: Proxy = {}) => {
  let till: Till | undefined
  const url = await listen(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const headers = new Headers(request.headers as Record<string, string>)
    proxy.request?.(headers)
    const body = chunks.length === 0 ? {} : { body: Buffer.concat(chunks) }
    const asked = new Request(`${url}${request.url}`, { method: request.method!, headers, ...body })
    const own = proxy.instead?.(asked) ?? (await till!.fetch(asked))
    const sent = (await proxy.response?.(own, asked)) ?? own
    response.writeHead(sent.status, Object.fromEntries(sent.headers))
    response.end(Buffer.from(await sent.arrayBuffer()))
  })
  const facilitator = fakeFacilitator()
  till = Till.make({
    baseUrl: url,
    payTo,
    networks: ["base-sepolia"],
    secret,
    facilitator,
    trustFacilitator: true,
    storage: memory(),
    marketplaces: { marketplace_a: fakeMarketplace() },
    tracker: fakeTracker(),
    onEvent: () => undefined,
    ...options
  })
  onTestFinished(till.dispose)
  await till.ready
  return { facilitator, till, url }
}

/** A copy of a response with other headers. */
export const withHeaders = (response: Response, change: (headers: Headers) => void): Response => {
  const headers = new Headers(response.headers)
  change(headers)
  return new Response(response.body, { status: response.status, headers })
}
