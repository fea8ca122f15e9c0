/* A fake till that echoes what reached it and responds in every form an adapter must support. */

import type { IncomingRequest, PlainResponse } from "@till402/core"

/** The caller's data that an adapter passes on. */
export interface Caller {
  readonly clientAddress?: string | undefined
  readonly mount?: string | undefined
}

/** The part of a till that adapters use. */
export interface Seam {
  readonly fetch: (request: Request, caller?: Caller) => Promise<Response>
  readonly handle: (request: IncomingRequest, caller?: Caller) => Promise<Response | PlainResponse>
  readonly handles: (pathname: string) => boolean
  /** Paths that a router of Effect registers; default: `/x402/*`. */
  readonly paths?: ReadonlyArray<`/${string}`>
}

/** What reached `fetch`, as `/x402/echo` returns it. */
export interface Echo {
  readonly method: string
  readonly pathname: string
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A stream of `size` bytes in chunks of 64 KiB, each filled with its own number and made on demand. */
export const countedStream = (size: number) => {
  const source = { sentBytes: 0, cancelled: Promise.withResolvers<void>() }
  const chunkBytes = 64 * 1024
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        if (source.sentBytes >= size) return controller.close()
        const bytes = Math.min(chunkBytes, size - source.sentBytes)
        controller.enqueue(new Uint8Array(bytes).fill((source.sentBytes / chunkBytes) % 251))
        source.sentBytes += bytes
      },
      cancel: () => source.cancelled.resolve()
    },
    { highWaterMark: 0 }
  )
  return { source, body }
}

type ReceivedResponse = (request: Request, url: URL, caller: Caller) => Response | Promise<Response>

const json = { "content-type": "application/json" }

const echo: ReceivedResponse = async (request, { pathname, search }) => {
  const body = request.body === null ? "" : await request.text()
  const headers = Object.fromEntries(request.headers)
  return Response.json({ method: request.method, pathname, search, headers, body } satisfies Echo)
}

const paid: ReceivedResponse = () =>
  new Response('{"paid":true}', {
    headers: [
      ["content-type", "application/json"],
      ["payment-response", "e30="],
      ["cache-control", "private, no-store"],
      ["vary", "PAYMENT-SIGNATURE, X-PAYMENT"],
      ["set-cookie", "a=1; Path=/"],
      ["set-cookie", "b=2; Path=/"]
    ]
  })

/** Responses in the forms that the till uses: text, bytes, a stream, nothing. */
const plainResponses = (): Readonly<Record<string, PlainResponse>> => {
  const bytes = new TextEncoder().encode("prefix, 12 cups of t\u00e9")
  const own = { ...json, vary: "PAYMENT-SIGNATURE, X-PAYMENT", "x-made": "plainly" }
  return {
    "/x402/plain/text": { status: 200, headers: own, body: "12 cups of t\u00e9" },
    "/x402/plain/bytes": { status: 201, headers: own, body: bytes.subarray(8) },
    "/x402/plain/stream": { status: 200, headers: own, body: countedStream(200_000).body },
    "/x402/plain/sized": {
      status: 200,
      headers: { ...own, "content-length": "200000" },
      body: countedStream(200_000).body
    },
    "/x402/plain/nothing": { status: 402, headers: own, body: null }
  }
}

/** Reads one chunk of the body and cancels the rest. */
const cutOff: ReceivedResponse = async (request) => {
  const reader = request.body!.getReader()
  await reader.read()
  await reader.cancel()
  return new Response('{"code":"BODY_TOO_LARGE"}', { status: 413, headers: json })
}

const breaking: ReceivedResponse = () => {
  let chunks = 0
  return new Response(
    new ReadableStream({
      async pull(controller) {
        // The first chunks are sent before the source fails.
        await new Promise((resolve) => setTimeout(resolve, 20))
        if (chunks++ === 2) throw new Error("the disk is gone")
        controller.enqueue(new TextEncoder().encode("part "))
      }
    })
  )
}

/** A fake till at `prefix`, with its records for tests. */
export const fakeTill = (prefix = "") => {
  const large = { size: 5_000_000, streams: [] as Array<ReturnType<typeof countedStream>["source"]> }
  const slow = {
    entered: Promise.withResolvers<void>(),
    gate: Promise.withResolvers<void>(),
    finished: Promise.withResolvers<void>()
  }
  const silent = { cancelled: Promise.withResolvers<void>() }
  const reading = { entered: Promise.withResolvers<void>(), body: Promise.withResolvers<string>() }

  const streamLarge: ReceivedResponse = (_request, { searchParams }) => {
    const { body, source } = countedStream(large.size)
    large.streams.push(source)
    const length = searchParams.has("length") ? { "content-length": String(large.size) } : {}
    return new Response(body, { headers: { "content-type": "application/zip", ...length } })
  }
  const respondSlowly: ReceivedResponse = async () => {
    slow.entered.resolve()
    await slow.gate.promise
    const { body, source } = countedStream(large.size)
    large.streams.push(source)
    slow.finished.resolve()
    return new Response(body)
  }
  const saysOneThing: ReceivedResponse = () =>
    new Response(
      new ReadableStream({
        start: (controller) => controller.enqueue(new TextEncoder().encode("one thing")),
        cancel: () => silent.cancelled.resolve()
      })
    )
  const readWhole: ReceivedResponse = async (request) => {
    reading.entered.resolve()
    // The test expects the body to break off.
    await request.text().then(reading.body.resolve, reading.body.reject)
    return new Response(null, { status: 400 })
  }
  const responses: Readonly<Record<string, ReceivedResponse>> = {
    "/x402/paid": paid,
    "/x402/caller": (_request, _url, caller) => Response.json(caller),
    "/x402/large": streamLarge,
    "/x402/slow": respondSlowly,
    "/x402/silent": saysOneThing,
    "/x402/reading": readWhole,
    "/x402/cut-off": cutOff,
    "/x402/unread": () => new Response('{"x402Version":1}', { status: 402, headers: json }),
    "/x402/nothing": () => new Response(null, { status: 204, headers: { allow: "GET, OPTIONS" } }),
    "/x402/bare": () => new Response(null, { status: 402, headers: { ...json, "payment-required": "e30=" } }),
    "/x402/breaking": breaking,
    "/x402/broken": () =>
      new Response(
        new ReadableStream({
          pull() {
            throw new Error("the disk is gone")
          }
        })
      ),
    "/x402/throwing": () => {
      throw new Error("a defect in the till")
    }
  }

  const below = (pathname: string): string =>
    prefix !== "" && pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : pathname
  const fetch: Seam["fetch"] = async (request, caller = {}) => {
    const url = new URL(request.url)
    const plain = plainResponses()[below(url.pathname)]
    if (plain !== undefined) return new Response(plain.body as BodyInit | null, plain)
    return (responses[below(url.pathname)] ?? echo)(request, url, caller)
  }
  const seam: Seam = {
    handles: (pathname) => pathname.startsWith("/x402/") || below(pathname).startsWith("/x402/"),
    fetch,
    handle: async (request, caller) =>
      plainResponses()[below(request.url.pathname)] ?? fetch(request.toRequest(), caller)
  }
  return { seam, large, slow, silent, reading }
}
