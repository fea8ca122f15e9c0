import { type FacilitatorClient, ProductUnavailable, TemporarilyUnavailable } from "@till402/core"
import { fakeFacilitator, sampleProduct, sampleTrackResult } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { type ReceivedResponse, type Call, calls } from "../src/Calls.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf, readHeader } from "../src/Payments.ts"
import { listen, overTheWire, type Wire } from "../src/Socket.ts"
import { type Server, visit } from "../src/Visitor.ts"
import { lineBreak, hostileText, expected, valueOf, expectClean } from "./wires.ts"

/** Our response to a paid call over a socket, as the JSON of its body. */
const callOverTheWire = async (
  server: Server,
  call: Call
): Promise<{ readonly wire: Wire; readonly text: string }> => {
  const payment = headerOf(await visit(server).payFor(call))
  const wire = expectClean(
    await overTheWire(await listen(server), call.path, { "payment-signature": payment })
  )
  return { wire, text: Buffer.from(wire.rest, "latin1").toString("utf8") }
}

attack("CR LF in a provider's response or error", {
  on: official,
  lands: async () => {
    const server = openOfficial(fakeFacilitator(), { errorHeader: true })
    const visitor = visit(server)
    server.goods.tracker.track.failsWith(new Error(`no such number: ${lineBreak}`))
    // A crash, in place of the carrier's refusal.
    const response = await visitor.present(calls.track, await visitor.payFor(calls.track))
    expect(response.status).toBe(500)
    server.goods.tracker.track.failsWith(new Error("no such number"))
    const refused = await visitor.present(calls.track, await visitor.payFor(calls.track))
    expect([refused.status, refused.headers.get("x-error")]).toEqual([422, "no such number"])
  },
  fails: async () => {
    // One payer's failed calls in an hour are bounded; this one fails often.
    const server = await openOurs(fakeFacilitator(), { limits: { lossPerHour: "100.00" } })
    const { assistant, fulfilment, marketplace, tracker } = server.goods
    marketplace.search.returns({
      products: [sampleProduct({ title: hostileText, productUrl: `https://shop.example/${lineBreak}` })],
      totalResults: 1,
      hasMore: false
    })
    const found = await callOverTheWire(server, calls.search)
    expect(found.wire.status).toBe(200)
    expect(found.text).toContain("\\r\\nx-injected")
    tracker.track.returns(sampleTrackResult("1Z999AA10123456784", { statusDescription: hostileText }))
    expect((await callOverTheWire(server, calls.track)).wire.status).toBe(200)
    assistant.reply.returns({ reply: hostileText, products: [] })
    const visitor = visit(server)
    expect((await visitor.present(calls.shop, await visitor.payFor(calls.shop))).status).toBe(200)
    fulfilment.quote.failsWith(new ProductUnavailable({ message: hostileText, reason: hostileText }))
    expectNoInjection(await visitor.send(calls.buy), 400)
    fulfilment.quote.failsWith(
      new TemporarilyUnavailable({ message: hostileText, retryAfterSeconds: Number.NaN })
    )
    expectNoInjection(await visitor.send(calls.buy), 503)
    // A host in plain JavaScript may throw anything.
    for (const thrown of [
      { _tag: "TemporarilyUnavailable", message: hostileText, retryAfterSeconds: lineBreak },
      { _tag: "TemporarilyUnavailable", retryAfterSeconds: -1 },
      { _tag: "NoTrackingInfo", message: hostileText },
      { _tag: "CarrierNotDetected", message: hostileText, candidates: [{ code: 1, name: hostileText }] },
      new Error(hostileText),
      hostileText,
      null
    ]) {
      tracker.track.failsWith(thrown)
      const { wire } = await callOverTheWire(server, calls.track)
      expect([404, 422, 502, 503]).toContain(wire.status)
      const retryAfter = valueOf(wire, "retry-after")
      if (retryAfter !== undefined) expect(retryAfter).toMatch(/^[1-9]\d*$/)
    }
  }
})

const expectNoInjection = ({ headers, status }: ReceivedResponse, due: number): void => {
  expect(status).toBe(due)
  expect([...headers].filter(([name]) => !expected.has(name))).toEqual([])
}

attack("CR LF in a facilitator's response", {
  on: official,
  lands: async () => {
    const facilitator = fakeFacilitator().rejectsVerification(lineBreak)
    const server = openOfficial(facilitator)
    const visitor = visit(server)
    const payment = await visitor.payFor(calls.track)
    // Its words go to the client as they are: into logs, terminals and the prompt of a paying agent.
    const response = await visitor.present(calls.track, payment)
    expect(readHeader(response.headers, "payment-required")).toMatchObject({ error: lineBreak })
  },
  fails: async () => {
    for (const facilitator of [
      fakeFacilitator().rejectsVerification(lineBreak),
      fakeFacilitator().rejectsVerification(hostileText),
      fakeFacilitator().rejectsSettlement(hostileText),
      settling({ success: false, transaction: "", errorReason: lineBreak }),
      settling({ success: true, transaction: `0x${"ab".repeat(32)}`, payer: hostileText })
    ]) {
      const server = await openOurs(facilitator)
      const { wire } = await callOverTheWire(server, calls.track)
      const texts = ["payment-required", "payment-response"]
        .map((name) => Buffer.from(valueOf(wire, name) ?? "", "base64").toString("utf8"))
        .concat(wire.rest)
      for (const text of texts) expect(text).not.toMatch(/x-injected|<script>/)
    }
  }
})

attack("text instead of a transaction in a facilitator's response", {
  on: official,
  lands: async () => {
    const visitor = visit(openOfficial(settling({ success: true, transaction: lineBreak })))
    const response = await visitor.present(calls.track, await visitor.payFor(calls.track))
    expect(readHeader(response.headers, "payment-response")).toMatchObject({ transaction: lineBreak })
  },
  fails: async () => {
    for (const transaction of [lineBreak, "0x".padEnd(100_000, "ab")]) {
      const visitor = visit(await openOurs(settling({ success: true, transaction })))
      const { headers, status } = await visitor.present(calls.track, await visitor.payFor(calls.track))
      // What is no transaction settles nothing that anybody could look up.
      expect([status, headers.get("payment-response")]).toEqual([503, null])
    }
  }
})

const settling = (response: Awaited<ReturnType<FacilitatorClient["settle"]>>) => {
  const facilitator = fakeFacilitator()
  facilitator.settle.returns(response)
  return facilitator
}
