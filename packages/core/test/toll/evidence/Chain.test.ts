import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Ref, Tracer } from "effect"
import { HttpClient, HttpClientError, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { numberToHex } from "viem"
import { findNetwork } from "../../../src/domain/Network.ts"
import { eventLogger, type TillEvent } from "../../../src/runtime/events.ts"
import { Chain } from "../../../src/toll/evidence/Chain.ts"

const network = findNetwork("base-sepolia")!
const polygon = findNetwork("polygon")!
const solana = findNetwork("solana-devnet")!
const rpcUrl = "https://rpc.example/v2/secret-key"
const { asset } = network

type Respond = (request: HttpClientRequest.HttpClientRequest) => Response | Error

const result = (value: unknown) =>
  Response.json({ jsonrpc: "2.0", id: 1, result: value }, { headers: { "content-type": "application/json" } })
const error = (code: number, status = 200) =>
  Response.json({ jsonrpc: "2.0", id: 1, error: { code, message: "no" } }, { status })

/** As `fetch` fails of Node. */
const unreachable = (code: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error(`${code} secret-key`), { code }) })

/** Reads a chain over a host's HTTP client. */
const open = Effect.fnUntraced(function* (respond: Respond) {
  const requests = yield* Ref.make<ReadonlyArray<HttpClientRequest.HttpClientRequest>>([])
  const client = HttpClient.make((request) =>
    Effect.gen(function* () {
      yield* Ref.update(requests, (all) => [...all, request])
      const response = respond(request)
      return response instanceof Response
        ? HttpClientResponse.fromWeb(request, response)
        : yield* new HttpClientError.HttpClientError({
            reason: new HttpClientError.TransportError({ request, cause: response })
          })
    })
  )
  const layer = Chain.layerRpc([
    { ...network, rpcUrl },
    { ...solana, rpcUrl: rpcUrl.replace("//", "//user:secret@") },
    { ...polygon, rpcUrl: undefined }
  ]).pipe(Layer.provide(Layer.succeed(HttpClient.HttpClient, client)))
  return { chain: yield* Effect.provide(Chain, layer), requests }
})

describe("Chain.layerRpc", () => {
  it.effect("reads only networks that have an endpoint", () =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open(() => result(numberToHex(7)))
      assert.isTrue(chain.canRead(network.caip2))
      assert.isFalse(chain.canRead(polygon.caip2))
      assert.isUndefined(yield* chain.balanceOf(polygon, asset))
      assert.strictEqual((yield* Ref.get(requests)).length, 0)
    })
  )

  it.effect("sends JSON-RPC through the host's HTTP client", () =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open(() => result(numberToHex(7, { size: 32 })))
      assert.strictEqual(yield* chain.balanceOf(network, asset), 7n)
      const [request] = yield* Ref.get(requests)
      assert.strictEqual(request!.url, rpcUrl)
      assert.strictEqual(request!.method, "POST")
      assert.strictEqual(request!.headers["content-type"], "application/json")
      const sent = request!.body._tag === "Uint8Array" ? new TextDecoder().decode(request!.body.body) : ""
      assert.strictEqual((JSON.parse(sent) as { readonly method: string }).method, "eth_call")
    })
  )

  it.live.each<readonly [string, Respond, number]>([
    ["an HTTP error", () => new Response(null, { status: 500 }), 2],
    ["no connection", () => new Error("refused"), 2],
    ["a response that is not JSON", () => new Response("busy"), 2],
    ["a response without a body", () => new Response(null, { status: 204 }), 1],
    ["a refused key", () => new Response(null, { status: 401 }), 1],
    ["a busy node", () => error(429, 429), 2],
    ["a refusal", () => error(-32_602), 1]
  ])("makes $2 requests for %s", ([, respond, attempts]) =>
    Effect.gen(function* () {
      const { chain, requests } = yield* open(respond)
      assert.isUndefined(yield* chain.balanceOf(network, asset))
      assert.strictEqual((yield* Ref.get(requests)).length, attempts)
    })
  )

  it.live.each<readonly [string, Respond]>([
    ["ENOTFOUND rpc.example", () => unreachable("ENOTFOUND")],
    ["ECONNREFUSED rpc.example", () => unreachable("ECONNREFUSED")],
    ["HTTP 401 rpc.example", () => new Response("no such key: secret-key", { status: 401 })]
  ])("reports %s by its host alone", ([fault, respond]) =>
    Effect.gen(function* () {
      for (const read of [network, solana]) {
        const events: Array<TillEvent> = []
        const { chain } = yield* open(respond)
        yield* Effect.provide(
          chain.balanceOf(read, read === network ? asset : "1".repeat(32)),
          Logger.layer([eventLogger((event) => events.push(event))])
        )
        assert.deepStrictEqual(
          events.map(({ code, error: found, network: on }) => [code, found, on]),
          [["chain_unreadable", fault, read.caip2]]
        )
        assert.notMatch(JSON.stringify(events), /secret|user/)
      }
    })
  )

  it.live("reads no more of a body than its bound", () =>
    Effect.gen(function* () {
      let chunks = 0
      const endless = () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              chunks++
              controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20))
            }
          })
        )
      const { chain } = yield* open(endless)
      assert.isUndefined(yield* chain.balanceOf(network, asset))
      assert.isAtMost(chunks, 2 * 13)
    })
  )

  it.effect("keeps the endpoint's key out of the host's spans", () =>
    Effect.gen(function* () {
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const { chain } = yield* open(() => result(numberToHex(7, { size: 32 })))
      yield* Effect.provideService(chain.balanceOf(network, asset), Tracer.Tracer, tracer)
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["Chain.balanceOf"]
      )
      for (const { attributes } of spans) assert.notInclude(JSON.stringify([...attributes]), "secret-key")
    })
  )
})
