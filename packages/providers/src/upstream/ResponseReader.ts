import { readBodyText } from "@till402/core/effect"
import { Effect, Result, Schema, SchemaIssue } from "effect"
import type { HttpClientError, HttpClientResponse } from "effect/http"
import { ResponseMalformed, ResponseTooLarge } from "./UpstreamFault.ts"
import type { UpstreamResponse } from "./UpstreamResponse.ts"

/** Reads the body up to the bound. */
export const readText = (
  upstream: string,
  response: HttpClientResponse.HttpClientResponse,
  maxBytes: number
): Effect.Effect<string, ResponseTooLarge | HttpClientError.HttpClientError> =>
  Effect.catchTag(readBodyText(response, maxBytes), "BodyTooLarge", () =>
    Effect.fail(new ResponseTooLarge({ upstream, maxBytes }))
  )

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
