import { Effect, Result, Schema } from "effect"
import { compiled } from "../fast/compiled.ts"
import { type ApiFailure, validationFailure } from "../domain/ApiFailure.ts"
import type { Issue } from "../domain/ApiError.ts"
import { issuesOf } from "../domain/issuesOf.ts"
import type { AnyOperation, OperationInput } from "../operations/Operation.ts"
import type { IncomingRequest } from "./HttpMessage.ts"
import { type Body, readBody, readRawBody } from "./RequestBody.ts"

/** The result of decoding one part of an input: its value, or every fault in it. */
type Decoded<A> = Result.Result<A, ReadonlyArray<Issue>>

/** Makes a decoder that reports every fault of an input at once. Make it once per schema. */
export const decoder = <A>(
  schema: Schema.Codec<A, unknown>,
  faultsBetween: NonNullable<OperationInput<unknown>["faults"]> = () => []
) => {
  const decodeRight = Schema.decodeUnknownResult(compiled(schema))
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: ReadonlyArray<Issue> = []): Decoded<A> => {
    const right = decodeRight(input)
    if (Result.isSuccess(right) && faults.length === 0) return Result.succeed(right.success)
    // Collecting every fault takes several times as long, so it happens only for an invalid input.
    const decoded = Result.isSuccess(right) ? right : decode(input)
    const issues = [...faults]
    const add = (found: ReadonlyArray<Issue>) => {
      for (const issue of found) if (!issues.some(({ path }) => path === issue.path)) issues.push(issue)
    }
    if (Result.isFailure(decoded)) add(issuesOf(decoded.failure))
    if (typeof input === "object" && input !== null) add(faultsBetween(input as Record<string, unknown>))
    return Result.fail(issues)
  }
}

/** The known parameters of a query by name. A repeated one is a fault; unknown ones are ignored. */
export const readQuery = (
  params: URLSearchParams,
  known: ReadonlySet<string>
): { readonly input: Record<string, string>; readonly faults: ReadonlyArray<Issue> } => {
  const input: Record<string, string> = {}
  const faults: Array<Issue> = []
  for (const [name, value] of params) {
    if (!known.has(name)) continue
    if (!Object.hasOwn(input, name)) input[name] = value
    else if (!faults.some(({ path }) => path === name))
      faults.push({ path: name, message: "must be given once" })
  }
  return { input, faults }
}

/** The decoded input of a request, or none: indexers probe without one. */
export type Reading =
  | {
      readonly _tag: "Input"
      readonly input: unknown
      /** The undecoded request: parameters of the path, query, and text of the body. */
      readonly raw: () => unknown
    }
  | {
      readonly _tag: "Nothing"
      /** The response to a paid request without input. */
      readonly fault: ApiFailure
    }

/** Reads an operation's input from a request. `params`: the parameters of the path. */
export type InputReader = (
  request: IncomingRequest,
  params: Readonly<Record<string, string>>
) => Effect.Effect<Reading, ApiFailure>

/** The parameters of a query in one order. */
const sortedQuery = ({ search }: IncomingRequest["url"]) =>
  [...new URLSearchParams(search)].toSorted(([left], [right]) => (left < right ? -1 : 1))

/** The undecoded request. Includes the body's text, since different JSON texts may have the same value. */
const rawOf =
  ({ url }: IncomingRequest, params: Readonly<Record<string, string>>, body: Body = { _tag: "Empty" }) =>
  () => ({ params, query: sortedQuery(url), body: body._tag === "Json" ? body.text : "" })

const asInput = (input: unknown, raw: () => unknown): Effect.Effect<Reading> =>
  Effect.succeed({ _tag: "Input", input, raw })

const none = Result.succeed({})

/** Names of the parameters that a schema of a query reads. */
const namesOf = (schema: Schema.Top): ReadonlySet<string> => {
  const { ast } = Schema.toEncoded(schema)
  return new Set("propertySignatures" in ast ? ast.propertySignatures.map(({ name }) => String(name)) : [])
}

/** A price that depends on the input: a request without any is shown the lowest. */
const isProbed = ({ price }: AnyOperation): boolean => price._tag !== "Fixed"

const queryReader = (operation: AnyOperation): InputReader => {
  const { endpoint, input: { faults } = {} } = operation
  const { params, query } = endpoint
  const decodeParams = params === undefined ? undefined : decoder(codecOf(params))
  const decodeQuery = query === undefined ? undefined : decoder(codecOf(query), faults)
  const known = query === undefined ? new Set<string>() : namesOf(query)
  return (request, pathParams) => {
    const { faults: repeated, input } = readQuery(new URLSearchParams(request.url.search), known)
    const fromPath = decodeParams?.(pathParams) ?? none
    const fromQuery = decodeQuery?.(input, repeated) ?? none
    if (Result.isSuccess(fromPath) && Result.isSuccess(fromQuery))
      return asInput(
        params === undefined
          ? fromQuery.success
          : { ...(fromPath.success as object), ...(fromQuery.success as object) },
        rawOf(request, pathParams)
      )
    const fault = validationFailure([
      ...(Result.isFailure(fromPath) ? fromPath.failure : []),
      ...(Result.isFailure(fromQuery) ? fromQuery.failure : [])
    ])
    const isProbe = isProbed(operation) && request.url.search === ""
    return isProbe ? Effect.succeed({ _tag: "Nothing", fault }) : Effect.fail(fault)
  }
}

const bodyReader = ({ endpoint, input: { faults } = {} }: AnyOperation): InputReader => {
  const [payload] = endpoint.payload.values()
  const [schema] = payload?.schemas ?? []
  const { params } = endpoint
  const decode = decoder(codecOf(schema ?? Schema.Unknown), faults)
  const decodeParams = params === undefined ? undefined : decoder(codecOf(params))
  return Effect.fnUntraced(function* (request, pathParams): Effect.fn.Return<Reading, ApiFailure> {
    const fromPath = decodeParams?.(pathParams) ?? none
    const body = yield* readBody(request.toRequest())
    const given = body._tag === "Empty" ? {} : body.value
    const decoded = decode(given)
    if (Result.isSuccess(decoded) && Result.isSuccess(fromPath))
      return decodeParams === undefined
        ? { _tag: "Input", input: decoded.success, raw: rawOf(request, pathParams, body) }
        : {
            _tag: "Input",
            input: { ...(decoded.success as object), ...(fromPath.success as object) },
            raw: rawOf(request, pathParams, body)
          }
    const failure = validationFailure([
      ...(Result.isFailure(fromPath) ? fromPath.failure : []),
      ...(Result.isFailure(decoded) ? decoded.failure : [])
    ])
    return body._tag === "Empty" ? { _tag: "Nothing", fault: failure } : yield* failure
  })
}

/** For operations that decode with a schema of another library. */
const ownReader = (
  operation: AnyOperation,
  decode: NonNullable<OperationInput<unknown>["decode"]>,
  isGet: boolean
): InputReader =>
  Effect.fnUntraced(function* (request, params): Effect.fn.Return<Reading, ApiFailure> {
    const query = new URLSearchParams(request.url.search)
    const body: Body = isGet ? { _tag: "Empty" } : yield* readBody(request.toRequest())
    const raw = { params, query, body: body._tag === "Empty" ? {} : body.value }
    const decoded = yield* Effect.result(decode(raw))
    if (Result.isSuccess(decoded))
      return {
        _tag: "Input",
        input: decoded.success,
        raw: rawOf(request, params, body)
      }
    const isProbe = isGet ? isProbed(operation) && request.url.search === "" : body._tag === "Empty"
    return isProbe && decoded.failure.status === 400
      ? { _tag: "Nothing", fault: decoded.failure }
      : yield* decoded.failure
  })

/**
 * For a handler of the host, which reads the request itself: path and query as they are sent, in their own encoding.
 */
const requestReader = (isGet: boolean): InputReader =>
  Effect.fnUntraced(function* (request): Effect.fn.Return<Reading, ApiFailure> {
    const body = isGet ? "" : yield* readRawBody(request.toRequest())
    const { pathname, search } = request.url
    return { _tag: "Input", input: undefined, raw: () => ({ pathname, search, body }) }
  })

/** Makes the reader of an operation's input from its endpoint. */
export const inputReader = (operation: AnyOperation): InputReader => {
  const isGet = operation.endpoint.method === "GET"
  const { decode, isHandler = false } = operation.input ?? {}
  if (isHandler) return requestReader(isGet)
  if (decode !== undefined) return ownReader(operation, decode, isGet)
  return isGet ? queryReader(operation) : bodyReader(operation)
}

/** Endpoints decode without services: `Operations` guarantees it. */
const codecOf = (schema: Schema.Top) => schema as Schema.Codec<unknown, unknown>
