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
  if (status > 299 || typeof body !== "string") return false
  if (looksRefused(body)) return true
  try {
    return body.length <= maxRefusal && looksRefused(JSON.parse(body))
  } catch {
    return false
  }
}

/** Empty responses in a row after which a GET is reported: one may have nothing to say. */
const maxEmpty = 3

/** A promise that nobody awaits is written as `{}`. */
const isEmpty = (body: unknown): boolean => body === "" || body === "{}" || body === null

/** Finds what is doubtful in what a route responds, one response after the other. */
const doubts = ({ id, method = "GET" }: PricedRouteOptions, baseUrl: string) => {
  let empty = 0
  return (response: Response | RecordedResponse): string | undefined => {
    if (response instanceof Response)
      return leadsToGoods(response, method, baseUrl)
        ? `priced route ${id} redirected a payer, which isn't charged: only a 2xx is. If that leads to what is sold, or follows work, respond with 200 and the address`
        : undefined
    if (soldRefusal(response))
      return `priced route ${id} responded with an error and a 2xx, which is charged. If it refused, respond with another status: then nothing is`
    if (response.status <= 299) empty = isEmpty(response.body) && method === "GET" ? empty + 1 : 0
    return empty < maxEmpty
      ? undefined
      : `priced route ${id} has sold ${maxEmpty} empty responses in a row. If its handler sends a promise's result, it must await that`
  }
}

/** Reports, once, what is doubtful: a redirect to what may be sold, or a sale of nothing. */
const reportingDoubts = (options: PricedRouteOptions, baseUrl: string) => {
  const find = doubts(options, baseUrl)
  let isReported = false
  return (response: Response | RecordedResponse): Effect.Effect<void> => {
    const doubt = isReported ? undefined : find(response)
    if (doubt === undefined) return Effect.void
    isReported = true
    return report("Warn", "sale_doubtful", doubt, { operation: options.id })
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
