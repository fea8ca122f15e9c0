import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { sendUntilFinal } from "../src/Buyer.ts"
import { randomnessOf } from "../src/Randomness.ts"

const owed = { code: "PURCHASE_NOT_FOUND", message: "", details: { owedUntil: "2026-11-22T00:00:00.000Z" } }
const unknown = { code: "PURCHASE_NOT_FOUND", message: "" }

const responsesTo = async (replies: ReadonlyArray<readonly [status: number, body: object]>) => {
  const left = [...replies]
  const server = createServer((_, response) => {
    const [status, body] = left.shift()!
    response.writeHead(status, { "content-type": "application/json", "retry-after": "0" })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const note = { cutOff: 0, sentAgain: 0 }
  const reply = await sendUntilFinal(
    new Request("https://shop.example/x402/vault/download/1", { headers: { connection: "close" } }),
    {
      baseUrl: "https://shop.example",
      randomness: randomnessOf(1),
      servers: { origin: async () => origin, patienceEndsAtMillis: () => Number.POSITIVE_INFINITY }
    },
    note
  )
  return { status: reply.status, ...note }
}

it("sends a payment again whose response is still owed, also after a 404", async () => {
  expect(
    await responsesTo([
      [404, owed],
      [404, owed],
      [200, {}]
    ])
  ).toEqual({ status: 200, cutOff: 0, sentAgain: 2 })
})

it("takes a 404 of which nothing is owed as final", async () => {
  expect(await responsesTo([[404, unknown]])).toEqual({ status: 404, cutOff: 0, sentAgain: 0 })
})
