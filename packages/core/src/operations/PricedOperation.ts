import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { parseAtomic } from "../domain/Money.ts"
import { namedFields } from "./InputFields.ts"
import type { AnyOperation } from "./Operation.ts"
import { ownEndpoint } from "./OwnOperation.ts"
import { proofOf } from "./OwnOperationOptions.ts"
import { completeOptions, type PricedRouteOptions } from "./PricedRouteOptions.ts"

const outputOf = (mimeType: string): Schema.Top =>
  mimeType === "application/json"
    ? Schema.Unknown
    : Schema.String.pipe(HttpApiSchema.asText({ contentType: mimeType }))

/** The operation of a priced route. Its work comes with each request. */
export const pricedOperation = (
  options: PricedRouteOptions,
  { responseLifetimeMillis }: { readonly responseLifetimeMillis: number }
): AnyOperation => {
  const { example = { input: {}, output: undefined }, mimeType = "application/json", price } = options
  const completed = completeOptions(options)
  return {
    endpoint: ownEndpoint(completed, namedFields(Object.keys(example.input)), outputOf(mimeType)),
    documents: { description: completed.description, mimeType, example, hasOwnCodes: true },
    input: { boundToRequest: true, isHandler: true },
    settlement: { beforeWork: options.settlement === "before-work", ...proofOf(options) },
    response: { encrypted: options.encrypted === true, replayMillis: responseLifetimeMillis },
    price: { _tag: "Fixed", atomic: parseAtomic(price)! },
    work: () => Effect.die(new Error(`the handler of ${options.id} is missing`))
  }
}
