import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/*
 * The world around the app on one port of this machine: a facilitator that finds every payment good, and
 * upstreams in their documented shapes.
 */

interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: unknown
}

export interface FakeUpstreams {
  readonly url: string
  readonly requests: ReadonlyArray<ReceivedRequest>
  /** Transactions of settled payments. */
  readonly settled: () => number
}

const readBody = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString("utf8")
  return text === "" ? undefined : JSON.parse(text)
}

const canopyResponse = {
  data: {
    amazonProductSearchResults: {
      productResults: {
        results: [
          {
            asin: "B0TEST0001",
            title: "Trail Shoes",
            price: { value: 84.99, currency: "USD" },
            isPrime: true
          }
        ],
        pageInfo: { currentPage: 1, totalPages: 1, hasNextPage: false }
      }
    }
  }
}

const shopifyResponse = {
  jsonrpc: "2.0",
  id: 1,
  result: {
    isError: false,
    structuredContent: {
      ucp: { version: "2026-08-25" },
      products: [
        {
          id: "gid://shopify/p/6dVbTest0001",
          title: "Northwind Trail Shoe",
          variants: [
            {
              id: "gid://shopify/ProductVariant/40183717920813?shop=1",
              url: "https://northwind.example/products/trail-shoe",
              price: { amount: 8900, currency: "USD" },
              availability: { available: true }
            }
          ]
        }
      ],
      pagination: { has_next_page: false, total_count: 1 }
    }
  }
}

const event = {
  time_iso: "2026-11-18T04:12:00-05:00",
  description: "Departed from Facility",
  location: "Louisville, KY, US",
  stage: "Departure"
}

const seventeenTrackResponse = (number: string) => ({
  code: 0,
  data: {
    accepted: [
      {
        number,
        carrier: 100002,
        track_info: {
          latest_status: { status: "InTransit", sub_status: "InTransit_Departure", sub_status_descr: null },
          latest_event: event,
          milestone: [{ key_stage: "Departure", time_iso: event.time_iso }],
          misc_info: { local_key: 0 },
          tracking: {
            providers: [{ provider: { key: 100002, name: "UPS", country: "US" }, events: [event] }]
          }
        }
      }
    ],
    rejected: []
  }
})

const payerOf = (body: unknown): unknown =>
  (body as { readonly paymentPayload: { readonly payload: { readonly authorization: { from: string } } } })
    .paymentPayload.payload.authorization.from

export const startFakeUpstreams = async (): Promise<FakeUpstreams> => {
  const requests: Array<ReceivedRequest> = []
  let settled = 0

  /** The node of a chain with one block. */
  const rpcResponse = ({ id, method }: { readonly id: number; readonly method: string }): unknown => ({
    jsonrpc: "2.0",
    id,
    ...(method === "eth_getBlockByNumber"
      ? { result: { number: "0x1", hash: `0x${"ab".repeat(32)}`, timestamp: "0x65000000", transactions: [] } }
      : { error: { code: -32601, message: "this chain has one block only" } })
  })

  const documentFor = (path: string, body: unknown): unknown => {
    switch (path) {
      case "/facilitator/supported":
        return {
          kinds: [1, 2].map((x402Version) => ({ x402Version, scheme: "exact", network: "eip155:84532" }))
        }
      case "/facilitator/verify":
        return { isValid: true, payer: payerOf(body) }
      case "/facilitator/settle":
        settled += 1
        return {
          success: true,
          transaction: `0x${String(settled).padStart(64, "0")}`,
          network: "eip155:84532",
          payer: payerOf(body)
        }
      case "/rpc":
        return Array.isArray(body) ? body.map(rpcResponse) : rpcResponse(body as never)
      case "/canopy/api/amazon/search":
        return canopyResponse
      case "/shopify/api/ucp/mcp":
        return shopifyResponse
      case "/shopify/token":
        return { access_token: "token-1", expires_in: 3600 }
      case "/17track/gettrackinfo":
        return seventeenTrackResponse((body as ReadonlyArray<{ readonly number: string }>)[0]!.number)
      default:
        return undefined
    }
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url!, "http://fake")
    const body = await readBody(request)
    requests.push({ method: request.method!, path: pathname, headers: request.headers, body })
    const document = documentFor(pathname, body)
    response
      .writeHead(document === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(document ?? {}))
  }

  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    settled: () => settled
  }
}
