import { syncBuiltinESMExports } from "node:module"
import vm from "node:vm"
import { describe, expect, it, onTestFinished } from "vitest"
import { fakeAssistant, fakeFulfilment, fakeMailer, fakeVaultFiles } from "@till402/testing"
import { checkRoutes } from "../src/check/check.ts"
import { type Proxy, listen, startService, till402, withHeaders } from "./world.ts"

const everything = {
  assistant: fakeAssistant(),
  fulfilment: fakeFulfilment(),
  mailer: fakeMailer(),
  vault: fakeVaultFiles()
}

// eslint-disable-next-line typescript/no-explicit-any -- a JSON document from outside
type Json = any

/** Changes the header of every 402. */
const altered = (change: (challenge: Json) => void): Proxy => ({
  response: (response) => {
    const header = response.headers.get("payment-required")
    if (header === null) return response
    const challenge = JSON.parse(Buffer.from(header, "base64").toString())
    change(challenge)
    return withHeaders(response, (headers) =>
      headers.set("payment-required", Buffer.from(JSON.stringify(challenge)).toString("base64"))
    )
  }
})

interface Checked {
  readonly name: string
  readonly status: string
  readonly problem?: string
}

const checked = async (url: string) => {
  const { code, printed } = await till402(["check", url, "--json"])
  return { code, checks: JSON.parse(printed).checks as ReadonlyArray<Checked> }
}

describe("till402 check", () => {
  it("passes all seven routes of a till, in its documents or not", async () => {
    const { url } = await startService(everything)
    const { checks, code } = await checked(url)
    expect(code).toBe(0)
    expect(checks.map(({ name, status }) => `${status} ${name}`)).toEqual([
      "pass GET /x402/search",
      "pass POST /x402/shop",
      "pass POST /x402/buy",
      "pass GET /x402/track",
      "pass GET /x402/vault/search",
      "pass POST /x402/vault/buy",
      "pass GET /x402/vault/download/{purchaseId}"
    ])
  })

  it("checks one route by its own address, and fits 80 columns", async () => {
    const { url } = await startService()
    const { code, printed } = await till402(["check", `${url}/x402/search`])
    expect(code).toBe(0)
    expect(printed.replaceAll(/\s+/g, " ")).toContain("0.01 USDC: Product search over one marketplace")
    expect(printed.split("\n").filter((line) => line.length > 80)).toEqual([])
  })

  it.each<[string, Proxy, string]>([
    [
      "no header",
      { response: (response) => withHeaders(response, (headers) => headers.delete("payment-required")) },
      "no PAYMENT-REQUIRED header"
    ],
    [
      "another status",
      { instead: ({ url }) => (url.includes("/x402") ? new Response("", { status: 400 }) : undefined) },
      "returned 400 instead of 402"
    ],
    [
      "another address",
      altered(({ resource }) => Object.assign(resource, { url: "https://other.example/x" })),
      "it calls itself https://other.example/x"
    ],
    ["no discovery data", altered((challenge) => void delete challenge.extensions), "no discovery data"],
    [
      "invalid discovery data",
      altered(({ extensions }) =>
        Object.assign(extensions.bazaar.info.input, {
          method: "PUT"
        })
      ),
      "its discovery data is invalid"
    ],
    [
      "a long header",
      altered(({ resource }) => Object.assign(resource, { padding: "x".repeat(8_000) })),
      "many proxies drop more than 8192"
    ]
  ])("names a route with %s", async (_, proxy, problem) => {
    const { url } = await startService({}, proxy)
    const { checks, code } = await checked(url)
    expect([code, checks[0]]).toEqual([
      1,
      expect.objectContaining({ status: "fail", problem: expect.stringContaining(problem) })
    ])
  })

  /** What may take five seconds may take a twentieth of them until the test ends. */
  const hurry = () => {
    const { runInNewContext } = vm
    const use = (run: typeof runInNewContext) => {
      vm.runInNewContext = run
      syncBuiltinESMExports()
    }
    onTestFinished(() => use(runInNewContext))
    use((code, context, options) => {
      const { timeout = Infinity } = options as { readonly timeout?: number }
      return runInNewContext(code, context, { timeout: timeout / 20 })
    })
  }

  it.each<[string, (extensions: Json) => void, string]>([
    [
      "patterns that backtrack for hours",
      ({ bazaar }) => {
        bazaar.info.input.note = `${"a".repeat(40)}!`
        bazaar.schema.properties.input.properties.note = { type: "string", pattern: "^(\\w+\\s?)+$" }
      },
      "can't be validated in 5 seconds"
    ],
    ["discovery data that is null", (extensions) => void (extensions.bazaar = null), "its 402 can't be read"]
  ])("comes to an end with %s", async (_, change, problem) => {
    hurry()
    const { url } = await startService(
      {},
      altered(({ extensions }) => change(extensions))
    )
    const { code, printed } = await till402(["check", `${url}/x402/search`, "--json"])
    const [check] = JSON.parse(printed).checks as ReadonlyArray<Checked>
    expect([code, check]).toEqual([
      1,
      expect.objectContaining({ status: "fail", problem: expect.stringContaining(problem) })
    ])
  })

  it("comes to an end with many slow routes", async () => {
    const called: Array<string> = []
    const paths = Object.fromEntries(
      ["/a", "/b", "/c"].map((path) => [path, { get: { responses: { 402: {} } } }])
    )
    const url = await listen((request, response) => {
      if (request.url === "/openapi.json") return response.writeHead(200).end(JSON.stringify({ paths }))
      if (paths[request.url ?? ""] !== undefined) called.push(request.url ?? "")
      return response.writeHead(404).end()
    })
    let nowMillis = 0
    const lines = await checkRoutes(url, () => (nowMillis += 40_000))
    expect(called).toEqual(["/a"])
    expect(lines.map(({ problem }) => problem)).toEqual([
      expect.stringContaining("returned 404 instead of 402"),
      "it isn't called: the routes before it took 60 seconds",
      "it isn't called: the routes before it took 60 seconds"
    ])
  })

  it.each([
    "null",
    '{"paths":null}',
    '{"paths":{"/a":null}}',
    '{"paths":{"/a":{"get":5}}}',
    '{"paths":{"/a":{"get":{"responses":"402"}}}}'
  ])("finds nothing in the document %s", async (document) => {
    const url = await listen((request, response) =>
      request.url === "/openapi.json"
        ? response.writeHead(200).end(document)
        : response.writeHead(404).end("no")
    )
    const { code, noted } = await till402(["check", url])
    expect([code, noted]).toEqual([1, expect.stringContaining("nothing paid is found")])
  })

  it("says where nothing paid is found", async () => {
    const url = await listen((_request, response) => response.writeHead(404).end("no"))
    const { code, noted } = await till402(["check", url])
    expect([code, noted]).toEqual([1, expect.stringContaining("nothing paid is found")])
    expect((await till402(["check", "http://127.0.0.1:1"])).noted).toContain("can't be reached")
  })

  it("calls no other server, and nothing that may change something, and says so", async () => {
    const called: Array<string> = []
    const other = await listen((request, response) => {
      called.push(`${request.method} ${request.url}`)
      response.writeHead(200).end("internal")
    })
    const host = other.replace("http://", "")
    const listing = {
      resources: [
        `DELETE ${other}/admin`,
        { method: "POST", url: `${other}/shutdown` },
        "DELETE /x402/all",
        `GET @${host}/secret`,
        "GET /x402/search"
      ]
    }
    const { url } = await startService(everything, {
      instead: (request) => {
        const { pathname } = new URL(request.url)
        if (request.method === "DELETE") called.push("DELETE of the service")
        return pathname === "/.well-known/x402" ? Response.json(listing) : undefined
      }
    })
    const { checks, code } = await checked(url)
    expect([code, called]).toEqual([0, []])
    expect(checks.filter(({ status }) => status === "warn").map(({ name }) => name)).toEqual([
      `DELETE ${other}/admin`,
      `POST ${other}/shutdown`,
      "DELETE /x402/all",
      `GET @${host}/secret`
    ])
  })

  it.each(["localhost", "[::1]"])("takes %s for this machine", async (name) => {
    const { url } = await startService(
      {},
      {
        // The till calls itself by another name of the same server.
        response: async (response) => {
          const header = response.headers.get("payment-required")
          if (header === null) return response
          const challenge = JSON.parse(Buffer.from(header, "base64").toString())
          challenge.resource.url = challenge.resource.url.replace("127.0.0.1", name)
          return withHeaders(response, (headers) =>
            headers.set("payment-required", Buffer.from(JSON.stringify(challenge)).toString("base64"))
          )
        }
      }
    )
    expect((await checked(url)).code).toBe(0)
  })

  it("names a baseUrl with another port", async () => {
    const listing = { resources: ["GET http://localhost:1/x402/search"] }
    const url = await listen((request, response) =>
      request.url === "/.well-known/x402"
        ? response.writeHead(200).end(JSON.stringify(listing))
        : response.writeHead(404).end()
    )
    const { checks, code } = await checked(url)
    expect([code, checks]).toEqual([
      1,
      [
        expect.objectContaining({
          status: "fail",
          problem: `it isn't called: it is said to be at http://localhost:1, and ${url} is checked`
        })
      ]
    ])
    const wrong = await startService({ baseUrl: "http://localhost:1" })
    const routes = await checked(wrong.url)
    expect([routes.code, routes.checks[0]?.problem]).toEqual([
      1,
      expect.stringContaining(`it was called at ${wrong.url}`)
    ])
  })
})
