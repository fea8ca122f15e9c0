import { Data, Effect, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"

export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{ readonly maxBytes: number }> {}

/** Whether a response has no body at all, which is read as an empty one. */
const isEmpty = ({ reason }: HttpClientError.HttpClientError): boolean => reason._tag === "EmptyBodyError"

/** Reads a response's body as text and stops at the bound: a hostile server's body may never end. */
export const readBodyText = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.fn.Return<string, BodyTooLarge | HttpClientError.HttpClientError> {
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
