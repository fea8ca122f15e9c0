import { Effect, Result, Schema, SchemaIssue } from "effect"
import { compiled } from "./compiled.ts"
import { type Asking, askWithin } from "./Deadline.ts"
import { ApiFailure, validationFailure } from "./ApiFailure.ts"
import type { Issue } from "./domain/ApiError.ts"

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

/** A decoder that names every fault of an input in one failure. Make it once. */
export const decoder = <A>(
  schema: Schema.Codec<A, unknown>,
  /** Faults between fields, which a schema looks for only once each field is right. */
  faultsBetween: (input: Readonly<Record<string, unknown>>) => ReadonlyArray<Issue> = () => []
) => {
  const decodeRight = Schema.decodeUnknownResult(compiled(schema))
  const decode = Schema.decodeUnknownResult(schema, { errors: "all" })
  return (input: unknown, faults: ReadonlyArray<Issue> = []): Result.Result<A, ApiFailure> => {
    const right = decodeRight(input)
    if (Result.isSuccess(right) && faults.length === 0) return Result.succeed(right.success)
    // Looking for every fault takes several times as long: only where there is one.
    const decoded = Result.isSuccess(right) ? right : decode(input)
    const issues = [...faults]
    const add = (found: ReadonlyArray<Issue>) => {
      for (const issue of found) if (!issues.some(({ path }) => path === issue.path)) issues.push(issue)
    }
    if (Result.isFailure(decoded)) add(toIssues(decoded.failure))
    if (typeof input === "object" && input !== null) add(faultsBetween(input as Record<string, unknown>))
    return Result.fail(validationFailure(issues))
  }
}

/** The known parameters of a query by name; one that comes twice is a fault, never a guess. Others are ignored. */
export const readQuery = (
  params: URLSearchParams,
  known: ReadonlySet<string>
): { readonly input: Record<string, string>; readonly faults: ReadonlyArray<Issue> } => {
  const input: Record<string, string> = Object.create(null)
  const faults: Array<Issue> = []
  for (const [name, value] of params) {
    if (!known.has(name)) continue
    if (!(name in input)) input[name] = value
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
  { signal }: Asking
): Promise<Uint8Array | undefined> => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const reader = body.getReader()
  // Who sends no more is not waited for any longer; a read that waits ends with it.
  signal.addEventListener("abort", () => void reader.cancel().catch(() => undefined), { once: true })
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    size += value.byteLength
    if (size > maxBodyBytes) {
      // Whether the sender minds being cut off makes no difference to the answer.
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

/** What stands in a request's body: `Empty` for none, or for `{}`, which is how indexers probe. */
export type Body = { readonly _tag: "Empty" } | { readonly _tag: "Json"; readonly value: unknown }

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length === 0

/** Reads a JSON body, bounded. */
export const readBody = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Body, ApiFailure> {
  const { body } = request
  if (body === null) return { _tag: "Empty" }
  if (Number(request.headers.get("content-length") ?? 0) > maxBodyBytes) return yield* tooLarge
  const bytes = yield* askWithin({
    millis: bodyTimeoutMillis,
    ask: (asking) => readBytes(body, asking),
    catch: () => malformed,
    onLapse: () => tooSlow
  })
  if (bytes === undefined) return yield* tooLarge
  if (bytes.byteLength === 0) return { _tag: "Empty" }
  const encoding = request.headers.get("content-encoding")
  if (encoding !== null && encoding !== "identity") return yield* wrongType
  const type = request.headers.get("content-type")
  if (type !== null && !/^application\/(?:json|[\w.+-]+\+json)\s*(?:;|$)/i.test(type)) return yield* wrongType
  const value = yield* Effect.try({
    try: (): unknown => JSON.parse(utf8.decode(bytes)),
    catch: () => malformed
  })
  return isEmptyObject(value) ? { _tag: "Empty" } : { _tag: "Json", value }
})
