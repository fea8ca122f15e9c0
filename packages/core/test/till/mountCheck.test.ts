import { expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { incoming } from "../../src/http/HttpMessage.ts"
import type { TillEvent } from "../../src/runtime/events.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import { settings } from "./hosted.ts"

/*
 * The path at which a framework has mounted a till, and the path of its base URL.
 */

const open = async (baseUrl: string, operations: ReadonlyArray<string> = []) => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...settings,
    baseUrl,
    facilitator: fakeFacilitator(),
    storage: memory(),
    tracker: fakeTracker(),
    operations: operations.map((path, index) => ({
      id: `own${index}`,
      method: "GET",
      path,
      description: "Tides, now",
      price: "0.02",
      work: () => ({})
    })),
    onEvent: (event) => events.push(event)
  })
  onTestFinished(till.dispose)
  await till.ready
  /** Sends an unpaid request, as an adapter does for one below a mount. */
  const send = async (path: string, mount?: string) =>
    (await till.handle(incoming(new Request(`https://shop.example${path}`)), { mount })).status
  return {
    till,
    send,
    messages: () => events.filter(({ code }) => code === "mount_differs").map(({ message }) => message),
    checks: async () => (await till.check()).filter(({ name }) => name === "baseUrl")
  }
}

const track = "/x402/track?number=1Z999AA10123456784"

it.each([
  ["https://shop.example/api", "/api", "https://shop.example/shop"],
  ["https://shop.example", "/", "https://shop.example/shop"]
])("a mount that isn't the path of %s is reported once, and works", async (baseUrl, path, cure) => {
  const { checks, messages, send } = await open(baseUrl)
  expect(await checks()).toEqual([])
  expect([await send(track, "/shop"), await send(track, "/shop"), await send(track, "/other")]).toEqual([
    402, 402, 402
  ])
  expect(messages()).toEqual([
    `The till is mounted at /shop, and the path of baseUrl is ${path}: callers pay at ${baseUrl}/x402/…. Set baseUrl to ${cure}, or mount the till at the path of baseUrl. If a proxy in front changes the path, nothing is wrong`
  ])
  expect(await checks()).toMatchObject([{ status: "warn", problem: expect.stringContaining("/shop") }])
})

it("a mount at /x402 is told how to mount", async () => {
  const { messages, send } = await open("https://shop.example/api")
  expect(await send("/search?q=desk", "/api/x402")).toBe(404)
  expect(messages()).toEqual([
    expect.stringMatching(
      /^The till is mounted at \/api\/x402, .*\. Mount the till without \/x402, with which its routes begin by themselves$/
    )
  ])
})

it("a mount at the path of baseUrl, at the root behind a proxy, and one that callers choose are not reported", async () => {
  const { checks, messages, send } = await open("https://shop.example/api")
  for (const mount of [undefined, "", "/:tenant", `/${"a".repeat(200)}`, "/%61"])
    expect(await send(`${mount === undefined ? "/api" : ""}${track}`, mount)).toBe(402)
  expect([messages(), await checks()]).toEqual([[], []])
})

const doubled =
  "The path /api/tides of a paid route begins with that of baseUrl: callers pay at https://shop.example/api/api/tides. Give the path /tides, or leave /api out of baseUrl. If a proxy in front takes it away, nothing is wrong"

it("a path that begins with that of baseUrl is reported once, and works", async () => {
  const { checks, messages, send } = await open("https://shop.example/api", ["/api/tides"])
  expect([await send("/api/tides"), await send("/api/tides")]).toEqual([402, 402])
  expect(messages()).toEqual([doubled])
  expect(await checks()).toMatchObject([{ status: "warn", problem: expect.stringContaining("/api/tides") }])
})

it("such a path hides no other mount", async () => {
  const { messages, send } = await open("https://shop.example/api", ["/api/tides"])
  expect([await send("/api/tides"), await send(track, "/shop")]).toEqual([402, 402])
  expect(messages()).toEqual([doubled, expect.stringContaining("mounted at /shop")])
})

/** Prices a handler, and sends unpaid requests for it, as an adapter does. */
const price = (till: Pick<Till, "price">, path: string) => {
  const route = till.price({ id: "priced", path, price: "0.02" })
  return async (pathname: string) => {
    const request = new Request(`https://shop.example${pathname}`)
    return (await route.fetch(request, () => new Response("high"))).status
  }
}

it("so is the path of a priced handler", async () => {
  const { messages, till } = await open("https://shop.example/api")
  const sendPriced = price(till, "/api/tides")
  expect([await sendPriced("/api/tides"), await sendPriced("/api/tides")]).toEqual([402, 402])
  expect(messages()).toEqual([doubled])
})

it("paths that begin otherwise, that come in with both, or that another route has are not reported", async () => {
  for (const [baseUrl, path, sent] of [
    ["https://shop.example/api", "/tides", "/api/tides"],
    ["https://shop.example/api", "/apitides", "/api/apitides"],
    ["https://shop.example/api", "/api/tides", "/api/api/tides"],
    ["https://shop.example", "/api/tides", "/api/tides"]
  ] as const) {
    const one = await open(baseUrl, [path])
    expect([await one.send(sent), one.messages()]).toEqual([402, []])
    const other = await open(baseUrl)
    expect([await price(other.till, path)(sent), other.messages()]).toEqual([402, []])
  }
  const both = await open("https://shop.example/api", ["/tides", "/api/tides", "/api/:city/tides"])
  expect([await both.send("/api/tides"), await both.send(`/api${track}`), both.messages()]).toEqual([
    402,
    402,
    []
  ])
})

it.each([
  [
    "/weather/:city",
    "/weather/oslo",
    "callers pay at https://shop.example/weather/weather/:city. Give the path /:city"
  ],
  ["/weather", "/weather", "callers pay at https://shop.example/weather/weather. Give another path"]
])("a baseUrl that is the address of %s itself is reported", async (path, sent, problem) => {
  const own = await open("https://shop.example/weather", [path])
  expect(await own.send(sent)).toBe(402)
  expect(own.messages()).toEqual([expect.stringContaining(problem)])
  const other = await open("https://shop.example/weather")
  expect(await price(other.till, path)(sent)).toBe(402)
  expect(other.messages()).toEqual([expect.stringContaining(problem)])
})

it("such a path is not reported for what is another route's, or a path that only begins alike", async () => {
  const { messages, send } = await open("https://shop.example/api", [
    "/oslo",
    "/api/:city",
    "/api/:city/:day",
    "/api-docs"
  ])
  for (const path of ["/api/oslo", "/api/api/rome", `/api${track}`, "/api-docs", "/api/api-docs"])
    expect(await send(path)).toBe(402)
  expect(await send("/api/openapi.json")).toBe(200)
  expect(messages()).toEqual([])
})

it("the 404 of a route handler at another path names where paths begin", async () => {
  const { till } = await open("https://shop.example")
  const below = await till.fetch(new Request(`https://shop.example/api${track}`))
  expect([below.status, await below.json()]).toEqual([
    404,
    {
      code: "NOT_FOUND",
      message:
        "There is nothing at this path. The paths of this service begin with https://shop.example/, and https://shop.example/openapi.json lists them."
    }
  ])
  expect((await till.fetch(new Request(`https://shop.example${track}`))).status).toBe(402)
})

it("a framework's own request is refused with the way to mount", async () => {
  const { till } = await open("https://shop.example")
  const express = { method: "GET", url: track, headers: {} } as unknown as Request
  await expect(till.fetch(express)).rejects.toThrow("mount the till with its adapter")
})
