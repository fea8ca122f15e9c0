import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { parseAtomic } from "../domain/Money.ts"
import { report } from "../runtime/events.ts"
import { namedFields } from "./InputFields.ts"
import type { AnyOperation } from "./Operation.ts"
import { ownEndpoint } from "./OwnOperation.ts"
import { proofOf } from "./OwnOperationOptions.ts"
import { completeOptions, type PricedRouteOptions } from "./PricedRouteOptions.ts"

const outputOf = (mimeType: string): Schema.Top =>
  mimeType === "application/json"
    ? Schema.Unknown
    : Schema.String.pipe(HttpApiSchema.asText({ contentType: mimeType }))

/** Whether a handler's response leads to another host, where what is sold may be. */
const leadsAway = ({ headers, status }: Response, baseUrl: string): boolean => {
  const location = status >= 300 && status <= 399 ? headers.get("location") : null
  const to = location === null ? null : URL.parse(location, baseUrl)
  return to !== null && to.host !== URL.parse(baseUrl)?.host
}

/** Reports, once, a redirect to what may be sold. */
const reportingRedirects = (id: string, baseUrl: string) => {
  let isReported = false
  return (response: Response): Effect.Effect<void> => {
    if (isReported || !leadsAway(response, baseUrl)) return Effect.void
    isReported = true
    return report(
      "Warn",
      "sale_doubtful",
      `priced route ${id} redirected a payer to another host, which isn't charged: only a 2xx is. If what is sold is there, respond with 200 and its address`,
      { operation: id }
    )
  }
}

/** The operation of a priced route. Its work comes with each request. */
export const pricedOperation = (
  options: PricedRouteOptions,
  { baseUrl, responseLifetimeMillis }: { readonly baseUrl: string; readonly responseLifetimeMillis: number }
): AnyOperation => {
  const { example = { input: {}, output: undefined }, mimeType = "application/json", price } = options
  const completed = completeOptions(options)
  return {
    endpoint: ownEndpoint(completed, namedFields(Object.keys(example.input)), outputOf(mimeType)),
    documents: { description: completed.description, mimeType, example, hasOwnCodes: true },
    input: { boundToRequest: true, isHandler: true, unsold: reportingRedirects(options.id, baseUrl) },
    settlement: { beforeWork: options.settlement === "before-work", ...proofOf(options) },
    response: { encrypted: options.encrypted === true, replayMillis: responseLifetimeMillis },
    price: { _tag: "Fixed", atomic: parseAtomic(price)! },
    work: () => Effect.die(new Error(`the handler of ${options.id} is missing`))
  }
}
