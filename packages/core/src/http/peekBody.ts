import type { IncomingMessage } from "node:http"
import type { Readable } from "node:stream"
import { maxBodyBytes } from "../operations/BodyLimits.ts"

/*
 * The body of a Node request, for the till and then for the handler, whose framework reads the same stream.
 */

/**
 * Whether the last byte has arrived. `complete` says so of requests from a socket alone: those that tests and functions
 * of a cloud make lack it, or have it too early. Of HTTP/2, a request has ended only once that was read, its stream before.
 */
const isComplete = (request: IncomingMessage & { readonly _readableState?: { readonly ended: boolean } }) =>
  (request._readableState?.ended ?? request.complete) ||
  ("stream" in request && (request.stream as Readable).readableEnded)

/**
 * Reads a body that nobody has read, and puts it back. One above `maxBodyBytes` isn't put back: it is read as far as
 * shows its size, and discarded. `stop` lets Node discard it.
 */
const peek = (request: IncomingMessage) => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const { promise, reject, resolve } = Promise.withResolvers<Uint8Array<ArrayBuffer>>()
  const detach = () => request.off("readable", read).off("error", fail).off("close", fail)
  const fail = (error?: Error) => {
    detach()
    reject(error ?? new Error("The client has disconnected"))
  }
  const read = () => {
    // A read of nothing would end the stream: bytes can be put back only before its end is known to others.
    while (request.readableLength > 0 && size <= maxBodyBytes) {
      const chunk: unknown = request.read()
      const bytes = typeof chunk === "string" ? Buffer.from(chunk) : (chunk as Uint8Array | null)
      if (bytes === null) break
      chunks.push(bytes)
      size += bytes.byteLength
    }
    if (size <= maxBodyBytes && !isComplete(request)) return
    detach()
    const whole = Buffer.concat(chunks)
    if (size > maxBodyBytes) request.resume()
    else if (size > 0) request.unshift(whole)
    resolve(whole)
  }
  request.on("error", fail).on("close", fail)
  if (isComplete(request)) read()
  else if (request.destroyed) fail()
  else request.on("readable", read)
  const stop = () => {
    detach()
    request.resume()
  }
  return { bytes: promise, stop }
}

/** A copy of a body that nobody has read, which is read on demand. */
export const peekedStream = (request: IncomingMessage): ReadableStream<Uint8Array> => {
  let peeked: ReturnType<typeof peek> | undefined
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        peeked = peek(request)
        const bytes = await peeked.bytes
        if (bytes.byteLength > 0) controller.enqueue(bytes)
        controller.close()
      },
      cancel: () => peeked?.stop()
    },
    { highWaterMark: 0 }
  )
}
