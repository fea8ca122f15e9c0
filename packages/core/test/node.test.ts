import { createServer, IncomingMessage, request as httpRequest, type ServerResponse } from "node:http"
import { type AddressInfo, connect, Socket } from "node:net"
import { Readable } from "node:stream"
import { buffer, text } from "node:stream/consumers"
import { BodyInterrupted, bodyOf, incoming, targetOf, toRequest, writeResponse } from "@till402/core/node"
import { describe, expect, it, onTestFinished } from "vitest"
import { property } from "./domain/seeded.ts"

type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Serves one handler; what it throws is kept. */
const serve = async (handler: Handler) => {
  const thrown: Array<unknown> = []
  const settled = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    handler(request, response)
      .catch((error: unknown) => {
        thrown.push(error)
        if (!response.headersSent) response.writeHead(500).end()
      })
      .finally(settled.resolve)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  const open = (method: string, body?: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { "content-length": Buffer.byteLength(body) }
      httpRequest({ host: "127.0.0.1", port, method, path: "/x402/shop", headers, agent: false }, resolve)
        .on("error", reject)
        .end(body)
    })
  return { open, thrown, settled: settled.promise }
}

const url = new URL("http://till.invalid/x402/shop")

describe("targetOf", () => {
  it.each([
    ["/x402/search?q=%20a&b", "/x402/search?q=%20a&b"],
    ["//evil.example/x402/search", "//evil.example/x402/search"],
    ["/a/../x402/search", "/x402/search"],
    ["http://evil.example:8080/x402/search?q=1", "/x402/search?q=1"],
    ["https://user:word@evil.example//x402", "//x402"],
    ["http://evil.example", "/"],
    ["*", "/*"]
  ])("reads %s, whatever its origin", (target, expected) => {
    const { pathname, search } = targetOf(target)!
    expect(pathname + search).toBe(expected)
  })

  property("reads a path and query in the words of a URL", 2_000, (dice) => {
    const characters = "aZ09-_/./..//%41%2e?&=#'\"<>\\;:@ \t\u00e9~!*()[]{}|^`"
    const target = `/${dice.text(characters, dice.below(12))}`
    const { pathname, search } = new URL(`http://till.invalid${target}`)
    const read = targetOf(target)!
    expect([target, read.pathname, read.search]).toEqual([target, pathname, search])
  })

  it.each(["http://[/x402", "http://", "x402/search", "javascript:alert(1)", "foo:/x402/search", ""])(
    "finds %s malformed",
    (target) => {
      expect(targetOf(target)).toBeUndefined()
    }
  )
})

describe("toRequest", () => {
  it("takes over no host, and wires in no signal of the connection", async () => {
    const made = Promise.withResolvers<Request>()
    const { open } = await serve(async (request, response) => {
      made.resolve(toRequest(request, { url }))
      response.end()
    })
    await open("GET")
    const request = await made.promise
    expect(request.url).toBe("http://till.invalid/x402/shop")
    expect(request.signal.aborted).toBe(false)
  })

  it("reads a body only on demand", async () => {
    const { open, thrown } = await serve(async (request, response) => {
      const made = toRequest(request, { url })
      await new Promise((resolve) => setTimeout(resolve, 10))
      expect(request.readableDidRead).toBe(false)
      response.end(await made.text())
    })
    expect(await text(await open("POST", "a body"))).toBe("a body")
    expect(thrown).toEqual([])
  })

  it.each([
    ["text", "twelve cups", "twelve cups"],
    ["bytes", Buffer.from("twelve cups"), "twelve cups"],
    ["an object", { cups: 12 }, '{"cups":12}'],
    ["null", null, "null"]
  ])("makes a body again from %s that a parser left", async (_name, parsedBody, expected) => {
    const { open } = await serve(async (request, response) => {
      await buffer(request)
      const made = toRequest(request, { url, parsedBody })
      response.setHeader("x-length", made.headers.get("content-length") ?? "none")
      response.end(await made.text())
    })
    const response = await open("POST", "as it was sent")
    expect(await text(response)).toBe(expected)
    expect(response.headers["x-length"]).toBe("none")
  })

  it("prefers the bytes that were sent to what a parser made of nothing", async () => {
    const { open } = await serve(async (request, response) => {
      response.end(await toRequest(request, { url, parsedBody: {} }).text())
    })
    expect(await text(await open("POST", "<a/>"))).toBe("<a/>")
  })

  it("refuses a request whose body is lost", async () => {
    const { open, thrown } = await serve(async (request, response) => {
      await buffer(request)
      response.end(await toRequest(request, { url }).text())
    })
    expect((await open("POST", "lost")).statusCode).toBe(500)
    expect(String(thrown[0])).toContain("mount the till before the middleware that reads it")
  })
})

describe("incoming", () => {
  const overSocket = async (method: string, headers: ReadonlyArray<string>) => {
    const received = Promise.withResolvers<IncomingMessage>()
    const server = createServer((request, response) => {
      received.resolve(request)
      response.end()
    })
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve)
    })
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo
    const socket = connect(port, "127.0.0.1")
    socket.write([`${method} /x402/shop HTTP/1.1`, "Host: shop.example", ...headers, "", ""].join("\r\n"))
    onTestFinished(() => void socket.destroy())
    return received.promise
  }

  it("returns headers as the web's Request does, repeated ones joined", async () => {
    const request = await overSocket("GET", [
      "X-Payment:  one ",
      "x-PAYMENT: two",
      "Payment-Signature:",
      "Origin: https://a.example",
      "Content-Type: text/plain",
      "content-type: text/html"
    ])
    const made = incoming(request, { url })
    const web = toRequest(request, { url }).headers
    for (const name of ["x-payment", "payment-signature", "origin", "content-type", "host", "absent"]) {
      expect([name, made.header(name)]).toEqual([name, web.get(name)])
    }
    expect(made.header("x-payment")).toBe("one, two")
    expect(made.header("absent")).toBeNull()
  })

  it("has the headers of a request that an adapter of cloud functions made, without the raw list", async () => {
    const made = new IncomingMessage(new Socket())
    Object.assign(made, {
      method: "POST",
      url: "/x402/shop",
      complete: true,
      headers: { "payment-signature": "a", "x-many": ["b", "c"], "content-length": "4" }
    })
    const request = incoming(made, { url, keepsBody: true })
    expect(["payment-signature", "x-many", "x-none"].map((name) => request.header(name))).toEqual([
      "a",
      "b, c",
      null
    ])
    const web = request.toRequest()
    expect(web.headers.get("x-many")).toBe("b, c")
    // Its body arrives later, whatever `complete` says, and stays for the handler.
    const body = web.text()
    await new Promise(setImmediate)
    made.push("tote")
    made.push(null)
    expect(await body).toBe("tote")
    expect(await text(made)).toBe("tote")
  })

  it("makes the web's request once, and only on demand", async () => {
    const made = incoming(await overSocket("TRACE", []), { url })
    expect(made.method).toBe("TRACE")
    expect(made.url).toBe(url)
    expect(made.toRequest()).toBe(made.toRequest())
    expect(made.toRequest().method).toBe("TRACE")
  })

  it("refuses a request whose body is lost, at once", async () => {
    const { open, thrown } = await serve(async (request, response) => {
      await buffer(request)
      incoming(request, { url })
      response.end()
    })
    expect((await open("POST", "lost")).statusCode).toBe(500)
    expect(String(thrown[0])).toContain("mount the till before the middleware that reads it")
  })
})

describe("bodyOf", () => {
  it("gives bytes where the body is whole at once", async () => {
    const body = await bodyOf(new Response("whole"))
    expect(body).toBeInstanceOf(Buffer)
    expect(String(body)).toBe("whole")
    expect(await bodyOf(new Response(null))).toEqual(Buffer.alloc(0))
    expect(await bodyOf(new Response(""))).toEqual(Buffer.alloc(0))
  })

  it("gives a stream where it is not, with every byte in its order", async () => {
    const chunks = ["a", "b", "", "c"]
    const slow = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await new Promise((resolve) => setTimeout(resolve, 2))
        const chunk = chunks.shift()
        if (chunk === undefined) controller.close()
        else controller.enqueue(new TextEncoder().encode(chunk))
      }
    })
    const body = await bodyOf(new Response(slow))
    expect(body).toBeInstanceOf(Readable)
    expect(await text(body as Readable)).toBe("abc")
  })
})

describe("writeResponse", () => {
  const streamThat = (pull: UnderlyingDefaultSource<Uint8Array>["pull"] & {}, cancel = () => undefined) =>
    new ReadableStream<Uint8Array>({ pull, cancel }, { highWaterMark: 0 })

  it("rejects where the source fails in mid-stream, and breaks the connection off", async () => {
    let chunks = 0
    const source = streamThat(async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      if (chunks++ === 2) throw new Error("the disk is gone")
      controller.enqueue(new TextEncoder().encode("part "))
    })
    const { open, settled, thrown } = await serve((_request, response) =>
      writeResponse(new Response(source), response)
    )
    await expect(text(await open("GET"))).rejects.toThrow("aborted")
    await settled
    expect(thrown[0]).toBeInstanceOf(BodyInterrupted)
    expect((thrown[0] as BodyInterrupted).cause).toEqual(new Error("the disk is gone"))
  })

  it("resolves where the client goes away", async () => {
    const cancelled = Promise.withResolvers<void>()
    const endless = streamThat(
      (controller) => controller.enqueue(new Uint8Array(65_536)),
      () => cancelled.resolve() as undefined
    )
    const { open, settled, thrown } = await serve((_request, response) =>
      writeResponse(new Response(endless), response)
    )
    const response = await open("GET")
    response.destroy()
    await cancelled.promise
    await settled
    expect(thrown).toEqual([])
  })

  it("drops a response when another was already sent", async () => {
    const cancelled = Promise.withResolvers<void>()
    const endless = streamThat(
      (controller) => controller.enqueue(new Uint8Array(65_536)),
      () => cancelled.resolve() as undefined
    )
    const { open, settled, thrown } = await serve(async (_request, response) => {
      response.writeHead(504).end("too late")
      await writeResponse(new Response(endless), response)
    })
    expect(await text(await open("GET"))).toBe("too late")
    await settled
    await cancelled.promise
    expect(thrown).toEqual([])
  })
})
