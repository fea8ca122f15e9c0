import { expect, it } from "vitest"
import { open, type Received, send } from "./client.ts"
import { type Hosts, setUp } from "./hosts.ts"

/** Headers of a response, without those of the connection and of the host's framework. */
const ownHeaders = ({ headers }: Received) => {
  const { connection, date, "keep-alive": keepAlive, "x-powered-by": poweredBy, ...own } = headers
  expect(date).toBeDefined()
  void [connection, keepAlive, poweredBy]
  return own
}

export const responses = (hosts: Hosts): void => {
  it("sends status, headers, cookies and bytes unchanged", async () => {
    const { port } = await setUp(hosts)
    const received = await send(port, "/x402/paid")
    expect(received.status).toBe(200)
    expect(received.text).toBe('{"paid":true}')
    expect(ownHeaders(received)).toMatchObject({
      "content-type": "application/json",
      "content-length": "13",
      "payment-response": "e30=",
      "cache-control": "private, no-store"
    })
    expect(received.headers["set-cookie"]).toEqual(expect.arrayContaining(["a=1; Path=/", "b=2; Path=/"]))
    expect(received.headers.vary).toContain("PAYMENT-SIGNATURE, X-PAYMENT")
  })

  it("keeps the cookie and Vary set by the host", async () => {
    const { port } = await setUp(hosts)
    const { headers } = await send(port, "/x402/paid")
    expect(headers["set-cookie"]).toEqual(["host=1", "a=1; Path=/", "b=2; Path=/"])
    expect(headers.vary).toContain("Accept")
  })

  it("sends responses without a body", async () => {
    const { port } = await setUp(hosts)
    const nothing = await send(port, "/x402/nothing", { method: "OPTIONS" })
    expect([nothing.status, nothing.text, nothing.headers.allow]).toEqual([204, "", "GET, OPTIONS"])
    expect(nothing.headers["content-length"]).toBeUndefined()
    const bare = await send(port, "/x402/bare")
    expect([bare.status, bare.text]).toEqual([402, ""])
    expect(bare.headers).toMatchObject({ "content-type": "application/json", "payment-required": "e30=" })
  })

  it("sends only the head in response to HEAD", async () => {
    const { large, port } = await setUp(hosts)
    const bare = await send(port, "/x402/bare", { method: "HEAD" })
    expect([bare.status, bare.text]).toEqual([402, ""])
    expect(bare.headers).toMatchObject({ "content-type": "application/json", "payment-required": "e30=" })
    const streamed = await send(port, "/x402/large?length", { method: "HEAD" })
    expect(streamed.headers["content-length"]).toBe("5000000")
    await large.streams[0]!.cancelled.promise
    expect(large.streams[0]!.sentBytes).toBe(0)
  })

  it("streams all of 5 MB, with the length if it is known", async () => {
    const { large, port } = await setUp(hosts)
    for (const query of ["", "?length"]) {
      const { bytes, headers } = await send(port, `/x402/large${query}`)
      expect(bytes.byteLength).toBe(large.size)
      expect(bytes[0]).toBe(0)
      expect(bytes.at(-1)).toBe(76)
      expect(headers["content-type"]).toBe("application/zip")
      expect(headers["content-length"]).toBe(query === "" ? undefined : "5000000")
    }
  })

  it("reads the source no faster than the client reads", async () => {
    const { large, port } = await setUp(hosts)
    large.size = 256 * 1024 * 1024
    const message = await open(port, "/x402/large")
    message.pause()
    const [source] = large.streams
    let before = -1
    // Waits until the buffers of both ends are full.
    while (before !== source!.sentBytes) {
      before = source!.sentBytes
      await new Promise((resolve) => setTimeout(resolve, 150))
    }
    expect(source!.sentBytes).toBeLessThan(large.size / 2)
    message.destroy()
    await source!.cancelled.promise
  })
}
