import { createServer } from "node:http"
import type { Caller } from "@till402/core"
import { till402 } from "@till402/express"
import type { Express } from "express"
import { expect, it } from "vitest"
import { send } from "./client.ts"
import { express4Hosts, expresses, expressHosts } from "./express.ts"
import { serve } from "./hosts.ts"
import { adapterSuite } from "./suite.ts"
import { fakeTill } from "./till.ts"

adapterSuite("Express 5", expressHosts)
adapterSuite("Express 4", express4Hosts)

/** What the till gets to know of the client of a request that a proxy has forwarded. */
const callerBehindProxy = async (express: () => Express, set: (app: Express) => void): Promise<Caller> => {
  const app = express()
  set(app)
  app.use(till402(fakeTill().seam))
  const port = await serve(createServer(app))
  const { text } = await send(port, "/x402/caller", { headers: { "x-forwarded-for": "203.0.113.7" } })
  return JSON.parse(text) as Caller
}

const own = /^(::ffff:)?127\.0\.0\.1$/

it.each(Object.entries(expresses))(
  "takes the client's address from a proxy that the app trusts, and from no other: %s",
  async (_, express) => {
    const behind = async (set: (app: Express) => void) =>
      (await callerBehindProxy(express, set)).clientAddress
    expect(await behind((app) => app.set("trust proxy", "loopback"))).toBe("203.0.113.7")
    expect(await behind((app) => app.set("trust proxy", "192.0.2.1"))).toMatch(own)
    expect(await behind(() => undefined)).toMatch(own)
    expect(await behind((app) => app.disable("trust proxy"))).toMatch(own)
  }
)

it.each(Object.entries(expresses))("knows an app that trusts everybody: %s", async (_, express) => {
  const isTrusting = async (trust: unknown) =>
    (await callerBehindProxy(express, (app) => app.set("trust proxy", trust))).trustsAll
  const everywhere = ["0.0.0.0/1", "128.0.0.0/1"]
  for (const all of [true, () => true, everywhere]) expect(await isTrusting(all)).toBe(true)
  const knowsItsOwn = (address: string): boolean => {
    if (!address.endsWith("127.0.0.1")) throw new Error("no proxy of ours")
    return true
  }
  for (const some of [1, 3, "loopback", (_address: string, hop: number) => hop < 2, knowsItsOwn])
    expect(await isTrusting(some)).toBe(false)
})

it("takes the address of the connection where there is no Express app", async () => {
  const handler = till402(fakeTill().seam)
  const server = createServer((request, response) => {
    const asked = Object.assign(request, { originalUrl: request.url }) as Parameters<typeof handler>[0]
    void handler(asked, response as Parameters<typeof handler>[1], () => undefined)
  })
  const { text } = await send(await serve(server), "/x402/caller")
  expect((JSON.parse(text) as { readonly clientAddress: unknown }).clientAddress).toMatch(own)
})
