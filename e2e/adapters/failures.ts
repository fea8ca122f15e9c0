import { expect, it } from "vitest"
import { open, openRaw, send, sendRaw } from "./client.ts"
import { type Hosts, setUp } from "./hosts.ts"

export const failures = (hosts: Hosts): void => {
  it("cancels the source when the client goes away in mid-stream", async () => {
    const { large, port } = await setUp(hosts)
    large.size = 256 * 1024 * 1024
    const message = await open(port, "/x402/large")
    await new Promise((resolve) => message.once("data", resolve))
    message.destroy()
    await large.streams[0]!.cancelled.promise
    expect(large.streams[0]!.sentBytes).toBeLessThan(large.size)
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("cancels a source that sends nothing when the client goes away", async () => {
    const { port, silent } = await setUp(hosts)
    const message = await open(port, "/x402/silent")
    await new Promise((resolve) => message.once("data", resolve))
    message.destroy()
    await silent.cancelled.promise
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("finishes a call whose client has disconnected, and cancels its response", async () => {
    const { large, port, slow } = await setUp(hosts)
    const socket = openRaw(port, "POST /x402/slow HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}")
    await slow.entered.promise
    socket.destroy()
    // Time for the server to see that the client is gone.
    await new Promise((resolve) => setTimeout(resolve, 50))
    slow.gate.resolve()
    await slow.finished.promise
    await large.streams[0]!.cancelled.promise
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("stays up when a client goes away in the middle of its body", async () => {
    const { port, reading } = await setUp(hosts)
    const socket = openRaw(port, "POST /x402/reading HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{")
    await reading.entered.promise
    socket.destroy()
    await expect(reading.body.promise).rejects.toThrow()
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("breaks the connection off when the source fails in mid-stream", async () => {
    const { port } = await setUp(hosts)
    const message = await open(port, "/x402/breaking")
    expect(message.statusCode).toBe(200)
    const received: Array<string> = []
    const whole = (async () => {
      for await (const chunk of message) received.push(String(chunk))
    })()
    await expect(whole).rejects.toThrow("aborted")
    expect(received.join("")).toMatch(/^part part /)
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("never presents a response as complete when its source fails before the first byte", async () => {
    const { port } = await setUp(hosts)
    const outcome = await send(port, "/x402/broken").then(
      ({ status }) => status,
      () => "broken off"
    )
    // A server that has already sent the head can only break off.
    expect([500, "broken off"]).toContain(outcome)
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("passes an error of the till to the host", async () => {
    const { errors, port } = await setUp(hosts)
    const received = await send(port, "/x402/throwing")
    expect([received.status, received.text]).toEqual([500, "host: a defect in the till"])
    expect(errors).toHaveLength(1)
    expect((await send(port, "/x402/search")).status).toBe(200)
  })

  it("handles pipelined requests", async () => {
    const { port } = await setUp(hosts)
    const one = "GET /x402/search?n=1 HTTP/1.1\r\nHost: x\r\n\r\n"
    const two = "POST /x402/shop?n=2 HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}"
    const last = "GET /x402/search?n=3 HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    const response = await sendRaw(port, one + two + last)
    expect([...response.matchAll(/"search":"\?n=(\d)"/g)].map(([, n]) => n)).toEqual(["1", "2", "3"])
  })
}
