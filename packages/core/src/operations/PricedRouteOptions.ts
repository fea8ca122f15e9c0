import type { DecimalText } from "../domain/Money.ts"
import { ownOperationFaults, type OwnOperationOptions } from "./OwnOperationOptions.ts"

/*
 * The options of priced routes: handlers that a host has already, in a framework that hands over their response as a
 * value.
 */

/** A route of the host whose handler is paid. */
export interface PricedRouteOptions extends Omit<
  OwnOperationOptions<never>,
  "method" | "description" | "price"
> {
  /** Default: `"GET"`. */
  readonly method?: "GET" | "POST"
  /** Path below the base URL, as the framework has it: `/weather` or `/weather/:city`. */
  readonly path: string
  /** Dollars as decimal text: `"0.02"`. */
  readonly price: DecimalText
  /** One line for people and agents: shown in the 402 and the documents. Default: method and path. */
  readonly description?: string
  /** Media type of the response, for the documents. Default: `"application/json"`. */
  readonly mimeType?: string
}

const names: ReadonlySet<string> = new Set(
  Object.keys({
    id: true,
    method: true,
    path: true,
    price: true,
    description: true,
    mimeType: true,
    settlement: true,
    proof: true,
    encrypted: true,
    example: true
  } satisfies Record<keyof PricedRouteOptions, true>)
)

const isJson = (value: unknown): boolean => {
  try {
    JSON.stringify(value)
    return true
  } catch {
    return false
  }
}

/** The options of an operation that these stand for. */
export const completeOptions = (options: PricedRouteOptions) => {
  const { method = "GET" } = options
  return { ...options, method, description: options.description ?? `${method} ${options.path}` }
}

/** Every reason why these can't be the options of a priced route. */
export const pricedRouteFaults = (options: PricedRouteOptions): ReadonlyArray<string> => {
  const faults = [...ownOperationFaults({ ...completeOptions(options), work: () => undefined })]
  if (typeof options.price === "object")
    faults.push("price must be fixed; for a price by request, use an operation")
  if (typeof options.path === "string" && /^\/x402(?:\/|$)/.test(options.path))
    faults.push("path must not be below /x402, which the till handles itself")
  if (options.mimeType !== undefined && !/^[\w.+-]+\/[\w.+-]+$/.test(String(options.mimeType)))
    faults.push("mimeType must be a media type such as text/plain")
  if (!isJson(options.example)) faults.push("example must be data that JSON can hold")
  const unknown = Object.keys(options).filter((name) => !names.has(name))
  if (unknown.length > 0) faults.push(`there is no option ${unknown.join(", ")}`)
  return faults
}
