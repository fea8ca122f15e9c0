import { createServer } from "node:http"
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

/** The address that the till gets for a request that a proxy has forwarded for another client. */
const addressBehindProxy = async (express: () => Express, set: (app: Express) => void): Promise<unknown> => {
  const app = express()
  set(app)
  app.use(till402(fakeTill().seam))
  const port = await serve(createServer(app))
  const { text } = await send(port, "/x402/caller", { headers: { "x-forwarded-for": "203.0.113.7" } })
  return (JSON.parse(text) as { readonly clientAddress: unknown }).clientAddress
}

const own = /^(::ffff:)?127\.0\.0\.1$/

it.each(Object.entries(expresses))(
  "takes the client's address from a proxy that the app trusts, and from no other: %s",
  async (_, express) => {
    const behind = (set: (app: Express) => void) => addressBehindProxy(express, set)
    expect(await behind((app) => app.set("trust proxy", "loopback"))).toBe("203.0.113.7")
    expect(await behind((app) => app.set("trust proxy", "192.0.2.1"))).toMatch(own)
    expect(await behind(() => undefined)).toMatch(own)
    expect(await behind((app) => app.disable("trust proxy"))).toMatch(own)
  }
)

it("takes the address of the connection where there is no Express app", async () => {
  const handler = till402(fakeTill().seam)
  const server = createServer((request, response) => {
    const asked = Object.assign(request, { originalUrl: request.url }) as Parameters<typeof handler>[0]
    void handler(asked, response as Parameters<typeof handler>[1], () => undefined)
  })
  const { text } = await send(await serve(server), "/x402/caller")
  expect((JSON.parse(text) as { readonly clientAddress: unknown }).clientAddress).toMatch(own)
})
