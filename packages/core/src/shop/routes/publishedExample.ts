import { Effect, Result, Schema } from "effect"
import { ConfigurationError } from "../../domain/Errors.ts"
import { issuesOf } from "../../domain/issuesOf.ts"
import type { ApiEndpoint, Example } from "../../operations/Operation.ts"
import { ShopSettings } from "./ShopSettings.ts"

type Fields = Readonly<Record<string, unknown>>

const faultsIn = (schema: Schema.Top | undefined, fields: Fields): ReadonlyArray<string> => {
  if (schema === undefined) return Object.keys(fields).map((name) => `${name} isn't a field of it`)
  const decode = Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, {
    errors: "all",
    onExcessProperty: "error"
  })
  const decoded = decode(fields)
  return Result.isSuccess(decoded)
    ? []
    : issuesOf(decoded.failure).map(({ message, path }) => `${path} ${message}`)
}

/** As they stand in a URL. */
const asText = (fields: ReadonlyArray<readonly [string, unknown]>): Fields =>
  Object.fromEntries(fields.map(([name, value]) => [name, String(value)]))

const faultsOf = ({ method, params, path, payload, query }: ApiEndpoint, input: Fields) => {
  const inPath = new Set(Array.from(path.matchAll(/:(\w+)/g), ([, name]) => name))
  const named = Object.entries(input).filter(([name]) => inPath.has(name))
  const others = Object.entries(input).filter(([name]) => !inPath.has(name))
  const [body] = payload.values()
  return [
    ...(params === undefined ? [] : faultsIn(params, asText(named))),
    ...(method === "GET"
      ? faultsIn(query, asText(others))
      : faultsIn(body?.schemas[0], Object.fromEntries(others)))
  ]
}

/** The example of a route with the host's own input, if there is one. Dies with a `ConfigurationError` if it isn't valid. */
export const publishedExample = Effect.fnUntraced(function* (
  endpoint: ApiEndpoint,
  example: Example
): Effect.fn.Return<Example, never, ShopSettings> {
  const { examples } = yield* ShopSettings
  const id = endpoint.identifier
  const input = examples[id]
  if (input === undefined) return example
  const faults = faultsOf(endpoint, input)
  if (faults.length > 0)
    return yield* Effect.die(
      new ConfigurationError({
        message: `Till402 can't start: examples.${id} isn't a request of its route: ${faults.join("; ")}`
      })
    )
  return { input, output: example.output }
})
