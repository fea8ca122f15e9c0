import { gzipSync } from "node:zlib"
import { assert, describe, it } from "vitest"
import { json, type Reply, type ScriptedServer, startScriptedServer } from "../upstream/scriptedServer.ts"
import { catalogue, ids, searchOf, thrownBy } from "./catalogue.ts"
import { productDocument, toolResponse } from "./fakeCatalogue.ts"

/*
 * What real sockets do to a search.
 */

let server: ScriptedServer

const foundDocument = toolResponse({ products: [productDocument(1, { title: "Körbchen – 篮子 🧺" })] })

const searching = async (replies: ReadonlyArray<Reply>, options: Parameters<typeof catalogue>[0] = {}) => {
  server = await startScriptedServer(...replies)
  return searchOf(catalogue({ baseUrl: server.url, ...options }))()
}

describe("a search over a socket", () => {
  it("posts JSON to the catalogue's address", async () => {
    assert.deepStrictEqual(ids(await searching([json(foundDocument)])), ["test1"])
    const [request] = server.requests
    assert.strictEqual(request!.method, "POST")
    assert.strictEqual(request!.url, "/api/ucp/mcp")
    assert.include(JSON.parse(request!.body), { jsonrpc: "2.0", method: "tools/call" })
  })

  it("reads a compressed response", async () => {
    const page = await searching([
      (response) =>
        response
          .writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" })
          .end(gzipSync(JSON.stringify(foundDocument)))
    ])
    assert.strictEqual(page.products[0]?.title, "Körbchen – 篮子 🧺")
  })

  it("is repeated after a cut or an outage: a search does no harm twice", async () => {
    const page = await searching(
      [
        (response, { socket }) => {
          response.writeHead(200, { "content-length": "1000" }).write('{"jsonrpc":', () => socket.destroy())
        },
        (response) => response.writeHead(503).end(),
        json(foundDocument)
      ],
      { retries: 2 }
    )
    assert.deepStrictEqual(ids(page), ["test1"])
    assert.strictEqual(server.requests.length, 3)
  })

  it("is a 503 if the response is truncated", async () => {
    const error = await thrownBy(
      searching([
        (response, { socket }) => {
          response.writeHead(200, { "content-length": "1000" }).write('{"jsonrpc":', () => socket.destroy())
        }
      ])
    )
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })

  it("is a 502 if the response ends early, but is complete according to its headers", async () => {
    const error = await thrownBy(
      searching([
        (response) =>
          response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify(foundDocument).slice(0, -2))
      ])
    )
    assert.strictEqual(error._tag, "ResponseMalformed")
  })

  it("is a 503 if the response is too slow", async () => {
    let timer: ReturnType<typeof setInterval> | undefined
    const error = await thrownBy(
      searching(
        [
          (response) => {
            response.writeHead(200).write("{")
            timer = setInterval(() => response.write(" "), 5)
            response.on("close", () => clearInterval(timer))
          }
        ],
        { timeoutMillis: 60, deadlineMillis: 100 }
      )
    )
    assert.strictEqual(error._tag, "TemporarilyUnavailable")
  })

  it("follows no redirect: the token would travel along", async () => {
    const error = await thrownBy(
      searching([(response) => response.writeHead(307, { location: "https://elsewhere.example/" }).end()])
    )
    assert.strictEqual(error._tag, "Redirected")
    assert.strictEqual(server.requests.length, 1)
  })

  it("is a 502 if the response is too long, compressed or not", async () => {
    const long = JSON.stringify(
      toolResponse({ products: [productDocument(1, { note: "a".repeat(200_000) })] })
    )
    for (const reply of [
      (response) => response.writeHead(200).end(long),
      (response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(long))
    ] satisfies Array<Reply>) {
      const error = await thrownBy(searching([reply], { maxResponseBytes: 100_000 }))
      assert.strictEqual(error._tag, "ResponseTooLarge")
      await server.close()
    }
  })

  it("ends with its caller", async () => {
    const closed = Promise.withResolvers<void>()
    server = await startScriptedServer((response) => {
      response.on("close", () => closed.resolve())
    })
    const abort = new AbortController()
    const search = catalogue({ baseUrl: server.url }).search(
      { q: "shoes", page: 1 },
      { signal: abort.signal }
    )
    const ended = search.then(
      () => "responded",
      () => "ended"
    )
    while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    abort.abort()
    await closed.promise
    assert.strictEqual(await ended, "ended")
  })
})
