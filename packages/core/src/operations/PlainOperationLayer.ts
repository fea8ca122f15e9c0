import { Effect, type Layer, Schema } from "effect"
import type { Issue } from "../domain/ApiError.ts"
import { type ApiFailure, validationFailure } from "../domain/ApiFailure.ts"
import { report } from "../runtime/events.ts"
import { handedToFunction } from "../runtime/span.ts"
import { causeName } from "../runtime/causeName.ts"
import type { CallContext } from "../runtime/Deadline.ts"
import { reportingDefects, timedOut } from "./HostDefects.ts"
import { refused } from "./HostWork.ts"
import { fieldTypes, namedFields, standardFields } from "./InputFields.ts"
import { type Operations, operationLayer, type RawInput } from "./Operation.ts"
import { OperationSettings } from "./OperationSettings.ts"
import { ownEndpoint, ownOperation, paramNames } from "./OwnOperation.ts"
import type { AnyPlainOperation, StandardSchema } from "./PlainOperation.ts"

/** The value that a schema validates: the path's parameters with those of the query or the fields of the body. */
const valueOf = ({ body, params, query }: RawInput, isGet: boolean): unknown => {
  if (isGet) return { ...Object.fromEntries(query), ...params }
  if (typeof body !== "object" || body === null || Array.isArray(body)) return body
  return { ...body, ...params }
}

const repeatedIn = (query: URLSearchParams): ReadonlyArray<Issue> =>
  [...new Set(query.keys())]
    .filter((name) => query.getAll(name).length > 1)
    .map((path) => ({ path, message: "must be given once" }))

type Issues = NonNullable<Awaited<ReturnType<StandardSchema["~standard"]["validate"]>>["issues"]>

const pathOf = (path: Issues[number]["path"] = []): string =>
  path.map((part) => String(typeof part === "object" ? part.key : part)).join(".")

const validate = async (
  schema: StandardSchema | undefined,
  raw: RawInput,
  isGet: boolean
): Promise<unknown> => {
  const repeated = isGet ? repeatedIn(raw.query) : []
  if (repeated.length > 0) throw validationFailure(repeated)
  if (schema === undefined) return raw.params
  const result = await schema["~standard"].validate(valueOf(raw, isGet))
  if (result.issues === undefined) return result.value
  throw validationFailure(result.issues.map(({ message, path }) => ({ path: pathOf(path), message })))
}

/** What a text means as a value of a JSON type; `undefined`: nothing. */
const typedValue = (type: unknown, text: string): unknown => {
  if (type === "array") return [text]
  const value = type === "boolean" ? text === "true" : Number(text)
  return ["boolean", "integer", "number"].includes(String(type)) && String(value) === text ? value : undefined
}

/** A field of path or query whose text the schema refuses, while it takes what its documents say: the number of that text. */
const unconverted = async (
  standard: StandardSchema["~standard"],
  types: ReturnType<typeof fieldTypes>,
  raw: RawInput,
  isGet: boolean
) => {
  const isRefused = async (name: string, value: unknown) => {
    const given = { ...Object(valueOf(raw, isGet)), [name]: value }
    const { issues = [] } = await standard.validate(given)
    return issues.some(({ path }) => pathOf(path) === name)
  }
  const texts = { ...(isGet ? Object.fromEntries(raw.query) : {}), ...raw.params }
  for (const [name, text] of Object.entries(texts)) {
    const value = typedValue(types.get(name), text)
    if (value !== undefined && (await isRefused(name, text)) && !(await isRefused(name, value))) return name
  }
  return undefined
}

/** The fields that documents name: those of the input's schema where that lists them, else those of the example. */
const fieldsOf = ({ example, input }: AnyPlainOperation): Schema.Struct.Fields =>
  (input === undefined ? undefined : standardFields(input["~standard"])) ??
  namedFields(Object.keys(example?.input ?? {}))

const call = <A>(
  id: string,
  timeoutMillis: number,
  run: (context: CallContext) => PromiseLike<A>
): Effect.Effect<A, ApiFailure> =>
  handedToFunction(
    Effect.tryPromise({ try: async (signal) => run({ signal }), catch: (cause) => cause })
  ).pipe(
    Effect.catch(refused),
    Effect.timeoutOrElse({ duration: timeoutMillis, orElse: () => Effect.fail(timedOut(id)) })
  )

/** The example as a request: what is in the path or the query is text. */
const exampleRequest = (
  { example, path }: AnyPlainOperation,
  isGet: boolean
): Parameters<typeof valueOf>[0] => {
  const fields = Object.entries(example?.input ?? {}).filter(([, value]) => value !== undefined)
  const isParam = ([name]: readonly [string, unknown]) => path.split("/").includes(`:${name}`)
  const texts = (chosen: ReadonlyArray<[string, unknown]>) =>
    chosen.map(([name, value]): [string, string] => [name, String(value)])
  const rest = fields.filter((field) => !isParam(field))
  return {
    params: Object.fromEntries(texts(fields.filter(isParam))),
    query: new URLSearchParams(isGet ? texts(rest) : []),
    body: isGet ? undefined : Object.fromEntries(rest)
  }
}

const cure = "Values of path and query are text: convert them, as z.coerce does"

/** Whether the operation's own example is no request for it: then it probably refuses every one that is paid for. */
const exampleRisk = Effect.fnUntraced(function* (options: AnyPlainOperation, timeoutMillis: number) {
  const { example, id, input, method, path } = options
  if (example === undefined) return {}
  const risk = (fault: string, cure: string) => ({
    risk: { setting: `operations.${id}`, problem: `operation ${id}: ${fault}`, cure }
  })
  const missing = paramNames(path).filter((name) => example.input?.[name] === undefined)
  if (missing.length > 0)
    return risk(
      `its example lacks ${missing.join(" and ")} of its path ${path}`,
      "Give it there, and by the same name in input"
    )
  const isGet = method === "GET"
  const refusal = yield* call(id, timeoutMillis, () =>
    validate(input, exampleRequest(options, isGet), isGet)
  ).pipe(
    Effect.as(undefined),
    Effect.catch((failure) => Effect.succeed(failure.message)),
    // Its message may quote what it has read elsewhere.
    Effect.catchDefect((defect) => Effect.succeed(causeName(defect)))
  )
  return refusal === undefined
    ? {}
    : risk(`its input refuses its own example: ${refusal}`, `Correct one of them. ${cure}`)
})

/** The refused calls that are looked at: later ones, which may be strangers', cost nothing more. */
const lookedAt = 20

/** Reports once that an operation's input takes no text; the caller only learns that a value is wrong. */
const reportingText = ({ id, input, method }: AnyPlainOperation, timeoutMillis: number) => {
  const standard = input?.["~standard"]
  let left = lookedAt
  let isReported = false
  let types: ReturnType<typeof fieldTypes> | undefined
  return (raw: RawInput) =>
    Effect.suspend(() => {
      if (standard === undefined || isReported || left === 0) return Effect.undefined
      left--
      const known = (types ??= fieldTypes(standard))
      return call(id, timeoutMillis, () => unconverted(standard, known, raw, method === "GET"))
    }).pipe(
      Effect.flatMap((name) => {
        if (name === undefined || isReported) return Effect.void
        isReported = true
        return report(
          "Warn",
          "risky_setting",
          `operation ${id}: its input refuses ${name} as text, and takes it as its documents say. ${cure}`,
          { operation: id, reason: `operations.${id}` }
        )
      }),
      Effect.ignoreCause
    )
}

/** A paid route of a host as a layer. */
export const plainOperation = (
  options: AnyPlainOperation
): Layer.Layer<never, never, Operations | OperationSettings> =>
  operationLayer(
    Effect.gen(function* () {
      const settings = yield* OperationSettings
      const { upstreamTimeoutMillis } = settings
      const { id, method } = options
      const isGet = method === "GET"
      const reportText = reportingText(options, upstreamTimeoutMillis)
      const operation = yield* ownOperation(options, {
        endpoint: ownEndpoint(options, fieldsOf(options), Schema.Unknown),
        decode: (raw) =>
          Effect.tapError(
            call(id, upstreamTimeoutMillis, () => validate(options.input, raw, isGet)),
            () => reportText(raw)
          ),
        work: (input) => call(id, upstreamTimeoutMillis, async (context) => options.work(input, context))
      })
      const risk = yield* exampleRisk(options, upstreamTimeoutMillis)
      return reportingDefects({ ...operation, documents: { ...operation.documents, ...risk } }, settings)
    })
  )
