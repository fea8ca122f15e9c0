import { cors } from "hono/cors"
import { describe, expect, it } from "vitest"
import { selling, started, weather } from "./pricedHandlers.ts"

/*
 * Headers of a priced handler, and of the middleware around it.
 */

const cdnHeaders = {
  "cdn-cache-control": "public, max-age=600",
  "cloudflare-cdn-cache-control": "max-age=600",
  "vercel-cdn-cache-control": "max-age=600",
  "surrogate-control": "max-age=600",
  "surrogate-key": "weather",
  "x-accel-expires": "600",
  expires: "Thu, 01 Jan 2099 00:00:00 GMT",
  age: "1"
}

const cdnHeadersOf = ({ headers }: Response) => Object.keys(cdnHeaders).filter((name) => headers.has(name))

describe("headers for caches", () => {
  it("of a priced handler are left out, whether its response is sold or not", async () => {
    let status = 200
    const { oslo, pay, payment } = await selling(
      () =>
        new Response("sun", { status, headers: { ...cdnHeaders, "cache-control": "public", "x-made": "1" } })
    )
    const sold = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    for (const response of [sold, replay]) {
      expect(cdnHeadersOf(response)).toEqual([])
      expect(response.headers.get("cache-control")).toBe("private, no-store")
      expect(response.headers.get("x-made")).toBe("1")
    }
    for (status of [301, 404, 500]) {
      const unsold = await pay(oslo, { redirect: "manual" })
      expect([unsold.status, await unsold.text(), unsold.headers.get("x-made")]).toEqual([status, "sun", "1"])
      expect(cdnHeadersOf(unsold)).toEqual([])
      expect(unsold.headers.get("cache-control")).toBe("no-store")
      expect(unsold.headers.get("vary")).toContain("PAYMENT-SIGNATURE")
    }
  })

  it("of earlier middleware are left out of every response to its route", async () => {
    const { origin, pay, payment } = await started({}, (app, price) => {
      app.use(async (context, next) => {
        for (const [name, value] of Object.entries(cdnHeaders)) context.header(name, value)
        await next()
      })
      app.get("/weather/:city", price(weather), (context) =>
        context.text("sun", context.req.param("city") === "rome" ? 404 : 200)
      )
    })
    const oslo = `${origin}/weather/oslo`
    const responses = [
      await fetch(oslo),
      await pay(oslo),
      await fetch(oslo, { headers: payment() }),
      await pay(`${origin}/weather/rome`)
    ]
    expect(responses.map(({ status }) => status)).toEqual([402, 200, 200, 404])
    expect(responses.map(cdnHeadersOf)).toEqual([[], [], [], []])
  })

  it("vary by payment and by what else the app and the handler vary", async () => {
    const { origin, pay, payment } = await started({ cors: false }, (app, price) => {
      app.use(cors({ origin: (from) => from }))
      app.use(async (context, next) => {
        context.header("vary", "Accept-Language", { append: true })
        await next()
      })
      app.get("/weather/:city", price(weather), (context) =>
        context.text("sun", context.req.param("city") === "rome" ? 404 : 200)
      )
    })
    const oslo = `${origin}/weather/oslo`
    const headers = { origin: "https://a.example" }
    for (const response of [
      await fetch(oslo, { headers }),
      await pay(oslo, { headers }),
      await fetch(oslo, { headers: { ...headers, ...payment() } }),
      await pay(`${origin}/weather/rome`, { headers })
    ]) {
      const vary = (response.headers.get("vary") ?? "").split(", ")
      expect(vary).toEqual(expect.arrayContaining(["PAYMENT-SIGNATURE", "X-PAYMENT", "Accept-Language"]))
    }
  })
})

describe("headers of earlier middleware", () => {
  it("yield to the handler's, on the first response and on replays", async () => {
    let requests = 0
    const { origin, pay, payment } = await started({}, (app, price) => {
      app.use(async (context, next) => {
        context.header("content-language", "en")
        context.header("link", "</a>; rel=a")
        context.header("x-request", String(++requests))
        context.header("payment-response", "forged")
        await next()
      })
      app.get("/weather/:city", price(weather), (context) => {
        context.header("content-language", "nb")
        context.header("link", "</b>; rel=b", { append: true })
        return context.text("sol", context.req.param("city") === "rome" ? 404 : 200)
      })
    })
    const oslo = `${origin}/weather/oslo`
    const headersOf = ({ headers }: Response) =>
      ["content-language", "link", "x-request"].map((name) => headers.get(name))
    expect(headersOf(await fetch(oslo))).toEqual(["en", "</a>; rel=a", "1"])
    const sold = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    expect(headersOf(sold)).toEqual(["nb", "</a>; rel=a, </b>; rel=b", "3"])
    expect(headersOf(replay)).toEqual(["nb", "</a>; rel=a, </b>; rel=b", "4"])
    for (const { headers } of [sold, replay])
      expect(JSON.parse(atob(headers.get("payment-response")!))).toMatchObject({ success: true })
    const unsold = await pay(`${origin}/weather/rome`)
    expect(headersOf(unsold)).toEqual(["nb", "</a>; rel=a, </b>; rel=b", "6"])
  })
})

describe("a response that is fetched elsewhere", () => {
  it("is sold as the text that it decodes to", async () => {
    const upstream = () => {
      const gzip = new Blob(["sol i Oslo"]).stream()
      return new Response(gzip, { headers: { "content-encoding": "gzip", "content-length": "999" } })
    }
    const { oslo, pay, payment } = await selling(upstream)
    const sold = await pay(oslo)
    expect([sold.status, await sold.text()]).toEqual([200, "sol i Oslo"])
    expect(await (await fetch(oslo, { headers: payment() })).text()).toBe("sol i Oslo")
  })

  it("can't set the headers of a receipt or of a price", async () => {
    const forged = {
      "payment-response": "forged",
      "x-payment-response": "forged",
      "payment-required": "forged",
      "access-control-allow-origin": "https://evil.example"
    }
    const { oslo, pay, payment } = await selling(() => new Response("sun", { headers: forged }))
    const sold = await pay(oslo)
    const replay = await fetch(oslo, { headers: payment() })
    for (const { headers } of [sold, replay]) {
      expect(JSON.parse(atob(headers.get("payment-response")!))).toMatchObject({ success: true })
      expect(headers.get("x-payment-response")).toBeNull()
      expect(headers.get("payment-required")).toBeNull()
      expect(headers.get("access-control-allow-origin")).toBe("*")
    }
  })
})
