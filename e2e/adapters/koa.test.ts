import { createServer } from "node:http"
import { priced, till402 } from "@till402/koa"
import { expect, it } from "vitest"
import { send } from "./client.ts"
import { serve } from "./hosts.ts"
import { koa2Hosts, koaHosts, koas } from "./koa.ts"
import { openTill, weather } from "./pricedHandlers.ts"
import { adapterSuite } from "./suite.ts"
import { fakeTill } from "./till.ts"

adapterSuite("Koa 3", koaHosts)
adapterSuite("Koa 2", koa2Hosts)

it.each(Object.entries(koas))(
  "%s, which responds before the till where nothing waits for it, is told why",
  async (_, Koa) => {
    const { till } = openTill({})
    await till.ready
    const failures: Array<string> = []
    const app = new Koa()
    app.use((_context, next) => {
      next().catch((error: Error) => failures.push(error.message))
    })
    const price = priced(till, weather)
    app
      .use(till402(till))
      .use((context, next) => (context.path === "/weather/oslo" ? price(context, next) : next()))
    const port = await serve(createServer(app.callback()))
    for (const path of ["/openapi.json", "/weather/oslo"]) {
      failures.length = 0
      expect((await fetch(`http://127.0.0.1:${port}${path}`)).status).toBe(404)
      await expect
        .poll(() => failures.at(-1))
        .toMatch(/doesn't wait.*It must await next\(\), or return next\(\)/)
    }
  }
)

it.each(Object.entries(koas))("%s tells whether callers may have written their address", async (_, Koa) => {
  const addressBehind = async (options: object): Promise<ReadonlyArray<unknown>> => {
    const app = new Koa(options).use(till402(fakeTill().seam))
    const { text } = await send(await serve(createServer(app.callback())), "/x402/caller", {
      headers: { "x-forwarded-for": "192.0.2.1, 203.0.113.7", "cf-connecting-ip": "203.0.113.7" }
    })
    const { clientAddress, trustsAll } = JSON.parse(text) as Record<string, unknown>
    return [clientAddress, trustsAll]
  }
  expect(await addressBehind({ proxy: true })).toEqual(["192.0.2.1", true])
  expect(await addressBehind({ proxy: true, maxIpsCount: 1 })).toEqual(["203.0.113.7", false])
  expect(await addressBehind({ proxy: true, proxyIpHeader: "CF-Connecting-IP" })).toEqual([
    "203.0.113.7",
    false
  ])
  expect((await addressBehind({}))[1]).toBe(false)
})
