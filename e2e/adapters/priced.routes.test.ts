import { cors } from "hono/cors"
import { describe, expect, it } from "vitest"
import { weather, notes, started, selling } from "./pricedHandlers.ts"

describe("a priced handler of a POST", () => {
  const form = (size: number) => {
    const body = new FormData()
    body.set("text", "a".repeat(size))
    return body
  }

  it("reads a body of any type itself, up to 64 KiB", async () => {
    const { calls, origin, pay } = await selling(
      async (context) => context.text(String((await context.req.parseBody())["text"])),
      {},
      notes
    )
    const bought = await pay(`${origin}/notes`, { method: "POST", body: form(3) })
    expect([bought.status, await bought.text()]).toEqual([200, "aaa"])
    const large = await pay(`${origin}/notes`, { method: "POST", body: form(70_000) })
    expect([large.status, await large.json()]).toMatchObject([413, { code: "BODY_TOO_LARGE" }])
    expect(calls).toHaveLength(1)
  })

  it("reads a body that an earlier middleware has read", async () => {
    const { origin, pay } = await started({}, (app, price) => {
      app.use(async (context, next) => {
        await context.req.json()
        return next()
      })
      app.post("/notes", price(notes), async (context) => context.json(await context.req.json()))
    })
    const bought = await pay(`${origin}/notes`, {
      method: "POST",
      body: '{"a":1}',
      headers: { "content-type": "application/json" }
    })
    expect([bought.status, await bought.text()]).toEqual([200, '{"a":1}'])
  })
})

describe("a priced route", () => {
  it("is in the documents before its first request", async () => {
    const { origin } = await started({}, (app, price) => {
      const described = {
        description: "Weather of a city, now",
        mimeType: "text/plain",
        example: { input: { city: "oslo", days: "2" }, output: "sun" }
      }
      app.get("/weather/:city", price({ ...weather, ...described }), (context) => context.text("sun"))
      app.post("/notes", price(notes), (context) => context.json({}))
    })
    const document = (await (await fetch(`${origin}/openapi.json`)).json()) as {
      paths: Record<string, Record<string, Record<string, unknown>>>
    }
    const get = document.paths["/weather/{city}"]!["get"]!
    expect(get).toMatchObject({
      operationId: "weather",
      summary: "Weather of a city, now",
      "x-payment-info": { price: { mode: "fixed", amount: "0.02" } },
      responses: { 200: { content: { "text/plain": {} } } }
    })
    expect((get["parameters"] as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual([
      "city",
      "days"
    ])
    expect(document.paths["/notes"]!["post"]).toMatchObject({ operationId: "notes", summary: "POST /notes" })
    expect(await (await fetch(`${origin}/.well-known/x402`)).json()).toMatchObject({
      resources: ["GET /weather/{city}", "POST /notes"]
    })
    const unpaid = await fetch(`${origin}/weather/oslo`)
    const { extensions } = JSON.parse(atob(unpaid.headers.get("payment-required")!))
    expect(extensions.bazaar.info).toMatchObject({ input: { method: "GET", pathParams: { city: "oslo" } } })
  })

  it("keeps the headers of earlier middleware, and its own", async () => {
    const { origin, pay, payment } = await started({ cors: false }, (app, price) => {
      app.use(cors({ origin: (from) => from }))
      app.get("/weather/:city", price(weather), (context) => context.text("sun", 200, { "x-made": "1" }))
    })
    const path = `${origin}/weather/oslo`
    expect((await fetch(path, { headers: { origin: "https://a.example" } })).status).toBe(402)
    await pay(path, { headers: { origin: "https://a.example" } })
    const replay = await fetch(path, { headers: { ...payment(), origin: "https://b.example" } })
    expect(replay.headers.get("access-control-allow-origin")).toBe("https://b.example")
    expect(replay.headers.get("cache-control")).toBe("private, no-store")
    expect(replay.headers.get("vary")).toContain("PAYMENT-SIGNATURE")
    expect(replay.headers.get("x-made")).toBe("1")
  })

  it("has its path below the base URL", async () => {
    const { origin, pay } = await started({ baseUrl: "https://shop.example/api" }, (app, price) => {
      app.basePath("/api").get("/weather/:city", price(weather), (context) => context.text("sun"))
    })
    const { resource } = JSON.parse(
      atob((await fetch(`${origin}/api/weather/oslo`)).headers.get("payment-required")!)
    )
    expect(resource).toMatchObject({ url: "https://shop.example/api/weather/oslo" })
    expect(await (await pay(`${origin}/api/weather/oslo`)).text()).toBe("sun")
  })

  it("fails loudly where its path is not that of the app", async () => {
    const { origin, pay } = await started({}, (app, price) => {
      app.get("/wetter/:city", price(weather), (context) => context.text("sun"))
    })
    const failed = await pay(`${origin}/wetter/oslo`)
    expect([failed.status, await failed.text()]).toEqual([
      500,
      expect.stringContaining("its path /weather/:city doesn't match the request /wetter/oslo")
    ])
  })
})
