import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect, Logger } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { eventLogger, type TillEvent } from "../../src/runtime/events.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { reportRedirect } from "../../src/toll/facilitator/redirectReport.ts"
import { settings } from "./hosted.ts"

/*
 * The address of a facilitator that is almost right, over real sockets: what a host reads before the first payment.
 */

const serve = async (listener: RequestListener): Promise<string> => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const json =
  (document: unknown): RequestListener =>
  (_, response) => {
    response.setHeader("content-type", "application/json").end(JSON.stringify(document))
  }

const supported = json({ kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:84532" }] })

const redirectTo =
  (to: string, status: number): RequestListener =>
  ({ url }, response) => {
    response.writeHead(status, { location: `${to}${url}?key=secret-word` }).end()
  }

/** Starts a till with this facilitator: what it reports of it. */
const start = async (url: string, headers?: () => Promise<Record<string, string>>) => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...settings,
    facilitator: { url, verifyTimeoutMillis: 20_000, ...(headers === undefined ? {} : { headers }) },
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: (event) => events.push(event)
  })
  onTestFinished(till.dispose)
  await till.ready
  await expect.poll(() => calls).toBeGreaterThan(0)
  await till.check()
  return events
    .filter(({ code }) => code === "facilitator_not_ready")
    .map(({ message, reason }) => `${reason}: ${message}`)
}

let calls = 0
const counted =
  (listener: RequestListener): RequestListener =>
  (request, response) => {
    calls++
    listener(request, response)
  }

it.each([301, 302, 303])(
  "a redirect that loses payments is reported once, with where it leads: %i",
  async (status) => {
    calls = 0
    const to = await serve(counted(supported))
    const url = await serve(redirectTo(to, status))
    expect(await start(url)).toEqual([
      `http_${status}: The facilitator at ${url} redirects to ${to} with HTTP status ${status}, after which a payment arrives there without its body. Give that address`
    ])
  }
)

it("a redirect to an address without encryption is reported, whatever its status", async () => {
  const events: Array<TillEvent> = []
  const options = { url: "https://pay.example/x402?key=secret-word" }
  const neverCalled = HttpClient.make(() => Effect.die("called"))
  const noted = reportRedirect(
    options,
    neverCalled,
    HttpClientRequest.get(options.url),
    "http://pay.example/x402/supported"
  )
  const logger = Logger.layer([eventLogger((event) => events.push(event))])
  expect(await Effect.runPromise(Effect.provide(noted, logger))).toBe(true)
  expect(events.map(({ code, message }) => `${code}: ${message}`)).toEqual([
    "facilitator_not_ready: The facilitator at https://pay.example/x402 redirects to http://pay.example/x402, where payments travel unencrypted, and anybody on the way can say that they settled. Give an address that stays at https"
  ])
})

it.each([307, 308])("a redirect that keeps payments is not reported: %i", async (status) => {
  calls = 0
  const to = await serve(counted(supported))
  expect(await start(await serve(redirectTo(to, status)))).toEqual([])
})

it.each<[string, RequestListener, string]>([
  ["a website", (_, response) => void response.end("<html>hello</html>"), "no_json"],
  ["one that lists nothing", json({ kinds: [] }), "no_kinds"]
])("%s is reported once, with what to do", async (_, listener, reason) => {
  calls = 0
  expect(await start(await serve(counted(listener)))).toEqual([
    expect.stringMatching(new RegExp(`^${reason}: .* did not list .*Check its address`))
  ])
})

it.each([
  ["that can't be made", () => Promise.reject(new Error("secret-word"))],
  [
    "of a variable that isn't set",
    async () => ({ "x-note": "secret-word", authorization: "Bearer undefined" })
  ]
])("headers %s are reported as such, and nothing of them is quoted", async (_, headers) => {
  calls = 1
  const [message, ...others] = await start(await serve(supported), headers)
  expect(others).toEqual([])
  expect(message).toMatch(
    /^headers_failed: .*Correct facilitator.headers, which threw, or made a value of a variable that isn't set$/
  )
  expect(message).not.toContain("secret-word")
})

it.each([
  [
    "without a value",
    { "x-trace": undefined, "x-span": null, authorization: "Bearer k" },
    [undefined, undefined]
  ],
  [
    "that end like an unset variable",
    { "x-trace": "undefined", "x-span": "shop/1 null" },
    ["undefined", "shop/1 null"]
  ],
  ["of a key that ends so", { authorization: "Bearer abc-null" }, [undefined, undefined]],
  ["that are none", undefined, [undefined, undefined]]
])("headers %s are sent as they are", async (_, headers, received) => {
  calls = 0
  const seen: Array<unknown> = []
  const address = await serve((request, response) => {
    seen.push([request.headers["x-trace"], request.headers["x-span"]])
    counted(supported)(request, response)
  })
  expect(await start(address, async () => headers as never)).toEqual([])
  expect(seen[0]).toEqual(received)
})

it.each([{ authorization: "Basic null" }, { authorization: "undefined" }, { "x-api-key": "undefined" }])(
  "a key that isn't set is reported: %j",
  async (headers) => {
    calls = 1
    expect(await start(await serve(supported), async () => headers)).toEqual([
      expect.stringMatching(/^headers_failed: /)
    ])
  }
)

it("of a facilitator in this process, a missing list is not reported, and an empty list is", async () => {
  const reported = async (list: object) => {
    const events: Array<TillEvent> = []
    const { settle, verify } = fakeFacilitator()
    const till = Till.make({
      ...settings,
      facilitator: { verify, settle, ...list },
      storage: memory(),
      tracker: fakeTracker(),
      onEvent: (event) => events.push(event)
    })
    onTestFinished(till.dispose)
    await till.ready
    await till.check()
    return events.filter(({ code }) => code === "facilitator_not_ready").map(({ message }) => message)
  }
  expect(await reported({})).toEqual([])
  expect(await reported({ getSupported: async () => ({ kinds: [] }) })).toEqual([
    expect.stringMatching(/: no_kinds\. Its getSupported must list them, or be left out\./)
  ])
})
