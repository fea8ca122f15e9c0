import { fakeFacilitator } from "@till402/testing"
import { afterEach, expect, vi } from "vitest"
import { attack } from "../src/attack.ts"
import { readResponse, type ReceivedResponse, baseUrl, type Call, calls } from "../src/Calls.ts"
import { workDone } from "../src/Goods.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf } from "../src/Payments.ts"
import { type Server, visit } from "../src/Visitor.ts"

afterEach(() => {
  vi.useRealTimers()
})

/** Posts a stream with a payment. */
const post = async (
  { fetch }: Pick<Server, "fetch">,
  { path }: Call,
  payment: object,
  body: ReadableStream<Uint8Array>
): Promise<ReceivedResponse> => {
  const headers = { "content-type": "application/json", "payment-signature": headerOf(payment) }
  const streamed: RequestInit & { readonly duplex: "half" } = {
    method: "POST",
    headers,
    body,
    duplex: "half"
  }
  return readResponse(await fetch(new Request(baseUrl + path, streamed)))
}

const chunkBytes = 64 * 1024
const longBytes = 16 * 1024 * 1024

/** JSON that doesn't end before `longBytes`, made as it is read; `read` returns the bytes read so far. */
const longBody = () => {
  let read = 0
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        const start = read === 0 ? '{"message":"' : ""
        controller.enqueue(Buffer.from(start.padEnd(chunkBytes, "x")))
        read += chunkBytes
        if (read >= longBytes) controller.close()
      }
    },
    { highWaterMark: 0 }
  )
  return { body, read: () => read }
}

attack("an endless body with a payment", {
  on: official,
  lands: async () => {
    const server = openOfficial(fakeFacilitator())
    const payment = await visit(server).payFor(calls.shop)
    const { body, read } = longBody()
    await post(server, calls.shop, payment, body)
    expect(read()).toBe(longBytes)
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    for (const call of [calls.shop, calls.buy, calls.vaultBuy]) {
      const payment = await visit(server).payFor(call)
      const { body, read } = longBody()
      const { status } = await post(server, call, payment, body)
      expect(status).toBe(413)
      expect(read()).toBeLessThanOrEqual(3 * chunkBytes)
      // The payment is still valid.
      expect((await visit(server).present(call, payment)).status).toBe(200)
    }
    expect(facilitator.settle.calls).toHaveLength(3)
  }
})

/** A body that ends on demand, or never. */
const stalledBody = (text: string) => {
  let end: () => void = () => undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(Buffer.from(text.slice(0, -1)))
      end = () => {
        controller.enqueue(Buffer.from(text.slice(-1)))
        controller.close()
      }
    }
  })
  return { body, end: () => end() }
}

attack("a payment locked by a body that stalls", {
  on: official,
  lands: async () => {
    const server = openOfficial(fakeFacilitator())
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.shop)
    const { body, end } = stalledBody(JSON.stringify(calls.shop.body))
    const stalled = post(server, calls.shop, payment, body)
    expect((await visitor.present(calls.shop, payment)).status).toBe(200)
    end()
    // Paid once, and refused with another 402 on whichever request the client waits for.
    expect((await stalled).status).toBe(402)
  },
  fails: async () => {
    const facilitator = fakeFacilitator()
    const server = await openOurs(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.shop)
    const stalled = Array.from({ length: 100 }, () => stalledBody(JSON.stringify(calls.shop.body)))
    const pending = stalled.map(({ body }) => post(server, calls.shop, payment, body))
    // An incomplete body claims nothing, calls no provider and blocks no other request.
    expect([await server.till.charges.list(), workDone(server.goods), facilitator.verify.calls]).toEqual([
      [],
      0,
      []
    ])
    const response = await visitor.present(calls.shop, payment)
    expect(response.status).toBe(200)
    for (const { end } of stalled) end()
    for (const late of await Promise.all(pending))
      expect([late.status, late.text]).toEqual([200, response.text])
    expect(facilitator.settle.calls).toHaveLength(1)
  }
})

/** Whether a call whose body stalls gets a response within an hour. */
const completesWithinAnHour = async (server: Server, call: Call): Promise<boolean> => {
  const payment = await visit(server).payFor(call)
  let isAnswered = false
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "Date"] })
  const { body, end } = stalledBody(JSON.stringify(call.body))
  const pending = post(server, call, payment, body).then(() => {
    isAnswered = true
  })
  await vi.advanceTimersByTimeAsync(3_600_000)
  const wasAnswered = isAnswered
  vi.useRealTimers()
  if (!wasAnswered) end()
  await pending
  return wasAnswered
}

attack("a body that stalls forever", {
  on: official,
  lands: async () => {
    expect(await completesWithinAnHour(openOfficial(fakeFacilitator()), calls.shop)).toBe(false)
  },
  fails: async () => {
    expect(await completesWithinAnHour(await openOurs(fakeFacilitator()), calls.shop)).toBe(true)
  }
})
