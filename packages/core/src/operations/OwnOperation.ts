import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { ApiFailure } from "../domain/ApiFailure.ts"
import { report } from "../runtime/events.ts"
import { isApiFailure, jsonOf, looksRefused, refused, timeoutCode } from "./HostWork.ts"
import type { Operation, OperationInput } from "./Operation.ts"
import { OperationSettings } from "./OperationSettings.ts"
import { type OwnOperationOptions, proofOf } from "./OwnOperationOptions.ts"
import { ownPrice } from "./OwnPrice.ts"
import { bodyErrors, commonErrors, failure, respondText } from "./RouteParts.ts"

/*
 * A host's own operations: paid routes with all features of the contract's seven.
 */

/** Names of the parameters in a path: `/weather/:city` has `city`. */
export const paramNames = (path: string): ReadonlyArray<string> =>
  path.split("/").flatMap((part) => (part.startsWith(":") ? [part.slice(1)] : []))

/** The endpoint of an operation, from the fields of its input and the schema of its output. */
export const ownEndpoint = (
  { description, id, method, path }: OwnOperationOptions<never>,
  fields: Schema.Struct.Fields,
  output: Schema.Top
) => {
  const inPath = new Set(paramNames(path))
  const missing = [...inPath].filter((name) => !(name in fields))
  const params: Schema.Struct.Fields = {
    ...Object.fromEntries(Object.entries(fields).filter(([name]) => inPath.has(name))),
    ...Object.fromEntries(missing.map((name) => [name, Schema.String]))
  }
  const rest = Object.fromEntries(Object.entries(fields).filter(([name]) => !inPath.has(name)))
  const common = {
    ...(inPath.size === 0 ? {} : { params }),
    success: output
  }
  const others = [failure(403), failure(404), failure(422)]
  const at = path as `/${string}`
  const endpoint =
    method === "GET"
      ? HttpApiEndpoint.get(id, at, { ...common, error: [...commonErrors, ...others], query: rest })
      : HttpApiEndpoint.post(id, at, {
          ...common,
          error: [...bodyErrors, ...others],
          payload: Schema.Struct(rest)
        })
  return endpoint.annotateMerge(OpenApi.annotations({ summary: description, description }))
}

/** Makes an operation from the options that both styles share. */
export const ownOperation = Effect.fnUntraced(function* <Input>(
  options: OwnOperationOptions<Input>,
  parts: Pick<Operation<Input>, "endpoint"> &
    Pick<OperationInput<Input>, "decode"> & {
      /** Returns the response as JSON. */
      readonly work: (input: Input) => Effect.Effect<unknown, ApiFailure>
    }
): Effect.fn.Return<Operation<Input>, never, OperationSettings> {
  const { description, example = { input: {}, output: undefined }, id, price, settlement } = options
  const { responseLifetimeMillis } = yield* OperationSettings
  const { decode, endpoint } = parts
  let isDoubted = false
  const sold = (output: unknown) => {
    const work = respondText(jsonOf(id, output))
    if (isDoubted || !looksRefused(output)) return Effect.succeed(work)
    isDoubted = true
    return Effect.as(
      report(
        "Warn",
        "sale_doubtful",
        `operation ${id} returned an error as its result, which is charged. If the work refused, throw an ApiFailure, or fail with one: then nothing is`,
        { operation: id }
      ),
      work
    )
  }
  return {
    endpoint,
    documents: {
      description,
      mimeType: "application/json",
      example,
      errors: [timeoutCode],
      hasOwnCodes: true
    },
    input: { boundToRequest: true, ...(decode === undefined ? {} : { decode }) },
    settlement: { beforeWork: settlement === "before-work", ...proofOf(options) },
    response: { encrypted: options.encrypted === true, replayMillis: responseLifetimeMillis },
    price: ownPrice(id, price, description),
    work: (input) =>
      Effect.suspend(() => parts.work(input)).pipe(
        Effect.catchEager(refused),
        Effect.flatMap((output) =>
          isApiFailure(output) ? refused(output) : Effect.suspend(() => sold(output))
        )
      )
  }
})
