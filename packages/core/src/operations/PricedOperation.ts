import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { parseAtomic } from "../domain/Money.ts"
import { report } from "../runtime/events.ts"
import { namedFields } from "./InputFields.ts"
import { looksRefused } from "./HostWork.ts"
import type { AnyOperation, RecordedResponse } from "./Operation.ts"
import { ownEndpoint } from "./OwnOperation.ts"
import { proofOf } from "./OwnOperationOptions.ts"
import { completeOptions, type PricedRouteOptions } from "./PricedRouteOptions.ts"

const outputOf = (mimeType: string): Schema.Top =>
  mimeType === "application/json"
    ? Schema.Unknown
    : Schema.String.pipe(HttpApiSchema.asText({ contentType: mimeType }))

/** Whether a response leads to what may be sold: on another host, or after work that a POST has done. */
const leadsToGoods = ({ headers, status }: Response, method: string, baseUrl: string): boolean => {
  const location = status >= 300 && status <= 399 ? headers.get("location") : null
  const to = location === null ? null : URL.parse(location, baseUrl)
  return to !== null && (method === "POST" || to.host !== URL.parse(baseUrl)?.host)
}

/** No refusal has more characters. */
const maxRefusal = 2_000

/** Whether what was sold says that nothing was. */
const soldRefusal = ({ body, status }: RecordedResponse): boolean => {
  if (status > 299 || typeof body !== "string" || body.length > maxRefusal) return false
  try {
    return looksRefused(JSON.parse(body))
  } catch {
    return false
  }
}

/** Reports, once, a redirect to what may be sold, or a refusal that was sold. */
const reportingDoubts = ({ id, method = "GET" }: PricedRouteOptions, baseUrl: string) => {
  let isReported = false
  return (response: Response | RecordedResponse): Effect.Effect<void> => {
    if (isReported) return Effect.void
    const isSold = !(response instanceof Response)
    if (isSold ? !soldRefusal(response) : !leadsToGoods(response, method, baseUrl)) return Effect.void
    isReported = true
    return report(
      "Warn",
      "sale_doubtful",
      isSold
        ? `priced route ${id} responded with an error and a 2xx, which is charged. If it refused, respond with another status: then nothing is`
        : `priced route ${id} redirected a payer, which isn't charged: only a 2xx is. If that leads to what is sold, or follows work, respond with 200 and the address`,
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
    input: { boundToRequest: true, isHandler: true, doubted: reportingDoubts(options, baseUrl) },
    settlement: { beforeWork: options.settlement === "before-work", ...proofOf(options) },
    response: { encrypted: options.encrypted === true, replayMillis: responseLifetimeMillis },
    price: { _tag: "Fixed", atomic: parseAtomic(price)! },
    work: () => Effect.die(new Error(`the handler of ${options.id} is missing`))
  }
}
