import { Effect, Result, Schema } from "effect"
import { compiled } from "../runtime/compiled.ts"
import { isObject } from "../runtime/isObject.ts"
import { type ApiFailure, validationFailure } from "../domain/ApiFailure.ts"
import type { Issue } from "../domain/ApiError.ts"
import { issuesOf } from "../domain/issuesOf.ts"
import type { AnyOperation, OperationInput } from "../operations/Operation.ts"
import { exampleMatcher } from "./Examples.ts"
import type { IncomingRequest } from "./HttpMessage.ts"
import { type Body, readBody, readRawBody } from "./RequestBody.ts"
import { unknownFields } from "./UnknownFields.ts"

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
    const between =
      typeof input === "object" && input !== null ? faultsBetween(input as Record<string, unknown>) : []
    if (Result.isSuccess(right) && faults.length === 0 && between.length === 0)
      return Result.succeed(right.success)
    // Collecting every fault takes several times as long, so it happens only for an invalid input.
    const decoded = Result.isSuccess(right) ? right : decode(input)
    const issues = [...faults]
    const add = (found: ReadonlyArray<Issue>) => {
      for (const issue of found) if (!issues.some(({ path }) => path === issue.path)) issues.push(issue)
    }
    if (Result.isFailure(decoded)) add(issuesOf(decoded.failure))
    add(between)
    return Result.fail(issues)
  }
}

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Names in a query whose value isn't UTF-8 in percent-encoding: a URL parser reads other text than was sent. */
const malformedIn = (search: string): ReadonlyArray<string> =>
  !search.includes("%") || isEncoded(search)
    ? []
    : search
        .replace(/^\?/, "")
        .split("&")
        .filter((pair) => !isEncoded(pair))
        .flatMap((pair) => [...new URLSearchParams(pair).keys()])

/** The parameters of a query by name. A known one that is repeated or malformed is a fault. */
export const readQuery = (
  search: string,
  known: ReadonlySet<string>
): { readonly input: Record<string, string>; readonly faults: ReadonlyArray<Issue> } => {
  const input: Record<string, string> = {}
  const faults: Array<Issue> = []
  const add = (path: string, message: string) => {
    if (known.has(path) && !faults.some((fault) => fault.path === path)) faults.push({ path, message })
  }
  for (const name of malformedIn(search)) add(name, "must be UTF-8 in percent-encoding: send % as %25")
  for (const [name, value] of new URLSearchParams(search)) {
    if (Object.hasOwn(input, name)) add(name, "must be given once")
    else input[name] = value
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
      /** Whether the request is the published example. */
      readonly isExample: () => boolean
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

/** The parts of a request that an input is decoded from. */
interface InputParts {
  readonly request: IncomingRequest
  /** The parameters of the path. */
  readonly params: Readonly<Record<string, string>>
  /** `Empty` for a GET. */
  readonly body: Body
}

/** The undecoded request. Includes the body's text, since different JSON texts may have the same value. */
const rawOf =
  ({ body, params, request: { url } }: InputParts) =>
  () => ({ params, query: sortedQuery(url), body: body._tag === "Json" ? body.text : "" })

/** Decodes an input; fails with every fault in it. */
type DecodeInput = (parts: InputParts) => Effect.Effect<unknown, ApiFailure>

const none = Result.succeed({})

const faultsIn = (decoded: Decoded<unknown>): ReadonlyArray<Issue> =>
  Result.isFailure(decoded) ? decoded.failure : []

/** Names of the parameters that a schema of a query reads. */
const namesOf = (schema: Schema.Top): ReadonlySet<string> => {
  const { ast } = Schema.toEncoded(schema)
  return new Set("propertySignatures" in ast ? ast.propertySignatures.map(({ name }) => String(name)) : [])
}

/** Decodes the query of a GET, or the body of a POST, by the schema of the operation's endpoint. */
const contentDecoder = (
  { endpoint, input: { faults, otherNames = {} } = {} }: AnyOperation,
  refuseUnknown: boolean
) => {
  const { method, payload, query } = endpoint
  if (method === "GET") {
    if (query === undefined) return () => none
    const decode = decoder(codecOf(query), faults)
    const known = namesOf(query)
    const unknownIn = unknownFields(query, { otherNames, refuseUnknown })
    return ({ request }: InputParts) => {
      const { faults: malformed, input } = readQuery(request.url.search, known)
      return decode(input, [...malformed, ...unknownIn(input)])
    }
  }
  const schema = [...payload.values()][0]?.schemas[0] ?? Schema.Unknown
  const decode = decoder(codecOf(schema), faults)
  const unknownIn = unknownFields(schema, { otherNames, refuseUnknown })
  return ({ body }: InputParts) => {
    const input = body._tag === "Empty" ? {} : body.value
    const decoded = decode(input, unknownIn(input as object))
    if (Result.isSuccess(decoded) || body._tag === "Empty" || !body.text.includes("null")) return decoded
    const present = withoutNulls(input, decoded.failure)
    return decode(present, unknownIn(present as object))
  }
}

/** Without the members that are `null` where the schema has a fault: for an optional one that means absent. */
const withoutNulls = (input: unknown, faults: ReadonlyArray<Issue>): unknown => {
  const copy: unknown = structuredClone(input)
  for (const { path } of faults) {
    const names = path.split(".")
    const last = names.pop()!
    const holder = names.reduce<unknown>(
      (value, name) => (isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined),
      copy
    )
    if (isObject(holder) && holder[last] === null) delete holder[last]
  }
  return copy
}

/** Decodes an input by the schemas of the operation's endpoint. */
const endpointDecoder = (operation: AnyOperation, refuseUnknown: boolean): DecodeInput => {
  const { params: schema } = operation.endpoint
  const decodeParams = schema === undefined ? undefined : decoder(codecOf(schema))
  const decodeContent: (parts: InputParts) => Decoded<unknown> = contentDecoder(operation, refuseUnknown)
  return (parts) => {
    const fromPath = decodeParams?.(parts.params) ?? none
    const content = decodeContent(parts)
    if (Result.isFailure(fromPath) || Result.isFailure(content))
      return Effect.fail(validationFailure([...faultsIn(fromPath), ...faultsIn(content)]))
    return Effect.succeed(
      decodeParams === undefined
        ? content.success
        : { ...(content.success as object), ...(fromPath.success as object) }
    )
  }
}

/** For operations that decode with a schema of another library. */
const ownDecoder =
  (decode: NonNullable<OperationInput<unknown>["decode"]>): DecodeInput =>
  ({ body, params, request }) =>
    decode({
      params,
      query: new URLSearchParams(request.url.search),
      body: body._tag === "Empty" ? {} : body.value
    })

/**
 * Whether a request that isn't valid is shown a price: one without input, and the example, which the host's upstream may
 * not serve. A price that depends on the input has a lowest one, which a GET without a query is shown.
 */
const probeTest = ({ endpoint, price }: AnyOperation, isExample: (parts: InputParts) => boolean) => {
  const isPriced = price._tag !== "Fixed"
  const isEmpty = ({ body, request }: InputParts) =>
    endpoint.method === "GET" ? isPriced && request.url.search === "" : body._tag === "Empty"
  return (parts: InputParts): boolean => isEmpty(parts) || (isPriced && isExample(parts))
}

const decodedReader = (operation: AnyOperation, decode: DecodeInput): InputReader => {
  const isExample = exampleMatcher(operation)
  const isProbe = probeTest(operation, isExample)
  return Effect.fnUntraced(function* (request, params): Effect.fn.Return<Reading, ApiFailure> {
    const isGet = operation.endpoint.method === "GET"
    const body: Body = isGet ? { _tag: "Empty" } : yield* readBody(request.toRequest())
    const parts = { request, params, body }
    const decoded = yield* Effect.result(decode(parts))
    if (Result.isSuccess(decoded))
      return {
        _tag: "Input",
        input: decoded.success,
        raw: rawOf(parts),
        isExample: () => isExample(parts)
      }
    const fault = decoded.failure
    return fault.status === 400 && isProbe(parts) ? { _tag: "Nothing", fault } : yield* fault
  })
}

/**
 * For a handler of the host, which reads the request itself: path and query as they are sent, in their own encoding.
 */
const requestReader = (isGet: boolean): InputReader =>
  Effect.fnUntraced(function* (request): Effect.fn.Return<Reading, ApiFailure> {
    const body = isGet ? "" : yield* readRawBody(request.toRequest())
    const { pathname, search } = request.url
    return {
      _tag: "Input",
      input: undefined,
      raw: () => ({ pathname, search, body }),
      isExample: () => false
    }
  })

/** Makes the reader of an operation's input from its endpoint. `refuseUnknown`: names that it doesn't have are faults. */
export const inputReader = (operation: AnyOperation, refuseUnknown = false): InputReader => {
  const { decode, isHandler = false } = operation.input ?? {}
  if (isHandler) return requestReader(operation.endpoint.method === "GET")
  return decodedReader(
    operation,
    decode === undefined ? endpointDecoder(operation, refuseUnknown) : ownDecoder(decode)
  )
}

/** Endpoints decode without services: `Operations` guarantees it. */
const codecOf = (schema: Schema.Top) => schema as Schema.Codec<unknown, unknown>
