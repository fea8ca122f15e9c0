import { Effect, Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"
import { parseAtomic } from "../domain/Money.ts"
import { report } from "../runtime/events.ts"
import { namedFields } from "./InputFields.ts"
import { looksRefused } from "./HostWork.ts"
import { lossyJson } from "./lossyJson.ts"
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

/** Neither a refusal nor what is empty has more characters. */
const maxDoubted = 2_000

/** The data of a short response in JSON; else its text. */
const dataOf = (body: string): unknown => {
  if (body.length > maxDoubted) return body
  try {
    return JSON.parse(body)
  } catch {
    return body
  }
}

/** Empty responses in a row after which a GET is reported: one may have nothing to say. */
const maxEmpty = 3

/** Whether data is nothing but one `{}`, as which a promise that nobody awaits is written. Of several, each may be data. */
const isHollow = (data: unknown): boolean => {
  if (typeof data !== "object" || data === null) return false
  const members = Object.values(data)
  return members.length > 0 ? members.length < 2 && isHollow(members[0]) : !Array.isArray(data)
}

/** Finds what is doubtful in what a route responds, one response after the other. */
const doubts = ({ id, method = "GET" }: PricedRouteOptions, baseUrl: string) => {
  let empty = 0
  return (response: Response | RecordedResponse): string | undefined => {
    if (response instanceof Response)
      return leadsToGoods(response, method, baseUrl)
        ? `priced route ${id} redirected a payer, which isn't charged: only a 2xx is. If that leads to what is sold, or follows work, respond with 200 and the address`
        : undefined
    if (response.status > 299) return undefined
    const { body } = response
    const data = typeof body === "string" ? dataOf(body) : undefined
    if (looksRefused(data))
      return `priced route ${id} responded with an error and a 2xx, which is charged. If it refused, respond with another status: then nothing is`
    // A POST may have nothing to say.
    const isEmpty = isHollow(data) ? method === "GET" || body !== "{}" : method === "GET" && !body
    empty = isEmpty ? empty + 1 : 0
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
    input: { boundToRequest: true, isHandler: true, lossyJson, doubted: reportingDoubts(options, baseUrl) },
    settlement: { beforeWork: options.settlement === "before-work", ...proofOf(options) },
    response: { encrypted: options.encrypted === true, replayMillis: responseLifetimeMillis },
    price: { _tag: "Fixed", atomic: parseAtomic(price)! },
    work: () => Effect.die(new Error(`the handler of ${options.id} is missing`))
  }
}
