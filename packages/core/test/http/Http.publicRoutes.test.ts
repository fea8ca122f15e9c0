import { describe, expect, it } from "vitest"
import { baseUrl, openTill } from "../toll/openTill.ts"

const get = (path: string, init?: RequestInit) => new Request(baseUrl + path, init)

describe("public routes", () => {
  it("are served below the mount, unpaid, whatever the method", async () => {
    const { till } = await openTill({
      publicRoutes: {
        "/.well-known/ucp-agent.json": () => Response.json({ name: "agent" }),
        "/webhooks/17track": async (request) => new Response(await request.text(), { status: 202 })
      }
    })
    const profile = await till.fetch(get("/.well-known/ucp-agent.json"))
    expect([profile.status, await profile.json()]).toEqual([200, { name: "agent" }])
    const told = await till.fetch(get("/webhooks/17track", { method: "POST", body: "moved" }))
    expect([told.status, await told.text()]).toEqual([202, "moved"])
    expect([till.handles("/webhooks/17track"), till.handles("/api/webhooks/17track")]).toEqual([true, true])
    expect(till.handles("/webhooks/other")).toBe(false)
  })

  it("that throw are a 500 that tells nothing, and the operator hears of it", async () => {
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
