import { Effect, Result, Schema, SchemaIssue } from "effect"
import { compiled } from "../fast/compiled.ts"
import { type CallContext, tryWithTimeout } from "../runtime/Deadline.ts"
import { ApiFailure, validationFailure } from "../domain/ApiFailure.ts"
import type { Issue } from "../domain/ApiError.ts"
import type { AnyOperation } from "../operations/Operation.ts"
import type { IncomingRequest } from "./HttpMessage.ts"

/** Largest request body that is read. */
export const maxBodyBytes = 64 * 1024

const article = (noun: string): string => (/^[aeiou]/i.test(noun) ? "an" : "a")

/** Says what would be right, in words for the caller; the value itself is never repeated. */
const formatter = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    if (issue._tag === "MissingKey") return "is required"
    const message = SchemaIssue.defaultLeafHook(issue)
    const expected = /^Expected (.+)$/.exec(message)?.[1]
    if (expected === undefined) return message
    if (expected.includes(" | "))
      return `must be one of ${expected.replaceAll('"', "").replaceAll(" | ", ", ")}`
    if (expected.startsWith('"')) return `must be ${expected}`
    const noun = /^(string|number|boolean|array|integer)$/.test(expected) ? expected : "object"
    return `must be ${article(noun)} ${noun}`
  }
})

const toIssues = (error: Schema.SchemaError): ReadonlyArray<Issue> =>
  formatter(error.issue).issues.map(({ message, path }) => ({
    path: (path ?? []).map((part) => String(typeof part === "object" ? part.key : part)).join("."),
    message
  }))

/** The result of decoding one part of an input: its value, or every fault in it. */
type Decoded<A> = Result.Result<A, ReadonlyArray<Issue>>

/** Makes a decoder that reports every fault of an input at once. Make it once per schema. */
export const decoder = <A>(
  schema: Schema.Codec<A, unknown>,
  faultsBetween: NonNullable<AnyOperation["faults"]> = () => []
) => {
  const decodeRight = Schema.decodeUnknownResult(compiled(schema))
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: ReadonlyArray<Issue> = []): Decoded<A> => {
    const right = decodeRight(input)
    if (Result.isSuccess(right) && faults.length === 0) return Result.succeed(right.success)
    // Collecting every fault takes several times as long, so it is done only where there is one.
    const decoded = Result.isSuccess(right) ? right : decode(input)
    const issues = [...faults]
    const add = (found: ReadonlyArray<Issue>) => {
      for (const issue of found) if (!issues.some(({ path }) => path === issue.path)) issues.push(issue)
    }
    if (Result.isFailure(decoded)) add(toIssues(decoded.failure))
    if (typeof input === "object" && input !== null) add(faultsBetween(input as Record<string, unknown>))
    return Result.fail(issues)
  }
}

/** The known parameters of a query by name; one that comes twice is a fault, never a guess. Others are ignored. */
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

const tooLarge = new ApiFailure({
  status: 413,
  code: "BODY_TOO_LARGE",
  message: `The body is larger than ${maxBodyBytes} bytes.`
})
const malformed = new ApiFailure({
  status: 400,
  code: "MALFORMED_JSON",
  message: "The body is not valid JSON in UTF-8."
})
const wrongType = new ApiFailure({
  status: 415,
  code: "UNSUPPORTED_MEDIA_TYPE",
  message: "Send the body as application/json, not compressed."
})

const tooSlow = new ApiFailure({
  status: 408,
  code: "BODY_TOO_SLOW",
  message: "The body did not come to its end in time. Nothing was charged; send the request again."
})

/** Longest that a body may take: 64 KiB over the slowest of lines. */
const bodyTimeoutMillis = 15_000

const utf8 = new TextDecoder("utf-8", { fatal: true })

const readBytes = async (
  body: ReadableStream<Uint8Array>,
  { signal }: CallContext
): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = body.getReader()
  // The deadline cancels the reader, which ends a pending read.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBodyBytes) {
      // Ignore errors of the canceled sender: they don't change the response.
      await reader.cancel().catch(() => undefined)
      return undefined
    }
    chunks.push(value)
  }
  if (chunks.length === 1) return chunks[0]
  const whole = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    whole.set(chunk, offset)
    offset += chunk.byteLength
  }
  return whole
}

/** The body of a request: `Empty` for none, and for `{}`, which indexers send as a probe. */
type Body =
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Json"; readonly value: unknown; readonly text: string }

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

/** Reads a JSON body, bounded. */
const readBody = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Body, ApiFailure> {
  const { body } = request
  if (body === null) return { _tag: "Empty" }
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return yield* tooLarge
  const bytes = yield* tryWithTimeout({
    timeoutMillis: bodyTimeoutMillis,
    call: (context) => readBytes(body, context),
    catch: () => malformed,
    onTimeout: () => tooSlow
  })
  if (bytes === undefined) return yield* tooLarge
  if (bytes.byteLength === 0) return { _tag: "Empty" }
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null && encoding !== "identity") return yield* wrongType
  const type = request.headers.get("content-type")
  if (type !== null && !/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(type)) return yield* wrongType
  return yield* Effect.try({
    try: (): Body => {
      const text = utf8.decode(bytes)
      const value: unknown = JSON.parse(text)
      return isEmptyObject(value) ? { _tag: "Empty" } : { _tag: "Json", value, text }
    },
    catch: () => malformed
  })
})

/** The decoded input of a request, or none, which is how indexers probe. */
export type Reading =
  | {
      readonly _tag: "Input"
      readonly input: unknown
      /** The request as it came: parameters of the path, query, and text of the body. */
      readonly raw: () => unknown
    }
  | {
      readonly _tag: "Nothing"
      /** The response to a paid request without input. */
      readonly fault: ApiFailure
    }

/** Reads the input of an operation from a request. `params`: the parameters of the path. */
export type InputReader = (
  request: IncomingRequest,
  params: Readonly<Record<string, string>>
) => Effect.Effect<Reading, ApiFailure>

/** The request before it was decoded. The text of a body, since JSON may read two texts as one value. */
const rawOf =
  ({ url }: IncomingRequest, params: Readonly<Record<string, string>>, body: Body = { _tag: "Empty" }) =>
  () => ({
    params,
    query: [...new URLSearchParams(url.search)].toSorted(([left], [right]) => (left < right ? -1 : 1)),
    body: body._tag === "Json" ? body.text : ""
  })

const asInput = (input: unknown, raw: () => unknown): Effect.Effect<Reading> =>
  Effect.succeed({ _tag: "Input", input, raw })

const none = Result.succeed({})

/** Names of the parameters that a schema of a query reads. */
const namesOf = (schema: Schema.Top): ReadonlySet<string> => {
  const { ast } = Schema.toEncoded(schema)
  return new Set("propertySignatures" in ast ? ast.propertySignatures.map(({ name }) => String(name)) : [])
}

const queryReader = ({ endpoint, faults }: AnyOperation): InputReader => {
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
    return Effect.fail(
      validationFailure([
        ...(Result.isFailure(fromPath) ? fromPath.failure : []),
        ...(Result.isFailure(fromQuery) ? fromQuery.failure : [])
      ])
    )
  }
}

const bodyReader = ({ endpoint, faults }: AnyOperation): InputReader => {
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

/** For operations that decode by themselves: by a schema of another library. */
const ownReader = (decode: NonNullable<AnyOperation["decode"]>, isGet: boolean): InputReader =>
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
    return !isGet && body._tag === "Empty"
      ? { _tag: "Nothing", fault: decoded.failure }
      : yield* decoded.failure
  })

/** The reader of an operation's input, made from its endpoint. */
export const inputReader = (operation: AnyOperation): InputReader => {
  const isGet = operation.endpoint.method === "GET"
  if (operation.decode !== undefined) return ownReader(operation.decode, isGet)
  return isGet ? queryReader(operation) : bodyReader(operation)
}

/** Endpoints decode without services: `Operations` are made so. */
const codecOf = (schema: Schema.Top) => schema as Schema.Codec<unknown, unknown>
