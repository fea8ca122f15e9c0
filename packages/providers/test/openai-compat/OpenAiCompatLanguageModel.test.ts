import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Duration, Effect, Redacted, Schema } from "effect"
import { LanguageModel, Prompt, Tool, Toolkit } from "effect/ai"
import { http, HttpResponse, type JsonBodyType } from "msw"
import { OpenAiCompatLanguageModel, type OpenAiCompatLayerOptions } from "../../src/openai-compat/index.ts"
import { currentFetch, interceptRequests } from "../interceptRequests.ts"

/*
 * The chat-completions protocol, and servers that implement only some of it.
 */

const server = interceptRequests()
const endpoint = "https://models.example/v1/chat/completions"

interface Sent {
  readonly [field: string]: unknown
}

/** Responds in turn, the last response for ever; returns what was sent. */
const respond = (...responses: ReadonlyArray<() => Response>) => {
  const sent: Array<Sent> = []
  server.use(
    http.post(endpoint, async ({ request }) => {
      const body: JsonBodyType = await request.json()
      assert.strictEqual(request.headers.get("authorization"), "Bearer key-1")
      if (typeof body === "object" && body !== null && !Array.isArray(body)) sent.push(body)
      return (responses[sent.length - 1] ?? responses.at(-1))?.()
    })
  )
  return sent
}

const reply =
  (message: object, rest: object = {}) =>
  () =>
    HttpResponse.json({ id: "1", choices: [{ index: 0, message, finish_reason: "stop" }], ...rest })
const refuse =
  (status: number, error: object, headers: Record<string, string> = {}) =>
  () =>
    HttpResponse.json({ error }, { status, headers })

const use = <A, E>(
  effect: Effect.Effect<A, E, LanguageModel.LanguageModel>,
  options: Partial<OpenAiCompatLayerOptions> = {}
) =>
  effect.pipe(
    Effect.provide(
      OpenAiCompatLanguageModel.layer({
        baseUrl: "https://models.example/v1",
        apiKey: Redacted.make("key-1"),
        model: "small",
        retries: 0,
        ...options
      })
    ),
    Effect.provide(currentFetch)
  )

const City = Schema.Struct({ city: Schema.String, note: Schema.optionalKey(Schema.String) })
const askCity = LanguageModel.generateObject({ prompt: "where?", schema: City, objectName: "city" })
const hello = LanguageModel.generateText({ prompt: "hello" })

describe("a text", () => {
  it.effect("has its usage and finish reason", () =>
    Effect.gen(function* () {
      const sent = respond(
        reply(
          { content: "Hi." },
          {
            usage: {
              prompt_tokens: 12,
              completion_tokens: 5,
              prompt_tokens_details: { cached_tokens: 4 },
              completion_tokens_details: { reasoning_tokens: 2 }
            }
          }
        )
      )
      const { finishReason, text, usage } = yield* use(hello, { temperature: 0.2, maxOutputTokens: 50 })
      assert.deepStrictEqual([text, finishReason], ["Hi.", "stop"])
      assert.deepStrictEqual(usage.inputTokens, {
        total: 12,
        cacheRead: 4,
        cacheWrite: undefined,
        uncached: 8
      })
      assert.deepStrictEqual(usage.outputTokens, { total: 5, reasoning: 2, text: 3 })
      assert.deepStrictEqual(sent, [
        {
          model: "small",
          messages: [{ role: "user", content: "hello" }],
          max_tokens: 50,
          temperature: 0.2
        }
      ])
    })
  )

  it.effect("comes from the settings of the environment", () =>
    Effect.gen(function* () {
      const sent = respond(reply({ content: "Hi." }))
      const settings = { MODEL_API_KEY: "key-1", MODEL_NAME: "large", MODEL_MAX_OUTPUT_TOKENS: "70" }
      yield* hello.pipe(
        Effect.provide(OpenAiCompatLanguageModel.layerConfig({ baseUrl: "https://models.example/v1/" })),
        Effect.provide(currentFetch),
        Effect.provide(ConfigProvider.layer(ConfigProvider.fromUnknown(settings)))
      )
      assert.deepInclude(sent[0], { model: "large", max_tokens: 70 })
    })
  )

  it.effect("is requested by max_completion_tokens and without temperature where a server wants that", () =>
    Effect.gen(function* () {
      const sent = respond(
        refuse(400, { message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead." }),
        refuse(400, { param: "temperature", message: "Unsupported value" }),
        reply({ content: "Hi." })
      )
      yield* use(hello, { temperature: 0 })
      assert.deepStrictEqual(Object.keys(sent[2] ?? {}).sort(), [
        "max_completion_tokens",
        "messages",
        "model"
      ])
    })
  )
})

describe("an answer of a schema", () => {
  it.effect("is requested by a strict JSON schema", () =>
    Effect.gen(function* () {
      const sent = respond(reply({ content: '{"city":"Oslo","note":null}' }))
      const { value } = yield* use(askCity)
      assert.deepStrictEqual(value, { city: "Oslo" })
      assert.deepInclude(sent[0]?.["response_format"], { type: "json_schema" })
    })
  )

  it.effect("may stand in a code fence", () =>
    Effect.gen(function* () {
      respond(reply({ content: 'Sure:\n```json\n{"city":"Oslo","note":null,}\n```' }))
      assert.strictEqual((yield* use(askCity)).value.city, "Oslo")
    })
  )

  it.effect("is requested by a tool where the server has no schemas, from then on", () =>
    Effect.gen(function* () {
      const call = { id: "1", function: { name: "submit_answer", arguments: '{"city":"Oslo","note":null}' } }
      const sent = respond(
        refuse(400, { message: "response_format type json_schema is not supported" }),
        reply({ content: null, tool_calls: [call] })
      )
      const cities = yield* use(Effect.all([askCity, askCity]))
      assert.deepStrictEqual(
        cities.map(({ value }) => value.city),
        ["Oslo", "Oslo"]
      )
      assert.deepStrictEqual(
        sent.map((body) => "response_format" in body),
        [true, false, false]
      )
      assert.deepStrictEqual(sent[2]?.["tool_choice"], {
        type: "function",
        function: { name: "submit_answer" }
      })
    })
  )

  it.effect("is requested by a tool in each of several calls that are refused at once", () =>
    Effect.gen(function* () {
      server.use(
        http.post(endpoint, async ({ request }) =>
          JSON.stringify(await request.json()).includes("response_format")
            ? refuse(400, { message: "response_format is not supported" })()
            : reply({ content: '{"city":"Oslo","note":null}' })()
        )
      )
      const cities = yield* use(Effect.all([askCity, askCity, askCity], { concurrency: 3 }))
      assert.lengthOf(cities, 3)
    })
  )

  it.effect("is read as text if the server ignores the choice of the tool", () =>
    Effect.gen(function* () {
      respond(reply({ content: '{"city":"Oslo","note":null}' }))
      assert.strictEqual((yield* use(askCity, { structuredOutput: "tool" })).value.city, "Oslo")
    })
  )
})

describe("tools", () => {
  const Tools = Toolkit.make(
    Tool.make("add", {
      description: "Adds.",
      parameters: Schema.Struct({ left: Schema.Finite, right: Schema.Finite }),
      success: Schema.Struct({ sum: Schema.Finite }),
      failureMode: "return"
    })
  )
  const handlers = Tools.toLayer({ add: ({ left, right }) => Effect.succeed({ sum: left + right }) })
  const askSum = Effect.gen(function* () {
    const first = yield* LanguageModel.generateText({ prompt: "1 + 2?", toolkit: Tools })
    const prompt = Prompt.concat(Prompt.make("1 + 2?"), Prompt.fromResponseParts(first.content))
    return yield* LanguageModel.generateText({ prompt, toolkit: Tools })
  }).pipe(Effect.provide(handlers))
  const calling = (args: unknown, id: string | null = "c1") =>
    reply({
      content: null,
      tool_calls: [{ id, type: "function", function: { name: "add", arguments: args } }]
    })

  it.effect("are called, and their results are sent back", () =>
    Effect.gen(function* () {
      const sent = respond(calling('{"left":1,"right":2}'), reply({ content: "3" }))
      assert.strictEqual((yield* use(askSum)).text, "3")
      assert.deepStrictEqual(sent[1]?.["messages"], [
        { role: "user", content: "1 + 2?" },
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "c1", type: "function", function: { name: "add", arguments: '{"left":1,"right":2}' } }
          ]
        },
        { role: "tool", tool_call_id: "c1", content: '{"sum":3}' }
      ])
    })
  )

  it.effect.each(['```\n{"left":1,"right":2,}\n```', { left: 1, right: 2 }])("with arguments %j", (args) =>
    Effect.gen(function* () {
      const sent = respond(calling(args, null), reply({ content: "3" }))
      assert.strictEqual((yield* use(askSum)).text, "3")
      assert.include(JSON.stringify(sent[1]), '{\\"sum\\":3}')
    })
  )

  it.effect("fail with malformed arguments that can't be repaired", () =>
    Effect.gen(function* () {
      respond(calling('{"left": one}'))
      const error = yield* Effect.flip(use(askSum))
      assert.strictEqual(error._tag === "AiError" ? error.reason._tag : undefined, "InvalidOutputError")
    })
  )
})

describe("errors", () => {
  const reasonOf = (options: Partial<OpenAiCompatLayerOptions> = {}) =>
    use(hello, options).pipe(
      Effect.flip,
      Effect.map((error) => (error._tag === "AiError" ? error.reason : undefined))
    )

  it.effect.each([
    [refuse(401, {}), "AuthenticationError"],
    [refuse(403, {}), "AuthenticationError"],
    [refuse(402, {}), "QuotaExhaustedError"],
    [refuse(429, { code: "insufficient_quota" }), "QuotaExhaustedError"],
    [refuse(429, {}), "RateLimitError"],
    [refuse(400, { code: "context_length_exceeded" }), "InvalidRequestError"],
    [refuse(413, {}), "InvalidRequestError"],
    [
      refuse(400, { message: "The response was filtered due to content management policy" }),
      "ContentPolicyError"
    ],
    [refuse(400, { message: "no such model" }), "InvalidRequestError"],
    [refuse(500, {}), "InternalProviderError"],
    [() => HttpResponse.error(), "InternalProviderError"],
    [() => HttpResponse.text("<html>"), "InvalidResponseError"],
    [() => HttpResponse.json({ error: { message: "overloaded" } }), "InvalidResponseError"],
    [
      () => new HttpResponse(null, { status: 307, headers: { location: "https://evil.example" } }),
      "InvalidResponseError"
    ]
  ] as const)("of a server: %#", ([response, reason]) =>
    Effect.gen(function* () {
      respond(response)
      assert.strictEqual((yield* reasonOf())?._tag, reason)
    })
  )

  it.effect("say when to try again, and quote nothing", () =>
    Effect.gen(function* () {
      respond(refuse(429, { message: "key-1 of Ada" }, { "retry-after": "12" }))
      const reason = yield* reasonOf()
      assert.isTrue(
        reason?._tag === "RateLimitError" &&
          reason.retryAfter !== undefined &&
          Duration.toSeconds(reason.retryAfter) === 12
      )
      assert.notInclude(String(reason?.message), "Ada")
    })
  )

  it.effect("a request that may have cost tokens is not repeated", () =>
    Effect.gen(function* () {
      const sent = respond(refuse(500, {}))
      yield* reasonOf({ retries: 2 })
      assert.lengthOf(sent, 1)
    })
  )

  it.effect.each([
    [{ baseUrl: "http://models.example/v1" }, /baseUrl must be an https address/],
    [{ model: "" }, /model must be/],
    [{ apiKey: Redacted.make("") }, /apiKey must be/],
    [{ maxOutputTokens: 0 }, /maxOutputTokens/]
  ] as const)("of settings: %j", ([options, message]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(use(hello, options))
      assert.strictEqual(error._tag, "ConfigurationError")
      assert.match(error.message, message)
    })
  )
})
