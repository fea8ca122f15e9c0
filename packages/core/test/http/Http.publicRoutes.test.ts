import { afterEach, describe, expect, it, vi } from "vitest"
import { baseUrl, openTill } from "../toll/openTill.ts"

const get = (path: string, init?: RequestInit) => new Request(baseUrl + path, init)

afterEach(() => {
  vi.useRealTimers()
})

/** A body that begins and never ends. */
const stalling = () => {
  const cancelled = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from("{")),
    cancel: () => cancelled.resolve()
  })
  return { body, cancelled: cancelled.promise }
}

/** A web `Request` whose body is a stream. */
const streamed = (path: string, body: ReadableStream<Uint8Array>): Request => {
  const init: RequestInit & { readonly duplex: "half" } = { method: "POST", body, duplex: "half" }
  return get(path, init)
}

describe("public routes", () => {
  it("end a request whose body stalls as other bodies, and don't hold up dispose", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { till } = await openTill({
      publicRoutes: { "/webhooks/17track": async (request) => new Response(await request.text()) }
    })
    const { body, cancelled } = stalling()
    const responding = till.fetch(streamed("/webhooks/17track", body))
    await vi.advanceTimersByTimeAsync(1)
    const disposing = till.dispose().then(() => "disposed")
    await vi.advanceTimersByTimeAsync(15_000)
    const response = await responding
    expect([response.status, (await response.json()).code]).toEqual([408, "BODY_TOO_SLOW"])
    await cancelled
    expect(await disposing).toBe("disposed")
  })

  it("have as long as they like once their body has come", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    const { till } = await openTill({
      publicRoutes: {
        "/webhooks/17track": async (request) => {
          const text = await request.text()
          await new Promise((resolve) => setTimeout(resolve, 20_000))
          return new Response(text)
        }
      }
    })
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => {
        controller.enqueue(Buffer.from("moved"))
        controller.close()
      }
    })
    const responding = till.fetch(streamed("/webhooks/17track", body))
    await vi.advanceTimersByTimeAsync(20_000)
    const response = await responding
    expect([response.status, await response.text()]).toEqual([200, "moved"])
  })

  it("are served below the mount, unpaid, whatever the method", async () => {
    const { till } = await openTill({
      publicRoutes: {
        "/.well-known/ucp-agent.json": () => Response.json({ name: "agent" }),
        "/webhooks/17track": async (request) => new Response(await request.text(), { status: 202 })
      }
    })
    const profile = await till.fetch(get("/.well-known/ucp-agent.json"))
    expect([profile.status, await profile.json()]).toEqual([200, { name: "agent" }])
    const received = await till.fetch(get("/webhooks/17track", { method: "POST", body: "moved" }))
    expect([received.status, await received.text()]).toEqual([202, "moved"])
    expect([till.handles("/webhooks/17track"), till.handles("/api/webhooks/17track")]).toEqual([true, true])
    expect(till.handles("/webhooks/other")).toBe(false)
  })

  it("that return nothing are a 500, and onProviderError gets what they must return", async () => {
    const errors: Array<unknown> = []
    const { till } = await openTill({
      publicRoutes: { "/webhooks/own": (() => undefined) as never },
      onProviderError: ({ error, operation, port }) => errors.push([port, operation, String(error)])
    })
    expect((await till.fetch(get("/webhooks/own", { method: "POST", body: "moved" }))).status).toBe(500)
    expect(errors).toEqual([
      ["publicRoutes", "/api/webhooks/own", expect.stringContaining("a public route must return a Response")]
    ])
  })

  it("that throw are a 500 without details, and an event for the operator", async () => {
    const { events, till } = await openTill({
      publicRoutes: {
        "/broken": () => {
          throw new Error("the key is hunter2")
        }
      }
    })
    const response = await till.fetch(get("/broken"))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain("hunter2")
    expect(events.map(({ message }) => message)).toContain("A request failed because of a defect")
    expect(JSON.stringify(events)).not.toContain("hunter2")
  })

  it.each(["/x402/own", "no-slash", "/a b"])("can't stand at %s", async (path) => {
    await expect(openTill({ publicRoutes: { [path]: () => new Response() } })).rejects.toThrow("publicRoutes")
  })
})
