import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel as SdkModel,
  NoObjectGeneratedError,
  Output,
  tool
} from "ai"
import { Effect, Layer, Stream } from "effect"
import { AiError, LanguageModel, OpenAiStructuredOutput, type Response, Tool } from "effect/ai"
import { detailOfText, reasonOfRefusal } from "../openai-compat/ChatFaults.ts"
import { parseRetryAfter } from "../upstream/RateLimit.ts"
import { toModelMessages } from "./ModelMessages.ts"

/*
 * Any model of the Vercel AI SDK as a `LanguageModel`.
 */

/** How a model of the AI SDK is called. */
export interface AiSdkOptions {
  /** A model of the AI SDK: `openai("gpt-5-mini")`. */
  readonly model: SdkModel
  /** Most tokens of one response; default 1,000. */
  readonly maxOutputTokens?: number | undefined
  /** Randomness from 0; default: the provider's. */
  readonly temperature?: number | undefined
}

const defaultOutputTokens = 1_000

const fail = (reason: AiError.AiErrorReason): AiError.AiError =>
  AiError.make({ module: "AiSdkLanguageModel", method: "generateText", reason })

/** An error of the AI SDK. Its message may quote the request, so it is left out. */
const toAiError = (error: unknown): AiError.AiError => {
  if (NoObjectGeneratedError.isInstance(error)) {
    return fail(new AiError.InvalidOutputError({ description: "the answer is not of its schema" }))
  }
  if (!APICallError.isInstance(error)) {
    return fail(new AiError.UnknownError({ description: error instanceof Error ? error.name : "unknown" }))
  }
  const { responseBody = "", responseHeaders, statusCode: status } = error
  if (status === undefined) {
    return fail(new AiError.InternalProviderError({ description: "the model can't be reached" }))
  }
  const retryAfterMillis = parseRetryAfter(responseHeaders?.["retry-after"], Date.now())
  return fail(reasonOfRefusal({ ...detailOfText(responseBody), status, retryAfterMillis }))
}

const toolsOf = ({ tools }: LanguageModel.ProviderOptions) =>
  Object.fromEntries(
    tools.map((each) => [
      each.name,
      tool({
        ...(each.description === undefined ? {} : { description: each.description }),
        inputSchema: jsonSchema<unknown>(Tool.getJsonSchema(each))
      })
    ])
  )

const choiceOf = ({ toolChoice }: LanguageModel.ProviderOptions) => {
  if (typeof toolChoice === "string") return toolChoice
  return "tool" in toolChoice
    ? { type: "tool" as const, toolName: String(toolChoice.tool) }
    : (toolChoice.mode ?? "auto")
}

const finishReasons: Readonly<Record<string, Response.FinishReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "content-filter",
  "tool-calls": "tool-calls",
  error: "error"
}

/** What the adapter reads of a result. */
interface SdkResult {
  readonly text: string
  readonly finishReason: string
  readonly toolCalls: ReadonlyArray<{
    readonly toolCallId: string
    readonly toolName: string
    readonly input: unknown
    readonly invalid?: boolean | undefined
  }>
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined }
  readonly response: { readonly id?: string; readonly modelId?: string }
}

const toParts = (result: SdkResult): Effect.Effect<Array<Response.PartEncoded>, AiError.AiError> => {
  const { finishReason, response, text, toolCalls, usage } = result
  if (finishReason === "content-filter") {
    return Effect.fail(
      fail(new AiError.ContentPolicyError({ description: "the response was withheld by a content filter" }))
    )
  }
  if (toolCalls.some(({ input, invalid }) => invalid === true && typeof input === "string")) {
    return Effect.fail(
      fail(new AiError.InvalidOutputError({ description: "the arguments of a tool call are not JSON" }))
    )
  }
  const { inputTokens: input, outputTokens: output } = usage
  return Effect.succeed([
    ...(text === "" ? [] : [{ type: "text" as const, text }]),
    ...toolCalls.map(({ input: params, toolCallId: id, toolName: name }) => ({
      type: "tool-call" as const,
      id,
      name,
      params
    })),
    { type: "response-metadata", id: response.id, modelId: response.modelId },
    {
      type: "finish",
      reason: finishReasons[finishReason] ?? "other",
      response: undefined,
      usage: {
        inputTokens: { total: input, uncached: undefined, cacheRead: undefined, cacheWrite: undefined },
        outputTokens: { total: output, text: undefined, reasoning: undefined }
      }
    }
  ])
}

/**
 * Makes a `LanguageModel` over a model of the AI SDK. Requests are not retried, because a retry may cost tokens; give
 * several models to fall back to. Streaming is not offered: a stream fails.
 */
export const make = ({
  maxOutputTokens = defaultOutputTokens,
  model,
  temperature
}: AiSdkOptions): Effect.Effect<LanguageModel.LanguageModel> => {
  const send = (request: LanguageModel.ProviderOptions) =>
    Effect.tryPromise({
      try: (abortSignal) => {
        const { instructions, messages } = toModelMessages(request.prompt)
        const { responseFormat: format } = request
        return generateText({
          model,
          messages,
          maxOutputTokens,
          maxRetries: 0,
          abortSignal,
          tools: toolsOf(request),
          ...(request.tools.length === 0 ? {} : { toolChoice: choiceOf(request) }),
          ...(instructions === "" ? {} : { instructions }),
          ...(temperature === undefined ? {} : { temperature }),
          ...(format.type === "json"
            ? {
                output: Output.object({
                  name: format.objectName,
                  schema: jsonSchema<object>(OpenAiStructuredOutput.toCodecOpenAI(format.schema).jsonSchema)
                })
              }
            : {})
        })
      },
      catch: toAiError
    }).pipe(Effect.flatMap(toParts))
  return LanguageModel.make({
    generateText: send,
    streamText: () =>
      Stream.fail(fail(new AiError.InvalidRequestError({ description: "streaming is not offered" }))),
    codecTransformer: OpenAiStructuredOutput.toCodecOpenAI
  })
}

/**
 * A model of the AI SDK as the `LanguageModel` of an Effect host.
 *
 * @example
 * import { AiSdkLanguageModel, type AiSdkOptions } from "@till402/providers/ai-sdk"
 *
 * const layerOf = (model: AiSdkOptions["model"]) => AiSdkLanguageModel.layer({ model, maxOutputTokens: 800 })
 */
export const layer = (options: AiSdkOptions): Layer.Layer<LanguageModel.LanguageModel> =>
  Layer.effect(LanguageModel.LanguageModel, make(options))
