import type { ConfigurationError } from "@till402/core"
import { Config, Effect, Layer, Redacted, Stream } from "effect"
import { AiError, LanguageModel, OpenAiStructuredOutput, type Response, Tool } from "effect/ai"
import { type HttpClient, HttpClientRequest } from "effect/http"
import {
  makeUpstream,
  optionalSettings,
  positiveInt,
  readJson,
  settingReaders,
  upstreamConfig,
  type UpstreamFault,
  withDefaults
} from "../upstream/index.ts"
import { bareJson, ChatDocument, toParts } from "./ChatDocument.ts"
import { detailOf, toAiError } from "./ChatFaults.ts"
import { toChatMessages } from "./ChatMessages.ts"
import type { OpenAiCompatLayerOptions, OpenAiCompatSettings } from "./Options.ts"

/*
 * Any server of the chat-completions protocol as a `LanguageModel`. Has the shape of `@effect/ai-openai-compat`, which
 * doesn't load with Effect 4.1 yet.
 */

const read = settingReaders("openai-compat")
const readDocument = readJson(ChatDocument)

/** The tool that takes a structured answer, for servers without JSON schemas. */
const submitTool = "submit_answer"
const defaultOutputTokens = 1_000

/** What a server was found to refuse. */
interface Dialect {
  structured: "json_schema" | "tool"
  tokenField: "max_tokens" | "max_completion_tokens"
  sendsTemperature: boolean
}

/**
 * Adapts to what a server refuses of a request. `asked` is the dialect of that request: another one may have adapted
 * meanwhile. `false`: the refusal is about something else.
 */
const adapt = (
  dialect: Dialect,
  fault: UpstreamFault,
  { asked, isAuto, isJson }: { readonly asked: Dialect; readonly isAuto: boolean; readonly isJson: boolean }
): boolean => {
  if (fault._tag !== "Rejected" || ![400, 404, 422, 501].includes(fault.status)) return false
  const { code, message } = detailOf(fault)
  const says = (pattern: RegExp): boolean => pattern.test(code) || pattern.test(message)
  if (asked.tokenField === "max_tokens" && says(/max_completion_tokens/)) {
    dialect.tokenField = "max_completion_tokens"
    return true
  }
  if (asked.sendsTemperature && says(/temperature/)) {
    dialect.sendsTemperature = false
    return true
  }
  if (
    isJson &&
    isAuto &&
    asked.structured === "json_schema" &&
    says(/response.?format|json.?schema|structured/)
  ) {
    dialect.structured = "tool"
    return true
  }
  return false
}

/** The request's tools and the choice among them. */
const toolFields = ({ toolChoice, tools }: LanguageModel.ProviderOptions): object => {
  if (tools.length === 0) return {}
  const functions = tools.map((tool) => ({
    type: "function",
    function: {
      name: tool.name,
      ...(tool.description === undefined ? {} : { description: tool.description }),
      parameters: Tool.getJsonSchema(tool)
    }
  }))
  const choice =
    typeof toolChoice === "string"
      ? toolChoice
      : "tool" in toolChoice
        ? { type: "function", function: { name: toolChoice.tool } }
        : (toolChoice.mode ?? "auto")
  return { tools: functions, tool_choice: choice }
}

/** Requests an answer of a schema. */
const answerFields = (
  format: Extract<LanguageModel.ProviderOptions["responseFormat"], { readonly type: "json" }>,
  structured: Dialect["structured"]
): object => {
  const { jsonSchema: schema } = OpenAiStructuredOutput.toCodecOpenAI(format.schema)
  return structured === "json_schema"
    ? {
        response_format: {
          type: "json_schema",
          json_schema: { name: format.objectName, schema, strict: true }
        }
      }
    : {
        tools: [
          {
            type: "function",
            function: { name: submitTool, description: "Takes the final answer.", parameters: schema }
          }
        ],
        tool_choice: { type: "function", function: { name: submitTool } }
      }
}

const unsupportedPrompt = (): AiError.AiError =>
  AiError.make({
    module: "OpenAiCompatLanguageModel",
    method: "generateText",
    reason: new AiError.InvalidUserInputError({ description: "the prompt has a part that can't be sent" })
  })

const readOptions = Effect.fnUntraced(function* (options: OpenAiCompatLayerOptions) {
  const baseUrl = yield* read.url("baseUrl", options.baseUrl)
  const model = yield* read.text("model", options.model, /^\S{1,200}$/, "a model's name without spaces")
  const apiKey = yield* read.optional(options.apiKey, (key) => read.secret("apiKey", key))
  const maxOutputTokens = yield* read.wholeNumber(
    "maxOutputTokens",
    options.maxOutputTokens ?? defaultOutputTokens,
    1
  )
  const structured = yield* read.oneOf("structuredOutput", options.structuredOutput ?? "auto", [
    "auto",
    "json_schema",
    "tool"
  ])
  return { baseUrl, model, apiKey, maxOutputTokens, structured }
})

/**
 * Makes a `LanguageModel` over a server's `POST /chat/completions`.
 *
 * A request is retried after a 429 only, because any other one may have cost tokens. Streaming is not offered: a stream
 * has the whole response at once.
 *
 * Fails with `ConfigurationError` for an unusable address, key or setting.
 */
export const make = Effect.fnUntraced(function* (
  options: OpenAiCompatLayerOptions
): Effect.fn.Return<LanguageModel.LanguageModel, ConfigurationError, HttpClient.HttpClient> {
  const { apiKey, baseUrl, maxOutputTokens, model, structured } = yield* readOptions(options)
  const { temperature } = options
  const upstream = yield* makeUpstream({
    ...withDefaults(
      { timeoutMillis: 12_000, deadlineMillis: 14_000, retries: 1, maxConcurrent: 64 },
      options
    ),
    name: "model"
  })
  const dialect: Dialect = {
    structured: structured === "tool" ? "tool" : "json_schema",
    tokenField: "max_tokens",
    sendsTemperature: temperature !== undefined
  }

  const requestOf = (body: object) =>
    HttpClientRequest.post(`${baseUrl}/chat/completions`).pipe(
      HttpClientRequest.setHeaders({
        accept: "application/json",
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${Redacted.value(apiKey)}` })
      }),
      HttpClientRequest.bodyJsonUnsafe(body)
    )

  const send = Effect.fnUntraced(function* (
    request: LanguageModel.ProviderOptions
  ): Effect.fn.Return<Array<Response.PartEncoded>, AiError.AiError> {
    const { responseFormat } = request
    const messages = yield* Effect.try({
      try: () => toChatMessages(request.prompt),
      catch: unsupportedPrompt
    })
    const isJson = responseFormat.type === "json"
    for (;;) {
      const asked = { ...dialect }
      const body = {
        model,
        messages,
        [asked.tokenField]: maxOutputTokens,
        ...(asked.sendsTemperature ? { temperature } : {}),
        ...(isJson ? answerFields(responseFormat, asked.structured) : toolFields(request))
      }
      const result = yield* Effect.result(Effect.flatMap(upstream.call(requestOf(body)), readDocument))
      if (result._tag === "Success") {
        const parts = yield* toParts(
          result.success,
          isJson && asked.structured === "tool" ? submitTool : undefined
        )
        return isJson ? bareJson(parts) : parts
      }
      if (!adapt(dialect, result.failure, { asked, isAuto: structured === "auto", isJson })) {
        return yield* Effect.fail(toAiError(result.failure))
      }
    }
  })

  return yield* LanguageModel.make({
    generateText: send,
    streamText: (request) =>
      Stream.unwrap(Effect.map(send(request), (parts) => Stream.fromIterable(parts.flatMap(streamed)))),
    codecTransformer: OpenAiStructuredOutput.toCodecOpenAI
  })
})

/** A part of a response as parts of a stream. */
const streamed = (part: Response.PartEncoded, index: number): ReadonlyArray<Response.StreamPartEncoded> => {
  if (part.type === "text") {
    const id = String(index)
    return [
      { type: "text-start", id },
      { type: "text-delta", id, delta: part.text },
      { type: "text-end", id }
    ]
  }
  return part.type === "tool-call" || part.type === "response-metadata" || part.type === "finish"
    ? [part]
    : []
}

/**
 * A model behind any server of the chat-completions protocol, as the `LanguageModel` of an Effect host.
 *
 * @example
 * import { OpenAiCompatLanguageModel } from "@till402/providers/openai-compat"
 * import { Layer } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const model = OpenAiCompatLanguageModel.layer({ baseUrl: "http://localhost:11434/v1", model: "qwen3" }).pipe(
 *   Layer.provide(FetchHttpClient.layer)
 * )
 */
export const layer = (
  options: OpenAiCompatLayerOptions
): Layer.Layer<LanguageModel.LanguageModel, ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(LanguageModel.LanguageModel, make(options))

/** A required setting, unless a default is given. */
const textConfig = (name: string, given: string | undefined): Config.Config<string> =>
  given === undefined ? Config.String(name) : Config.withDefault(Config.String(name), given)

const settingsConfig = (defaults: Partial<OpenAiCompatSettings>) =>
  Config.all({
    baseUrl: textConfig("MODEL_BASE_URL", defaults.baseUrl),
    model: textConfig("MODEL_NAME", defaults.model),
    settings: optionalSettings<Pick<Required<OpenAiCompatLayerOptions>, "apiKey" | "maxOutputTokens">>({
      apiKey: Config.Redacted("MODEL_API_KEY"),
      maxOutputTokens: positiveInt("MODEL_MAX_OUTPUT_TOKENS")
    }),
    upstream: upstreamConfig("MODEL")
  })

/**
 * Reads `MODEL_BASE_URL`, `MODEL_NAME` and, if set, `MODEL_API_KEY`, `MODEL_MAX_OUTPUT_TOKENS` and the settings of all
 * providers, such as `MODEL_TIMEOUT_MILLIS`. They take precedence over `defaults`.
 */
export const layerConfig = (
  defaults: Partial<OpenAiCompatSettings> = {}
): Layer.Layer<LanguageModel.LanguageModel, Config.ConfigError | ConfigurationError, HttpClient.HttpClient> =>
  Layer.effect(
    LanguageModel.LanguageModel,
    Effect.flatMap(settingsConfig(defaults), ({ baseUrl, model, settings, upstream }) =>
      make({ ...defaults, ...upstream, ...settings, baseUrl, model })
    )
  )
