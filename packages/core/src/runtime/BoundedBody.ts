import { Data, Effect, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

/*
 * Bodies, read up to a bound: a hostile sender's body may never end.
 */

/** By its shape: a host's bundle or test environment may have a class of its own. */
export const isStream = (body: unknown): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body && typeof body.getReader === "function"

/** Cancels a stream that won't be read; a failure to cancel is ignored. */
export const discardBody = (body: unknown): void => {
  if (isStream(body) && !body.locked) body.cancel().catch(() => undefined)
}

export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly maxBytes: number }> {}

/** Reads a body to its end; `undefined`: it is larger than `maxBytes`, and was canceled. */
export const readBytes = async (
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  signal?: AbortSignal
): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = body.getReader()
  // A deadline cancels the reader, which ends a pending read.
  signal?.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBytes) {
      // Ignore errors of the canceled sender: they don't change the response.
      await reader.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(value)
  }
  if (chunks.length === 1) return chunks[0]
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** Whether a response has no body at all, which is read as an empty one. */
const isEmpty = ({ reason }: HttpClientError.HttpClientError): boolean => reason._tag === "EmptyBodyError"

/**
 * Reads a response's body as text, up to a bound of decompressed bytes. `Content-Length` may be wrong, and a small
 * compressed body may be large when decompressed.
 */
export const readBodyText = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.fn.Return<string, BodyTooLarge | HttpClientError.HttpClientError> {
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return yield* new BodyTooLarge({ maxBytes })
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ""
  yield* Stream.runForEach(response.stream, (chunk) => {
    bytes += chunk.byteLength
    if (bytes > maxBytes) return Effect.fail(new BodyTooLarge({ maxBytes }))
    text += decoder.decode(chunk, { stream: true })
    return Effect.void
  }).pipe(
    Effect.catchIf(
      (error) => error._tag === "HttpClientError" && isEmpty(error),
      () => Effect.void
    )
  )
  return text + decoder.decode()
})
