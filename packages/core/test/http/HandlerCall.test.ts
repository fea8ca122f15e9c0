import { describe, expect, it } from "vitest"
import type { PricedRouteOptions } from "../../src/operations/PricedRouteOptions.ts"
import type { TillOptions } from "../../src/till/settings/TillOptions.ts"
import { baseUrl, challengeOf, openTill, readResponse, receiptOf } from "../toll/openTill.ts"
import { headerOf, payChallenge } from "../toll/wallet.ts"

/*
 * Responses and errors of a priced handler that are not the response of its call.
 */

const settledFirst = { settlement: "before-work" } as const

const selling = async (
  route: Partial<PricedRouteOptions> = settledFirst,
  options: Partial<TillOptions> = {}
) => {
  const errors: Array<unknown> = []
  const { events, facilitator, till } = await openTill({
    trustFacilitator: true,
    onProviderError: (failure) => errors.push(failure),
    ...options
  })
  const priced = till.price({ id: "weather", path: "/weather", price: "0.02", ...route })
  const send = async (respond: () => Response | Promise<Response>, headers: Record<string, string> = {}) =>
    readResponse(await priced.fetch(new Request(`${baseUrl}/weather`, { headers }), respond))
  const challenge = challengeOf(await send(() => new Response()))
  const payment = { "payment-signature": headerOf(await payChallenge(challenge, {})) }
  const pay = (respond: () => Response | Promise<Response>) => send(respond, payment)
  return { errors, events, facilitator, pay }
}

/** A body that doesn't end, and whether it was canceled. */
const endless = () => {
  const state = { isCanceled: false }
  const body = new ReadableStream<Uint8Array>({
    cancel: () => {
      state.isCanceled = true
    }
  })
  return { body, state }
}

describe("a priced handler whose payment has settled", () => {
  it("has its error reported, since its caller gets another response", async () => {
    const { errors, facilitator, pay } = await selling()
    const thrown = new Error("no weather")
    const failed = await pay(() => Promise.reject(thrown))
    expect([failed.status, JSON.parse(failed.text)]).toMatchObject([500, { code: "HANDLER_FAILED" }])
    expect(errors).toMatchObject([{ port: "operations", operation: "weather", error: thrown }])
    expect((await pay(() => new Response("sun"))).text).toBe("sun")
    expect(facilitator.settled).toHaveLength(1)
  })

  it("has the body canceled that its caller doesn't get", async () => {
    const { errors, pay } = await selling()
    const { body, state } = endless()
    expect((await pay(() => new Response(body, { status: 503 }))).status).toBe(503)
    expect(state.isCanceled).toBe(true)
    expect(errors).toEqual([])
  })

  it("can't make the response look as if nothing was paid", async () => {
    const { facilitator, pay } = await selling()
    const failed = await pay(() => new Response("pay me", { status: 402 }))
    expect([failed.status, JSON.parse(failed.text)]).toMatchObject([
      500,
      { code: "HANDLER_FAILED", details: { owedUntil: expect.any(String) } }
    ])
    const sold = await pay(() => new Response("sun"))
    expect([sold.status, sold.text]).toEqual([200, "sun"])
    expect(receiptOf(sold)).toMatchObject({ success: true })
    expect(facilitator.settled).toHaveLength(1)
  })
})

describe("a priced handler", () => {
  it("has its body canceled where its headers can't be recorded", async () => {
    const { errors, pay } = await selling({})
    const { body, state } = endless()
    const failed = await pay(() => new Response(body, { headers: { "x-a": "a".repeat(8_200) } }))
    expect(failed.status).toBe(500)
    expect(errors).toHaveLength(1)
    expect(state.isCanceled).toBe(true)
  })

  it("must return a Response, and costs nothing where it doesn't", async () => {
    const { errors, facilitator, pay } = await selling({})
    for (const data of [undefined, "12:40", { high: "12:40" }])
      expect((await pay(() => data as never)).status).toBe(500)
    expect(errors).toHaveLength(3)
    expect(String((errors[2] as { readonly error: unknown }).error)).toContain(
      "the handler of weather must return a Response, such as Response.json(…)"
    )
    expect(facilitator.settled).toEqual([])
  })

  it.each([
    ["before the work", settledFirst, "paid_work_failed"],
    ["after the work", {}, "request_failed"]
  ])("must respond with text, and is named where it doesn't: settled %s", async (_, route, code) => {
    const { events, pay } = await selling(route)
    const failed = await pay(() => new Response(new Uint8Array([137, 80, 78, 71])))
    expect(failed.status).toBe(500)
    expect(events.filter((event) => event.code === code)).toMatchObject([
      { operation: "weather", error: "the handler of weather must respond with text in UTF-8" }
    ])
  })

  it.each<[string, () => Response, number]>([
    ["a proxy's page", () => new Response("<html><title>502 Bad Gateway</title></html>"), 1],
    ["a failed query", () => Response.json({ data: null, errors: [{ message: "no such city" }] }), 1],
    ["a page", () => new Response("<html><title>Oslo</title></html>"), 0]
  ])("is reported where it sells what looks like a refusal, and not else: %s", async (_, respond, times) => {
    const { events, pay } = await selling({})
    expect((await pay(respond)).status).toBe(200)
    expect(events.filter(({ code }) => code === "sale_doubtful")).toHaveLength(times)
  })

  it("has its error reported where it is late", async () => {
    const { errors, pay } = await selling({}, { upstreamTimeoutMillis: 500 })
    const gate = Promise.withResolvers<Response>()
    expect((await pay(() => gate.promise)).status).toBe(503)
    const late = new Error("too late")
    gate.reject(late)
    await expect.poll(() => errors).toMatchObject([{ error: late }])
  })

  it("throws its error to the framework, which is not reported too", async () => {
    const { errors, pay } = await selling({})
    await expect(pay(() => Promise.reject(new Error("no weather")))).rejects.toThrow("no weather")
    expect(errors).toEqual([])
  })
})
