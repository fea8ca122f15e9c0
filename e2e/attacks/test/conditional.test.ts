import { createHash } from "node:crypto"
import type { FacilitatorClient } from "@till402/core"
import { memory, Till } from "@till402/core"
import { priced } from "@till402/hono"
import { fakeFacilitator } from "@till402/testing"
import { Hono } from "hono"
import { etag } from "hono/etag"
import { expect, onTestFinished } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, calls, network, payTo, requestOf } from "../src/Calls.ts"
import { openHandWritten } from "../src/HandWritten.ts"
import { headerOf } from "../src/Payments.ts"
import { visit } from "../src/Visitor.ts"

/* Frameworks answer conditional requests by themselves: what the caller knows is a 304 without a body. */

/** Charges for what is 2xx alone. */
const openSellingSuccess = (facilitator: FacilitatorClient) =>
  openHandWritten(async ({ challenge, context, payment, requirements, work }) => {
    if (!(await facilitator.verify(payment, requirements)).isValid) return challenge()
    await etag()(context, work)
    if (context.res.ok && !(await facilitator.settle(payment, requirements)).success) return challenge()
    return undefined
  })

/** The same handler behind a price of ours. */
const openOurs = (facilitator: FacilitatorClient, handle: () => Response) => {
  const till = Till.make({
    baseUrl,
    payTo,
    networks: [network],
    secret: "a text that nobody can guess, of 32 characters or more",
    facilitator,
    storage: memory(),
    operations: []
  })
  onTestFinished(till.dispose)
  const price = priced(till, { id: "parcel", path: "/parcel", price: "0.52" })
  const app = new Hono().get("/parcel", price, etag(), handle)
  return { fetch: async (request: Request) => app.fetch(request) }
}

/** Guesses what is sold, by its ETags; pays for each guess only if that is charged. */
const guess = async (server: Parameters<typeof visit>[0], path: string, tags: ReadonlyArray<string>) => {
  const visitor = visit(server)
  const payment = headerOf(await visitor.payFor({ path }))
  return server.fetch(requestOf({ path }, { "payment-signature": payment, "if-none-match": tags.join(", ") }))
}

/** ETags of what a parcel may be, the right one among them. */
const guessesOf = (body: string): ReadonlyArray<string> =>
  ["lost", "returned", body].map((text) => `"${createHash("sha1").update(text).digest("hex")}"`)

attack("a response guessed by the ETags of what it may be, before it is charged", {
  on: "a hand-rolled server that charges only for a 2xx",
  lands: async () => {
    const facilitator = fakeFacilitator()
    const server = openSellingSuccess(facilitator)
    const { path } = calls.track
    const bought = await guess(server, path, [])
    const right = guessesOf(await bought.text())
    expect([bought.status, facilitator.settled.length]).toEqual([200, 1])
    // Each further look is free: whether the parcel has moved since.
    const looked = await guess(server, path, right)
    expect([looked.status, facilitator.settled.length]).toEqual([304, 1])
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = openOurs(facilitator, () => new Response("delivered"))
    const looked = await guess(server, "/parcel", guessesOf("delivered"))
    expect([looked.status, await looked.text(), facilitator.settled.length]).toEqual([200, "delivered", 1])
  }
})
