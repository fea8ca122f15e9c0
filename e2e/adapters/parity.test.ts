import { expect, it } from "vitest"
import { type Sent, send } from "./client.ts"
import { effectHosts } from "./effect.ts"
import { express4Hosts, expressHosts } from "./express.ts"
import { fastifyHosts } from "./fastify.ts"
import { honoHosts } from "./hono.ts"
import { serve } from "./hosts.ts"
import { koa2Hosts, koaHosts } from "./koa.ts"
import { fakeTill } from "./till.ts"

/** Headers of the connection and of the host's framework. */
const notOurs = ["date", "connection", "keep-alive", "x-powered-by", "vary"]

const requests: ReadonlyArray<readonly [path: string, sent: Sent]> = [
  ["/x402/paid", {}],
  ["/x402/plain/nothing", { method: "HEAD" }],
  ...["text", "bytes", "stream", "sized"].flatMap((kind): ReadonlyArray<readonly [string, Sent]> => [
    [`/x402/plain/${kind}`, {}],
    [`/x402/plain/${kind}`, { method: "HEAD" }]
  ]),
  ["/x402/bare", { method: "HEAD" }],
  ["/x402/nothing", { method: "OPTIONS" }],
  ["/x402/large", {}],
  ["/x402/large?length", {}],
  ["/x402/large?length", { method: "HEAD" }],
  ["/x402/unread", { method: "POST", body: "{}" }],
  ["/x402/search?q=%20%C3%A9", { method: "TRACE" }]
]

it.each(requests)("all adapters respond to %s %o with the same bytes and headers", async (path, sent) => {
  const hosts = [expressHosts, express4Hosts, fastifyHosts, honoHosts, koaHosts, koa2Hosts, effectHosts]
  const [express, ...others] = await Promise.all(
    hosts.map(async ({ atRoot }) => {
      const port = await serve(atRoot(fakeTill().seam, () => undefined))
      // Without this, the echo would contain the port.
      const { bytes, headers, status } = await send(port, path, { ...sent, host: "shop.example" })
      const ours = Object.entries(headers).filter(([name]) => !notOurs.includes(name))
      return { status, headers: Object.fromEntries(ours), bytes: bytes.toString("base64") }
    })
  )
  expect(others).toEqual(others.map(() => express))
})
