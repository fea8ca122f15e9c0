import { Agent } from "node:http"
import { expect, it, onTestFinished } from "vitest"
import { send, sendRaw } from "./client.ts"
import { echoOf, type Hosts, setUp } from "./hosts.ts"
import type { Echo } from "./till.ts"

export const requests = (hosts: Hosts): void => {
  it("passes method, path, query, headers and body", async () => {
    const { port } = await setUp(hosts)
    const received = await send(port, "/x402/shop?a=1&a=2&b=%20%C3%A9", {
      method: "POST",
      headers: { "content-type": "application/json", "payment-signature": "abc=" },
      body: '{"message":"a blue mug – 20 €"}'
    })
    expect(received.status).toBe(200)
    const echo = echoOf(received)
    expect(echo).toMatchObject({
      method: "POST",
      pathname: "/x402/shop",
      search: "?a=1&a=2&b=%20%C3%A9",
      body: '{"message":"a blue mug – 20 €"}'
    })
    expect(echo.headers).toMatchObject({ "content-type": "application/json", "payment-signature": "abc=" })
  })

  it("passes the client's address", async () => {
    const { port } = await setUp(hosts)
    const { text } = await send(port, "/x402/caller")
    expect((JSON.parse(text) as { clientAddress: string }).clientAddress).toMatch(/^(::ffff:)?127\.0\.0\.1$/)
  })

  it("passes a whole body of 70 KB, with its length or in chunks", async () => {
    const { port } = await setUp(hosts)
    const body = "0123456789".repeat(7000)
    for (const chunked of [false, true]) {
      const echo = echoOf(await send(port, "/x402/shop", { method: "POST", body, chunked }))
      expect(echo.body === body).toBe(true)
    }
  })

  it("passes a repeated header with all its values", async () => {
    const { port } = await setUp(hosts)
    const headers = [
      "payment-signature",
      "one",
      "PAYMENT-SIGNATURE",
      "two",
      "content-type",
      "a/b",
      "content-type",
      "c/d"
    ]
    const echo = echoOf(await send(port, "/x402/search", { headers }))
    expect(echo.headers["payment-signature"]).toBe("one, two")
    expect(echo.headers["content-type"]).toBe("a/b, c/d")
  })

  it("passes header values beyond ASCII as the bytes they are", async () => {
    const { port } = await setUp(hosts)
    const response = await sendRaw(
      port,
      "GET /x402/search HTTP/1.1\r\nHost: x\r\nX-Name: caf\xe9\r\nConnection: close\r\n\r\n"
    )
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    const [, json] = /(\{.*\})/s.exec(response)!
    expect((JSON.parse(Buffer.from(json!, "latin1").toString("utf8")) as Echo).headers["x-name"]).toBe(
      "caf\xe9"
    )
  })

  it("leaves percent-encoding as it was sent", async () => {
    const { port } = await setUp(hosts)
    const malformed = "/x402/%zz"
    const wellFormed = ["/x402/vault/download/a%2Fb%20c", "/x402/%E2%82%AC", "/x402/a%00b"]
    const rejection = hosts.framework?.rejectsMalformedEncoding
    if (rejection !== undefined) expect((await send(port, malformed)).status).toBe(rejection)
    for (const path of rejection !== undefined ? wellFormed : [...wellFormed, malformed]) {
      expect(echoOf(await send(port, path)).pathname).toBe(path)
    }
  })

  it("handles absolute targets, and ignores the host that they name", async () => {
    const { port } = await setUp(hosts)
    const response = await sendRaw(
      port,
      "GET http://evil.example/x402/search?q=1 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    expect(response).toMatch(/^HTTP\/1\.1 200 /)
    expect(response).toContain('"pathname":"/x402/search","search":"?q=1"')
  })

  it("rejects malformed targets with a client error and stays up", async () => {
    const { errors, port } = await setUp(hosts)
    const targets = [
      "http://[/x402/search",
      "http://",
      "http://a b/x402",
      "//[/x402/search",
      "/\\evil/x402/search",
      "x402"
    ]
    for (const target of targets) {
      const response = await sendRaw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
      expect(response, target).toMatch(/^HTTP\/1\.1 4\d\d /)
    }
    expect(errors).toEqual([])
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("ignores a path that only ends like one of the till's", async () => {
    const { port } = await setUp(hosts)
    for (const path of [
      "//evil/x402/search",
      "//x402/search",
      "/other/x402/search",
      "/X402/search",
      "/x402"
    ]) {
      expect((await send(port, path)).status, path).toBe(404)
    }
  })

  it("passes every method, including TRACE", async () => {
    const { port } = await setUp(hosts)
    for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]) {
      expect(echoOf(await send(port, "/x402/search", { method })).method).toBe(method)
    }
  })

  it("keeps the connection usable when the till reads none of a body", async () => {
    const { port } = await setUp(hosts)
    const isKept = hosts.framework?.closesAfterUnreadBody !== true
    const agent = new Agent({ keepAlive: isKept, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    const body = Buffer.alloc(3_000_000, "x")
    for (const chunked of [false, true]) {
      expect((await send(port, "/x402/unread", { method: "POST", body, agent, chunked })).status).toBe(402)
      expect((await send(port, "/x402/search", { agent })).status).toBe(200)
    }
  })

  it("delivers the response to a client whose body the till cut off", async () => {
    const { port } = await setUp(hosts)
    const body = Buffer.alloc(3_000_000, "x")
    for (const chunked of [false, true]) {
      const { status, text } = await send(port, "/x402/cut-off", { method: "POST", body, chunked })
      expect([status, text]).toEqual([413, '{"code":"BODY_TOO_LARGE"}'])
    }
  })
}
