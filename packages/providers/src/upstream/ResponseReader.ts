import { Effect, Result, Schema, SchemaIssue, Stream } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { ResponseMalformed, ResponseTooLarge } from "./UpstreamFault.ts"
import type { UpstreamResponse } from "./UpstreamResponse.ts"

/**
 * Reads the body up to the bound, counted in decompressed bytes. `Content-Length` may be wrong, and a small
 * compressed body may be large when decompressed.
 */
export const readText = (
  upstream: string,
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, ResponseTooLarge | HttpClientError.HttpClientError> => {
  const tooLarge = new ResponseTooLarge({ upstream, maxBytes })
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
      // A response without a body is an empty text.
      Effect.catchIf(
        (error) => error._tag === "HttpClientError" && error.reason._tag === "EmptyBodyError",
        () => Effect.succeed("")
      )
    )
  })
}

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()
const issuesNamed = 5

/** Paths of the first five invalid fields, such as `results.0.title`; no values of the document. */
const describe = (issue: SchemaIssue.Issue): string =>
  issuesOf(issue)
    .issues.slice(0, issuesNamed)
    .map(({ path = [] }) => path.map((key) => String(typeof key === "object" ? key.key : key)).join("."))
    .map((path) => (path === "" ? "the document as a whole" : path))
    .join(", ")

/** Parses a response as JSON, unchecked. */
export const parseJson = ({ text, upstream }: UpstreamResponse): Effect.Effect<unknown, ResponseMalformed> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => new ResponseMalformed({ upstream, detail: "not JSON" })
  })

/**
 * Makes a reader of responses with a JSON document of one schema. Other fields are dropped.
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
): ((response: UpstreamResponse) => Effect.Effect<S["Type"], ResponseMalformed>) => {
  const decode = Schema.decodeUnknownResult(schema)
  return (response) =>
    Effect.flatMap(parseJson(response), (document) => {
      const decoded = decode(document)
      return Result.isSuccess(decoded)
        ? Effect.succeed(decoded.success)
        : Effect.fail(
            new ResponseMalformed({ upstream: response.upstream, detail: describe(decoded.failure.issue) })
          )
    })
}
