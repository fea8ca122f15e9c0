import { expect, it, onTestFinished } from "vitest"
import { fakeFacilitator, fakeTracker } from "../../../testing/src/index.ts"
import { incoming } from "../../src/http/HttpMessage.ts"
import type { TillEvent } from "../../src/runtime/events.ts"
import { memory } from "../../src/stores/memory.ts"
import { Till } from "../../src/till/PlainTill.ts"
import type { TillHooks } from "../../src/till/settings/TillHooks.ts"
import { settings } from "./hosted.ts"

/*
 * The address of a client behind a proxy, as an adapter of a framework passes it.
 */

const open = async (options: Pick<TillHooks, "clientAddress"> = {}, trustsAll = false) => {
  const events: Array<TillEvent> = []
  const till = Till.make({
    ...settings,
    ...options,
    facilitator: fakeFacilitator(),
    storage: memory(),
    tracker: fakeTracker(),
    onEvent: (event) => events.push(event)
  })
  onTestFinished(till.dispose)
  await till.ready
  const send = async (clientAddress: string | undefined, forwarded?: string) => {
    const request = new Request("https://shop.example/x402/track?number=1Z999AA10123456784", {
      headers: forwarded === undefined ? {} : { "x-forwarded-for": forwarded }
    })
    return (await till.handle(incoming(request), { clientAddress, trustsAll })).status
  }
  return {
    send,
    messages: () =>
      events.filter(({ code }) => code === "client_address_unknown").map(({ message }) => message),
    checks: async () => (await till.check()).filter(({ name }) => name === "client address")
  }
}

it.each([
  ["on this machine", "::ffff:127.0.0.1"],
  ["in a cluster", "10.4.0.7"],
  ["in a container's network", "172.18.0.2"],
  ["on IPv6", "fd00::7"],
  ["of a server that names no address", undefined]
])("a proxy whose clients aren't known is reported once, and works: %s", async (_, address) => {
  const { checks, messages, send } = await open()
  expect(await send(address)).toBe(402)
  expect(messages()).toEqual([])
  expect([await send(address, "203.0.113.7"), await send(address, "203.0.113.8")]).toEqual([402, 402])
  expect(messages()).toEqual([
    expect.stringContaining("all callers share the limits of one. Let the framework trust")
  ])
  expect(await checks()).toMatchObject([{ status: "warn", cure: expect.stringContaining("trust proxy") }])
})

it.each([
  ["no proxy", "127.0.0.1", undefined],
  ["a trusted proxy", "203.0.113.7", "203.0.113.7, 10.0.0.2"],
  ["a trusted proxy, and a client of its network", "10.4.0.7", "10.4.0.7"],
  ["a stranger who sends the header", "198.51.100.4", "203.0.113.7"]
])("is not reported: %s", async (_, address, forwarded) => {
  const { checks, messages, send } = await open()
  expect(await send(address, forwarded)).toBe(402)
  expect([messages(), await checks()]).toEqual([[], []])
})

it("a host that reads another header decides for itself", async () => {
  const { messages, send } = await open({
    clientAddress: (request) => request.headers.get("cf-connecting-ip") ?? undefined
  })
  expect(await send("10.4.0.7", "203.0.113.7")).toBe(402)
  expect(messages()).toEqual([])
})

it("a clientAddress that returns the whole header is reported once, and calls work", async () => {
  const { checks, messages, send } = await open({
    clientAddress: (request) => request.headers.get("x-forwarded-for") ?? undefined
  })
  expect(await send("10.4.0.7", "203.0.113.7")).toBe(402)
  expect(messages()).toEqual([])
  for (const forged of ["1", "2"]) expect(await send("10.4.0.7", `192.0.2.${forged}, 203.0.113.7`)).toBe(402)
  expect(messages()).toEqual([expect.stringContaining("Take the one address that your own proxy added")])
  expect(await checks()).toMatchObject([{ status: "warn" }])
})

const forwardedOf = (request: Request) => request.headers.get("x-forwarded-for")?.split(", ")

it("the first of the header is reported once it has several, and calls work", async () => {
  for (const shop of [
    await open({ clientAddress: (request) => forwardedOf(request)?.[0] }),
    await open({}, true)
  ]) {
    expect(await shop.send("203.0.113.7", "203.0.113.7")).toBe(402)
    expect(shop.messages()).toEqual([])
    for (const forged of ["192.0.2.1", "192.0.2.2"])
      expect(await shop.send(forged, `${forged}, 203.0.113.7`)).toBe(402)
    expect(shop.messages()).toEqual([
      expect.stringMatching(/callers begin X-Forwarded-For: each.*If your outermost proxy replaces/)
    ])
  }
})

it("the last but one, behind two proxies, is not reported", async () => {
  const { messages, send } = await open({ clientAddress: (request) => forwardedOf(request)?.at(-2) })
  for (const forged of ["", "192.0.2.1, "])
    expect(await send("10.4.0.7", `${forged}203.0.113.7, 198.51.100.9`)).toBe(402)
  expect(messages()).toEqual([])
})

it("a clientAddress that never returns an address is reported after 20 requests, unless the framework knows them", async () => {
  const none = { clientAddress: (request: Request) => request.headers.get("x-real-ip") ?? undefined }
  const unknown = await open(none)
  const known = await open(none)
  for (let request = 1; request < 20; request++) await unknown.send("10.4.0.7", "203.0.113.7")
  expect(unknown.messages()).toEqual([])
  for (let request = 0; request < 30; request++) {
    await unknown.send("10.4.0.7", "203.0.113.7")
    await known.send("203.0.113.7", "203.0.113.7")
  }
  expect(unknown.messages()).toEqual([expect.stringContaining("return the address from clientAddress")])
  expect(known.messages()).toEqual([])
})

it("a clientAddress that returns one address of the header, fails, or returns a promise is not reported", async () => {
  for (const clientAddress of [
    (request: Request) => request.headers.get("x-forwarded-for")?.split(", ").at(-1),
    () => {
      throw new Error("no address")
    },
    () => Promise.reject(new Error("no address")) as never
  ]) {
    const { messages, send } = await open({ clientAddress })
    expect(await send("10.4.0.7", "192.0.2.1, 203.0.113.7")).toBe(402)
    expect(messages()).toEqual([])
  }
})
