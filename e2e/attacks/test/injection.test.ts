import { fakeFacilitator } from "@till402/testing"
import { expect } from "vitest"
import { attack } from "../src/attack.ts"
import { type Call, calls, downloadOf, jsonOf, searchFor, vaultBuyOf, vaultItems } from "../src/Calls.ts"
import { official, openOfficial } from "../src/Official.ts"
import { openOurs } from "../src/Ours.ts"
import { headerOf } from "../src/Payments.ts"
import { listen, overTheWire, type Wire } from "../src/Socket.ts"
import { type Server, type Visitor, visit } from "../src/Visitor.ts"
import { hostileText, valueOf, expectClean } from "./wires.ts"

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
      // The full name follows in percent-encoding, without a path.
      expect(valueOf(wire, "content-disposition")).toMatch(
        /^attachment; filename="[A-Za-z0-9._-]+\.zip"; filename\*=UTF-8''(?:[A-Za-z0-9._~!-]|%(?!2F|5C|[01]|7F)[0-9A-F]{2})+\.zip$/
      )
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

/** An archive that continues past its stated size with what looks like another response. */
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
    // One that is wrong from the start isn't sold.
    let isSold = false
    server.goods.files.open.returns(() => {
      const { body, size } = splitting()
      if (isSold) return { body, size }
      isSold = true
      return { body: Buffer.from("PK-an-archive"), size }
    })
    const wire = expectClean(await download(server, "launch-plan"))
    const length = valueOf(wire, "content-length")
    if (length !== undefined) expect(wire.rest.length).toBeLessThanOrEqual(Number(length))
  }
})
