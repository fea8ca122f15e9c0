import { type FacilitatorClient, memory, operation, Till } from "@till402/core"
import { fakeFacilitator } from "@till402/testing"
import { expect, onTestFinished } from "vitest"
import { attack } from "../src/attack.ts"
import { baseUrl, calls, network, payTo } from "../src/Calls.ts"
import { openHandWritten } from "../src/HandWritten.ts"
import { visit } from "../src/Visitor.ts"

/* Results in which a caller has a hand: of a route that transforms what is sent, or fetches an address of the caller's. */

/** What is sent, with what is sold beside it. */
const workOn = (sent: object) => ({ ...sent, message: "what is sold" })
const refusal = { _tag: "ApiFailure", status: 404, code: "NOT_FOUND" }

/** Tells refusals from results by their tag. */
const openByTag = (facilitator: FacilitatorClient) =>
  openHandWritten(async ({ challenge, context, payment, requirements }) => {
    if (!(await facilitator.verify(payment, requirements)).isValid) return challenge()
    const result = workOn(await context.req.json()) as Partial<typeof refusal>
    if (result._tag === "ApiFailure") return Response.json(result, { status: result.status ?? 500 })
    if (!(await facilitator.settle(payment, requirements)).success) return challenge()
    return Response.json(result)
  })

/** A till with a route that does the same. */
const openOurs = (facilitator: FacilitatorClient) => {
  const sent = {
    "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) }
  } as const
  const till = Till.make({
    baseUrl,
    payTo,
    networks: [network],
    secret: "a text that nobody can guess, of 32 characters or more",
    facilitator,
    storage: memory(),
    operations: [
      operation({
        id: "transform",
        method: "POST",
        path: "/transform",
        description: "Data, transformed",
        price: "0.02",
        input: sent,
        work: async (input) => workOn(input as object)
      })
    ]
  })
  onTestFinished(till.dispose)
  return { fetch: till.fetch }
}

const buy = async (server: Parameters<typeof visit>[0], path: string) => {
  const visitor = visit(server)
  const call = { path, body: refusal }
  const { status, text } = await visitor.present(call, await visitor.payFor(call))
  return [status, text.includes("what is sold")]
}

attack("a result that its caller makes look like a refusal", {
  on: "a hand-rolled server that tells refusals by their tag",
  lands: async () => {
    const facilitator = fakeFacilitator()
    expect(await buy(openByTag(facilitator), calls.shop.path)).toEqual([404, true])
    expect(facilitator.settled).toHaveLength(0)
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    expect(await buy(openOurs(facilitator), "/transform")).toEqual([200, true])
    expect(facilitator.settled).toHaveLength(1)
  }
})
