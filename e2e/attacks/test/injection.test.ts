import { type FacilitatorClient, ProductUnavailable, TemporarilyUnavailable } from "@till402/core"
import { fakeFacilitator, sampleProduct, sampleTrackResult } from "@till402/core/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import {
  type ReceivedResponse,
  type Call,
  calls,
  downloadOf,
  jsonOf,
  searchFor,
  vaultBuyOf,
  vaultItems
} from "../src/Calls.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf, readHeader } from "../src/Payments.ts"
import { listen, overTheWire, type Wire } from "../src/Socket.ts"
import { type Server, type Visitor, visit } from "../src/Visitor.ts"

const lineBreak = "tote\r\nx-injected: 1\r\n\r\n<script>alert(1)</script>"
const hostileText = `${lineBreak}\u0000\u2028"; filename*=UTF-8''evil.exe; x="é漢`

/** Every header that Till402 sends, and those that Node adds. */
const expected = new Set([
  "access-control-allow-origin",
  "access-control-expose-headers",
  "allow",
  "cache-control",
  "connection",
  "content-disposition",
  "content-length",
  "content-type",
  "date",
  "keep-alive",
  "payment-required",
  "payment-response",
  "retry-after",
  "transfer-encoding",
  "vary",
  "x-missing-marketplaces",
  "x-payment-response"
])

const nameOf = (line: string): string => line.split(":")[0]!.toLowerCase()
const valueOf = ({ lines }: Wire, name: string): string | undefined =>
  lines.find((line) => nameOf(line) === name)?.slice(name.length + 2)

/** A response has only the expected headers, each on its own line, and isn't a page to a browser. */
const expectClean = (wire: Wire): Wire => {
  expect(wire.lines.filter((line) => !expected.has(nameOf(line)))).toEqual([])
  expect(valueOf(wire, "content-type")).toMatch(/^application\/(json|zip)$/)
  return wire
}

const buyAndLink = async (visitor: Visitor, slug: string): Promise<Call> => {
  const bought = await visitor.present(vaultBuyOf(slug), await visitor.payFor(vaultBuyOf(slug)))
  expect(bought.status, bought.text).toBe(200)
  const { downloadToken, purchaseId } = jsonOf(bought)
  return downloadOf(String(purchaseId), String(downloadToken))
}

const itemOf = (slug: string) => ({
  ...vaultItems[0]!,
  id: "6f1c2f6e-3a51-4c52-9d53-0c1d2f7a9bff",
  slug,
  title: slug
})

/** Buys an item and downloads it over a socket. */
const download = async (server: Server, slug: string): Promise<Wire> => {
  const visitor = visit(server)
  const call = await buyAndLink(visitor, slug)
  const payment = headerOf(await visitor.payFor(call, { withoutResource: true }))
  return overTheWire(await listen(server), call.path, { "payment-signature": payment })
}

attack("header parameters in a file name", {
  on: official,
  lands: async () => {
    const slug = `plan"; filename*=UTF-8''evil.exe; x="`
    const wire = await download(openOfficial(fakeFacilitator(), { items: [itemOf(slug)] }), slug)
    expect(valueOf(wire, "content-disposition")).toContain("; filename*=UTF-8''evil.exe;")
  },
  fails: async () => {
    for (const slug of [
      `plan"; filename*=UTF-8''evil.exe; x="`,
      "plan\\",
      "../../etc/passwd",
      "плани",
      "a;b=c"
    ]) {
      const server = await openOurs(fakeFacilitator())
      await server.till.vault.put(itemOf(slug))
      const wire = expectClean(await download(server, slug))
      expect(wire.status).toBe(200)
      expect(valueOf(wire, "content-disposition")).toMatch(/^attachment; filename="[A-Za-z0-9._-]+"$/)
    }
  }
})

attack("CR LF in a file name", {
  on: official,
  lands: async () => {
    const slug = "plan\r\nx-injected: 1"
    const wire = await download(openOfficial(fakeFacilitator(), { items: [itemOf(slug)] }), slug)
    // The runtime refuses such a header, so the sold item can never be delivered.
    expect(wire.status).toBe(500)
  },
  fails: async () => {
    // A name with a control character is rejected in the request; every accepted name is harmless.
    const server = await openOurs(fakeFacilitator())
    const visitor = visit(server)
    const port = await listen(server)
    for (const slug of ["plan\r\nx-injected: 1", "plan\nx", "plan\u0000", "plan\u0085"]) {
      await server.till.vault.put(itemOf(slug))
      expect((await visitor.send(vaultBuyOf(slug))).status).toBe(400)
    }
    for (const id of [
      "%0d%0ax-injected:%201",
      "%0D%0A%0D%0A",
      "a%00b",
      "%E5%98%8A%E5%98%8Dx-injected",
      "%"
    ]) {
      const path = `/x402/vault/download/${id}?downloadToken=%0d%0ax-injected:%201`
      const unpaid = expectClean(await overTheWire(port, path, {}))
      expect(unpaid.status).toBe(402)
      const payment = headerOf(await visitor.payFor(calls.vaultDownload, { withoutResource: true }))
      expect(expectClean(await overTheWire(port, path, { "payment-signature": payment })).status).toBe(400)
    }
  }
})

attack("a query echoed in a header", {
  on: official,
  lands: async () => {
    const server = openOfficial(fakeFacilitator())
    const visitor = visit(server)
    const call = searchFor('x>; rel="x", <https://evil.example/>; rel="next"; x="')
    const payment = headerOf(await visitor.payFor(call))
    const wire = await overTheWire(await listen(server), call.path, { "payment-signature": payment })
    expect(valueOf(wire, "link")).toContain('<https://evil.example/>; rel="next"')
  },
  fails: async () => {
    const server = await openOurs(fakeFacilitator(), { cors: ["https://a.example"] })
    const visitor = visit(server)
    const port = await listen(server)
    const queries = ['x>; rel="x", <https://evil.example/>; rel="next"', "\u0130\u2028漢", hostileText]
    for (const q of queries) {
      const call = searchFor(q)
      const payment = headerOf(await visitor.payFor(call))
      const origin = "https://evil.example, https://a.example"
      for (const headers of [
        {},
        { "payment-signature": payment },
        { origin, "payment-signature": payment }
      ]) {
        const wire = expectClean(await overTheWire(port, call.path, headers))
        expect(wire.lines.join("\n")).not.toMatch(/evil|injected/)
        expect(valueOf(wire, "access-control-allow-origin")).toBeUndefined()
      }
    }
  }
})

/** Till402's response to a paid call over a socket: the JSON of its body. */
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
    // The carrier's refusal should have been reported, but it is a crash.
    const response = await visitor.present(calls.track, await visitor.payFor(calls.track))
    expect(response.status).toBe(500)
    server.goods.tracker.track.failsWith(new Error("no such number"))
    const told = await visitor.present(calls.track, await visitor.payFor(calls.track))
    expect([told.status, told.headers.get("x-error")]).toEqual([422, "no such number"])
  },
  fails: async () => {
    const server = await openOurs(fakeFacilitator())
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
    // Its text goes to the client unchanged: into logs, terminals and the prompt of a paying agent.
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
      const said = ["payment-required", "payment-response"]
        .map((name) => Buffer.from(valueOf(wire, name) ?? "", "base64").toString("utf8"))
        .concat(wire.rest)
      for (const text of said) expect(text).not.toMatch(/x-injected|<script>/)
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
      // A settlement without a transaction hash can't be looked up, so it doesn't count.
      expect([status, headers.get("payment-response")]).toEqual([503, null])
    }
  }
})

const settling = (response: Awaited<ReturnType<FacilitatorClient["settle"]>>) => {
  const facilitator = fakeFacilitator()
  facilitator.settle.returns(response)
  return facilitator
}

/** An archive that continues past its declared size with what looks like another response. */
const splitting = () => {
  const bytes = Buffer.from(`PK-an-archive\r\nHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil`)
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(bytes)
      controller.close()
    }
  })
  return { body, size: 13 }
}

attack("an archive longer than its declared size", {
  on: official,
  lands: async () => {
    const server = openOfficial(fakeFacilitator())
    server.goods.files.open.returns(splitting)
    const wire = await download(server, "launch-plan")
    // A proxy that reuses the connection takes the rest for the response to the next caller.
    expect([valueOf(wire, "content-length"), wire.rest.slice(13)]).toEqual([
      "13",
      expect.stringContaining("HTTP/1.1 200 OK")
    ])
  },
  fails: async () => {
    const server = await openOurs(fakeFacilitator())
    server.goods.files.open.returns(splitting)
    const wire = expectClean(await download(server, "launch-plan"))
    const length = valueOf(wire, "content-length")
    if (length !== undefined) expect(wire.rest.length).toBeLessThanOrEqual(Number(length))
  }
})
