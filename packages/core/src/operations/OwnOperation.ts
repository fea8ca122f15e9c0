import { Effect, Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import { ApiFailure, nothingCharged } from "../domain/ApiFailure.ts"
import { type Example, type Operation, pathPattern } from "./Operation.ts"
import { OperationSettings } from "./OperationSettings.ts"
import { type OwnPrice, ownPrice, priceFault } from "./OwnPrice.ts"
import { commonErrors, failure, respondText } from "./RouteParts.ts"

/*
 * A host's own operations: paid routes with all features of the contract's seven.
 */

/** The options that both styles share. */
export interface OwnOperationOptions<Input> {
  /** Names the operation in the ledger and the documents: `weather`. */
  readonly id: string
  /** `GET` takes its input from path and query; `POST` from path and JSON body. */
  readonly method: "GET" | "POST"
  /** Path below the mount: `/weather` or `/weather/:city`. */
  readonly path: string
  /** One line for people and agents: shown in the 402 and the documents. */
  readonly description: string
  readonly price: OwnPrice<Input>
  /**
   * When the payment settles. `"after-work"`: failed work costs the caller nothing. `"before-work"`: you do no work for
   * a payment that doesn't settle. Default: `"after-work"`.
   */
  readonly settlement?: "after-work" | "before-work"
  /** The response contains personal data or a secret: it is stored encrypted. Default: `false`. */
  readonly encrypted?: boolean
  /** An input and its response, for indexers and agents. */
  readonly example?: Example
}

/** Ids of the contract's routes, which stay reserved where a till doesn't serve them. `api/Api.ts` checks the list. */
export const contractIds = [
  "search",
  "shop",
  "buy",
  "track",
  "vaultSearch",
  "vaultBuy",
  "vaultDownload"
] as const

const idPattern = /^[A-Za-z][\w-]{0,63}$/

/** The first part must be a name, so that a path can't be mistaken for one below another prefix. */
const isOwnPath = (path: string): boolean => {
  const [first = "", ...parts] = path.slice(1).split("/")
  const params = parts.filter((part) => part.startsWith(":"))
  return (
    pathPattern.test(path) &&
    !first.startsWith(":") &&
    ![first, ...parts].some((part) => /^\.+$/.test(part) || part === ":__proto__") &&
    new Set(params).size === params.length
  )
}

/** Lists every fault in an operation's options. */
export const ownOperationFaults = (given: Readonly<Record<string, unknown>>): ReadonlyArray<string> => {
  const { id, method, path, price, work } = given
  const faults: Array<string> = []
  if (typeof id !== "string" || !idPattern.test(id)) faults.push("id must be a name such as weather")
  else if (contractIds.some((contractId) => contractId === id))
    faults.push("this id belongs to a route of the contract")
  if (method !== "GET" && method !== "POST") faults.push(`method must be "GET" or "POST"`)
  if (typeof path !== "string" || !isOwnPath(path))
    faults.push("path must be a path such as /weather or /weather/:city, each parameter once")
  if (typeof given["description"] !== "string" || given["description"] === "")
    faults.push("description must be one line that describes what is sold")
  const fault = priceFault(price)
  if (fault !== undefined) faults.push(fault)
  if (![undefined, "after-work", "before-work"].includes(given["settlement"] as string | undefined))
    faults.push(`settlement must be "after-work" or "before-work"`)
  if (typeof work !== "function") faults.push("work must be a function of the input")
  return faults
}

/** Names of the parameters in a path: `/weather/:city` has `city`. */
const paramNames = (path: string): ReadonlyArray<string> =>
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
    success: output,
    error: [...commonErrors, failure(403), failure(404), failure(422)]
  }
  const at = path as `/${string}`
  const endpoint =
    method === "GET"
      ? HttpApiEndpoint.get(id, at, { ...common, query: rest })
      : HttpApiEndpoint.post(id, at, { ...common, payload: Schema.Struct(rest) })
  return endpoint.annotateMerge(OpenApi.annotations({ summary: description, description }))
}

/** 503: the work of a host's operation missed its deadline. */
export const timedOut = (id: string) =>
  new ApiFailure({
    status: 503,
    code: "OPERATION_TIMEOUT",
    message: `${id} took too long.${nothingCharged} Retry later.`,
    retryAfterSeconds: 30
  })

/** Maximum response of an operation, in characters of JSON: it is stored with its charge. */
export const maxResponseLength = 1024 * 1024

/**
 * The JSON of what an operation returned.
 *
 * @throws TypeError if it isn't JSON data: the caller must not be charged for an empty object
 */
const jsonOf = (id: string, output: unknown): string => {
  const isData = ![Response, Error, Map, Set].some((kind) => output instanceof kind)
  const text = isData ? JSON.stringify(output ?? null) : undefined
  if (typeof text !== "string") throw new TypeError(`operation ${id} must return data that JSON can hold`)
  if (text.length > maxResponseLength)
    throw new TypeError(`operation ${id} must return at most ${maxResponseLength} characters of JSON`)
  return text
}

/** A refusal by the host's function; a status other than these is a defect. */
export const refused = (failure: ApiFailure): Effect.Effect<never, ApiFailure> => {
  const { status } = failure
  const isRefusal = Number.isInteger(status) && status >= 400 && status < 500 && status !== 402
  return isRefusal || status === 502 || status === 503
    ? Effect.fail(failure)
    : Effect.die(
        new RangeError(`the status of an ApiFailure must be 4xx but 402, or 502, or 503: got ${status}`)
      )
}

/** Makes an operation from the options that both styles share. */
export const ownOperation = Effect.fnUntraced(function* <Input>(
  options: OwnOperationOptions<Input>,
  parts: Pick<Operation<Input>, "endpoint" | "decode"> & {
    /** Returns the response as JSON. */
    readonly work: (input: Input) => Effect.Effect<unknown, ApiFailure>
  }
): Effect.fn.Return<Operation<Input>, never, OperationSettings> {
  const { description, example = { input: {}, output: undefined }, id, price, settlement } = options
  const { responseLifetimeMillis } = yield* OperationSettings
  return {
    endpoint: parts.endpoint,
    ...(parts.decode === undefined ? {} : { decode: parts.decode }),
    description,
    mimeType: "application/json",
    example,
    encrypted: options.encrypted === true,
    boundToRequest: true,
    replayMillis: responseLifetimeMillis,
    settlesFirst: settlement === "before-work",
    price: ownPrice(id, price, description),
    work: (input) =>
      Effect.suspend(() => parts.work(input)).pipe(
        Effect.catchEager(refused),
        Effect.flatMap((output) =>
          output instanceof ApiFailure ? refused(output) : Effect.sync(() => respondText(jsonOf(id, output)))
        )
      )
  }
})
