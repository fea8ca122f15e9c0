import { Effect, Result, Schema, SchemaIssue, Stream } from "effect"
import type { Headers, HttpClientError, HttpClientResponse } from "effect/http"
import { AnswerMalformed, AnswerTooLarge } from "./UpstreamFault.ts"

/** A whole answer of an upstream, read within its bound. */
export interface Answer {
  readonly upstream: string
  readonly status: number
  /** Names in lower case. */
  readonly headers: Headers.Headers
  readonly text: string
}

/**
 * Reads the body while counting, and stops at the bound: `Content-Length` may lie, and a small
 * compressed body may unpack into a large one. The bytes counted are the unpacked ones.
 */
export const readText = (
  upstream: string,
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, AnswerTooLarge | HttpClientError.HttpClientError> => {
  const tooLarge = new AnswerTooLarge({ upstream, maxBytes })
  if (Number(response.headers["content-length"] ?? 0) > maxBytes) return Effect.fail(tooLarge)
  return Effect.suspend(() => {
    const decoder = new TextDecoder()
    let bytes = 0
    let text = ""
    return response.stream.pipe(
      Stream.runForEach((chunk) => {
        bytes += chunk.byteLength
        if (bytes > maxBytes) return Effect.fail(tooLarge)
        text += decoder.decode(chunk, { stream: true })
        return Effect.void
      }),
      Effect.map(() => text + decoder.decode()),
      // An answer without a body is an empty text.
      Effect.catchIf(
        (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
        () => Effect.succeed("")
      )
    )
  })
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesNamed = 5

/** `results.0.title: Expected string`, one for each fault, the first five; no values of the document. */
const describe = (issue: SchemaIssue.Issue): string =>
  issuesOf(issue)
    .issues.slice(0, issuesNamed)
    .map(({ path = [] }) => path.map((key) => String(typeof key === "object" ? key.key : key)).join("."))
    .map((path) => (path === "" ? "the document as a whole" : path))
    .join(", ")

/** The document of an answer as it is, unchecked. */
export const parseJson = ({ text, upstream }: Answer): Effect.Effect<unknown, AnswerMalformed> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new AnswerMalformed({ upstream, detail: "not JSON" })
  })

/**
 * A reader of answers with a JSON document of one shape. Fields that the shape doesn't name are dropped.
 *
 * @example
 * import { readJson, type Upstream } from "@till402/providers/upstream"
 * import { Effect, Schema } from "effect"
 * import { HttpClientRequest } from "effect/http"
 *
 * const readPrices = readJson(Schema.Struct({ prices: Schema.Array(Schema.Finite) }))
 * const prices = (upstream: Upstream) =>
 *   Effect.flatMap(upstream.call(HttpClientRequest.get("https://prices.example/v1/today")), readPrices)
 */
export const readJson = <S extends Schema.Decoder<unknown>>(
  schema: S
): ((answer: Answer) => Effect.Effect<S["Type"], AnswerMalformed>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (answer) =>
    Effect.flatMap(parseJson(answer), (document) => {
      const decoded = decode(document)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail(
            new AnswerMalformed({ upstream: answer.upstream, detail: describe(decoded.failure.issue) })
          )
    })
}
