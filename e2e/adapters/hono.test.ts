import { till402 } from "@till402/hono"
import { Hono } from "hono"
import { describe, expect, it } from "vitest"
import { honoHosts } from "./hono.ts"
import { adapterSuite } from "./suite.ts"
import { type Echo, fakeTill } from "./till.ts"

adapterSuite("Hono", honoHosts)

describe("Hono: without a server, as on other runtimes", () => {
  const pathAt = async (app: Hono, path: string): Promise<string | number> => {
    const response = await app.request(path)
    return response.ok ? ((await response.json()) as Echo).pathname : response.status
  }

  it("works below a base path", async () => {
    const app = new Hono().basePath("/shop").use(till402(fakeTill("/shop").seam))
    expect(await pathAt(app, "/shop/x402/search")).toBe("/shop/x402/search")
    const unnamed = new Hono().basePath("/shop").use(till402(fakeTill().seam))
    expect(await pathAt(unnamed, "/shop/x402/search")).toBe("/x402/search")
    expect(await pathAt(unnamed, "/other/x402/search")).toBe(404)
  })

  it("works in an app mounted in another", async () => {
    const inner = new Hono().use(till402(fakeTill().seam))
    const app = new Hono().route("/shop", inner)
    expect(await pathAt(app, "/shop/x402/search")).toBe("/x402/search")
    expect(await pathAt(app, "/x402/search")).toBe(404)
    expect(await pathAt(new Hono().mount("/shop", fakeTill().seam.fetch), "/shop/x402/search")).toBe(
      "/x402/search"
    )
  })

  it("passes a body on under a prefix, already parsed or not", async () => {
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{ "a": 1 }' }
    const app = new Hono()
    app.use("/read/*", async (context, next) => {
      await context.req.json()
      return next()
    })
    app.use("/:kind/*", till402(fakeTill("/read").seam)).use("/unread/*", till402(fakeTill().seam))
    for (const path of ["/read/x402/shop", "/unread/x402/shop"]) {
      const echo = (await (await app.request(path, init)).json()) as Echo
      expect(JSON.parse(echo.body)).toEqual({ a: 1 })
    }
  })
})
