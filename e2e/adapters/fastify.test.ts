import type { Caller } from "@till402/core"
import { priced, till402 } from "@till402/fastify"
import Fastify, { type FastifyPluginCallback, type FastifyServerOptions } from "fastify"
import { expect, it } from "vitest"
import { headerOf, payChallenge } from "../../packages/core/test/toll/wallet.ts"
import { send } from "./client.ts"
import { fastifyHosts, serverOfFastify } from "./fastify.ts"
import { serve } from "./hosts.ts"
import { openTill } from "./pricedHandlers.ts"
import { adapterSuite } from "./suite.ts"
import { fakeTill } from "./till.ts"

adapterSuite("Fastify", fastifyHosts)

it.each(["/shop", ""])(
  "serves where a plugin of the app registers it, with the prefix '%s'",
  async (prefix) => {
    const app = Fastify()
    let requests = 0
    const { handle, handles } = fakeTill().seam
    const till: Parameters<typeof till402>[0] = {
      handles,
      handle: (request, caller) => {
        requests++
        return handle(request, caller)
      }
    }
    const plugin: FastifyPluginCallback = (child, _options, done) => {
      void child.register(till402(till))
      child.get("/own", () => "my own route")
      done()
    }
    void app.register(plugin, { prefix })
    const port = await serve(serverOfFastify(app))
    expect((await send(port, `${prefix}/x402/bare`)).status).toBe(402)
    expect(requests).toBe(1)
    expect(JSON.parse((await send(port, `${prefix}/x402/caller`)).text).mount ?? "").toBe(prefix)
    expect((await send(port, `${prefix}/own`)).text).toBe("my own route")
    expect((await send(port, `${prefix}/nothing`)).status).toBe(404)
  }
)

it("serves once where a plugin has its own handler of paths without a route", async () => {
  const app = Fastify()
  const plugin: FastifyPluginCallback = (child, _options, done) => {
    void child.register(till402(fakeTill().seam))
    child.setNotFoundHandler((_request, reply) => reply.code(404).send("the plugin's"))
    done()
  }
  void app.register(plugin, { prefix: "/shop" })
  const port = await serve(serverOfFastify(app))
  expect((await send(port, "/shop/x402/bare")).status).toBe(402)
  expect((await send(port, "/shop/nothing")).text).toBe("the plugin's")
})

type TrustProxy = NonNullable<FastifyServerOptions["trustProxy"]>

const callerBehindProxy = async (trustProxy: TrustProxy): Promise<Caller> => {
  const app = Fastify({ trustProxy })
  void app.register(till402(fakeTill().seam))
  const port = await serve(serverOfFastify(app))
  const { text } = await send(port, "/x402/caller", { headers: { "x-forwarded-for": "203.0.113.7" } })
  return JSON.parse(text) as Caller
}

it("knows an app that trusts everybody", async () => {
  for (const all of [true, () => true, "0.0.0.0/1,128.0.0.0/1"])
    expect((await callerBehindProxy(all)).trustsAll).toBe(true)
  const two = (_address: string, hop: number) => hop < 2
  for (const some of [false, "127.0.0.1", ["loopback", "10.0.0.0/8"], two])
    expect((await callerBehindProxy(some)).trustsAll).toBe(false)
})

it("takes the client's address from a proxy that the Fastify app trusts, and from no other", async () => {
  const addressBehindProxy = async (trustProxy: boolean | string): Promise<unknown> =>
    (await callerBehindProxy(trustProxy)).clientAddress
  expect(await addressBehindProxy("127.0.0.1")).toBe("203.0.113.7")
  expect(await addressBehindProxy("192.0.2.1")).toBe("127.0.0.1")
  expect(await addressBehindProxy(false)).toBe("127.0.0.1")
  const knowsItsOwn = (address: string): boolean => {
    if (address !== "127.0.0.1") throw new Error("no proxy of ours")
    return true
  }
  expect(await callerBehindProxy(knowsItsOwn)).toMatchObject({
    clientAddress: "203.0.113.7",
    trustsAll: false
  })
})

it("runs Fastify's hooks for finished responses, so that its log has them", async () => {
  const app = Fastify()
  const finished: Array<number> = []
  app.addHook("onResponse", (_request, reply, done) => {
    finished.push(reply.statusCode)
    done()
  })
  void app.register(till402(fakeTill().seam))
  const port = await serve(serverOfFastify(app))
  expect((await send(port, "/x402/bare")).status).toBe(402)
  await expect.poll(() => finished).toEqual([402])
})

it("sells a request with a body that the app's own tests inject", async () => {
  const { till } = openTill({})
  const app = Fastify()
  void app.register(till402(till))
  const options = priced(till, { id: "notes", method: "POST", path: "/notes", price: "0.02" })
  app.after(() => app.post("/notes", options, (request) => ({ noted: request.body })))
  const inject = (headers: Record<string, string>) =>
    app.inject({ method: "POST", url: "/notes", headers, payload: { text: "tote" } })
  const asked = String((await inject({})).headers["payment-required"])
  const paid = headerOf(await payChallenge(JSON.parse(Buffer.from(asked, "base64").toString())))
  const { body, statusCode } = await inject({ "payment-signature": paid })
  expect([statusCode, JSON.parse(body)]).toEqual([200, { noted: { text: "tote" } }])
})
