import { Effect, Result, Schema } from "effect"
import { AiError, type Response, Tool } from "effect/ai"

/*
 * Responses of the chat-completions protocol. Servers differ in the fields that they leave out.
 */

const nullable = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const Count = nullable(Schema.Natural)

/** The document of a response. */
export const ChatDocument = Schema.Struct({
  id: nullable(Schema.String),
  model: nullable(Schema.String),
  choices: Schema.Array(
    Schema.Struct({
      message: Schema.Struct({
        content: nullable(Schema.String),
        refusal: nullable(Schema.String),
        tool_calls: nullable(
          Schema.Array(
            Schema.Struct({
              id: nullable(Schema.String),
              function: Schema.Struct({
                name: Schema.String,
                // Some servers send an object instead of its text.
                arguments: nullable(Schema.Unknown)
              })
            })
          )
        )
      }),
      finish_reason: nullable(Schema.String)
    })
  ),
  usage: nullable(
    Schema.Struct({
      prompt_tokens: Count,
      completion_tokens: Count,
      prompt_tokens_details: nullable(Schema.Struct({ cached_tokens: Count })),
      completion_tokens_details: nullable(Schema.Struct({ reasoning_tokens: Count }))
    })
  )
})
export type ChatDocument = typeof ChatDocument.Type

const finishReasons: Readonly<Record<string, Response.FinishReason>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter"
}

const usageOf = ({ usage }: ChatDocument): Response.FinishPartEncoded["usage"] => {
  const input = usage?.prompt_tokens ?? undefined
  const output = usage?.completion_tokens ?? undefined
  const cached = usage?.prompt_tokens_details?.cached_tokens ?? undefined
  const reasoning = usage?.completion_tokens_details?.reasoning_tokens ?? undefined
  return {
    inputTokens: {
      total: input,
      cacheRead: cached,
      cacheWrite: undefined,
      uncached: input === undefined ? undefined : Math.max(0, input - (cached ?? 0))
    },
    outputTokens: {
      total: output,
      reasoning,
      text: output === undefined ? undefined : Math.max(0, output - (reasoning ?? 0))
    }
  }
}

const parsed = (text: string): Result.Result<unknown, unknown> =>
  Result.try(() => Tool.unsafeSecureJsonParse(text))

/** Repairs the common faults of JSON that a model writes: a code fence, text around it, a comma before a bracket. */
const repaired = (text: string): string => {
  const from = text.indexOf("{")
  const to = text.lastIndexOf("}")
  return from < 0 || to < from ? text : text.slice(from, to + 1).replace(/,(\s*[}\]])/g, "$1")
}

const invalid = (description: string): AiError.AiError =>
  AiError.make({
    module: "OpenAiCompatLanguageModel",
    method: "generateText",
    reason: new AiError.InvalidOutputError({ description })
  })

/** The arguments of a tool call. Malformed ones are repaired once. */
const argumentsOf = (name: string, given: unknown): Effect.Effect<unknown, AiError.AiError> => {
  if (given === undefined || given === null || given === "") return Effect.succeed({})
  if (typeof given !== "string") return Effect.succeed(given)
  const result = Result.orElse(parsed(given), () => parsed(repaired(given)))
  return Result.isSuccess(result)
    ? Effect.succeed(result.success)
    : Effect.fail(invalid(`the arguments of the call of ${name.slice(0, 60)} are not JSON`))
}

/** The parts of a response. `submitTool`: the tool whose arguments are the answer. */
export const toParts = Effect.fnUntraced(function* (
  document: ChatDocument,
  submitTool: string | undefined
): Effect.fn.Return<Array<Response.PartEncoded>, AiError.AiError> {
  const [choice] = document.choices
  if (choice === undefined) {
    return yield* AiError.make({
      module: "OpenAiCompatLanguageModel",
      method: "generateText",
      reason: new AiError.InvalidResponseError({ description: "the response has no choice" })
    })
  }
  const reason = finishReasons[choice.finish_reason ?? "stop"] ?? "other"
  if (reason === "content-filter") {
    return yield* AiError.make({
      module: "OpenAiCompatLanguageModel",
      method: "generateText",
      reason: new AiError.ContentPolicyError({ description: "the response was withheld by a content filter" })
    })
  }
  const { content, refusal, tool_calls } = choice.message
  const calls = tool_calls ?? []
  const submitted = calls.find((call) => call.function.name === submitTool)
  const text =
    submitted === undefined ? (content ?? refusal ?? "") : textOfArguments(submitted.function.arguments)
  const parts: Array<Response.PartEncoded> = text === "" ? [] : [{ type: "text", text }]
  for (const [index, call] of calls.entries()) {
    if (call === submitted) continue
    const { name } = call.function
    const params = yield* argumentsOf(name, call.function.arguments)
    parts.push({ type: "tool-call", id: call.id ?? `call_${index}`, name, params })
  }
  parts.push({
    type: "response-metadata",
    ...(document.id === undefined || document.id === null ? {} : { id: document.id }),
    ...(document.model === undefined || document.model === null ? {} : { modelId: document.model })
  })
  parts.push({ type: "finish", reason, usage: usageOf(document), response: undefined })
  return parts
})

/** An answer as JSON text; one in a code fence is freed of it. */
const textOfArguments = (given: unknown): string =>
  typeof given === "string" ? given : JSON.stringify(given ?? {})

/** Frees a structured answer of a code fence and of text around it. */
export const bareJson = (parts: Array<Response.PartEncoded>): Array<Response.PartEncoded> =>
  parts.map((part) =>
    part.type === "text" && Result.isFailure(parsed(part.text))
      ? { ...part, text: repaired(part.text) }
      : part
  )
