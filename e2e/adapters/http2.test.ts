import { once } from "node:events"
import { connect, createServer, type IncomingHttpHeaders } from "node:http2"
import type { AddressInfo } from "node:net"
import { priced, till402 } from "@till402/fastify"
import { priced as pricedKoa } from "@till402/koa"
import { headerOf, payChallenge } from "../../packages/core/test/toll/wallet.ts"
import Fastify, { type FastifyInstance } from "fastify"
import Koa from "koa"
import { expect, it, onTestFinished } from "vitest"
import { notes, openTill, weather } from "./pricedHandlers.ts"

/*
 * Servers of HTTP/2, whose requests and responses resemble those of HTTP/1.
 */

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** Sends a request, and pays if that is asked for. */
const paying = (port: number) => {
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(() => session.close())
  const send = async (path: string, body: string | undefined, more = {}): Promise<Received> => {
    const method = body === undefined ? "GET" : "POST"
    const stream = session.request({
      ":path": path,
      ":method": method,
      "content-type": "text/plain",
      ...more
    })
    stream.end(body)
    const [headers] = (await once(stream, "response")) as [IncomingHttpHeaders]
    let text = ""
    for await (const chunk of stream) text += String(chunk)
    return { headers, text }
  }
  return async (path: string, body?: string): Promise<Received> => {
    const { headers } = await send(path, body)
    const asked = JSON.parse(Buffer.from(String(headers["payment-required"]), "base64").toString("utf8"))
    return send(path, body, { "payment-signature": headerOf(await payChallenge(asked)) })
  }
}

const sold = ({ headers, text }: Received) => [headers[":status"], text]

it("Fastify's handlers are paid, also for a body", async () => {
  const { till } = openTill({})
  const app = Fastify({ http2: true }) as unknown as FastifyInstance
  onTestFinished(() => app.close())
  await app.register(till402(till))
  app.get("/weather/:city", priced(till, weather), () => "sun")
  app.post("/notes", priced(till, notes), (request) => `noted ${String(request.body)}`)
  await app.listen({ port: 0 })
  const pay = paying((app.server.address() as AddressInfo).port)
  expect(sold(await pay("/weather/oslo"))).toEqual([200, "sun"])
  for (const body of ["high", "a".repeat(60_000), ""])
    expect(sold(await pay("/notes", body))).toEqual([200, `noted ${body}`])
})

it("Koa's handlers are paid", async () => {
  const { till } = openTill({})
  const app = new Koa().use(pricedKoa(till, weather)).use((context) => {
    context.body = "sun"
  })
  const server = createServer(app.callback())
  onTestFinished(() => void server.close())
  server.listen(0)
  await once(server, "listening")
  expect(sold(await paying((server.address() as AddressInfo).port)("/weather/oslo"))).toEqual([200, "sun"])
})
