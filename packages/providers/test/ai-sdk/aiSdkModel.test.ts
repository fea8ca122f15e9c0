import { APICallError } from "ai"
import { MockLanguageModelV3 } from "ai/test"
import { describe, expect, it } from "vitest"
import { aiSdkModel } from "../../src/ai-sdk/index.ts"
import { assistantOver } from "../../src/assistant/index.ts"
import { anker, shopOf, sony } from "../assistant/goods.ts"
import { soundOpinions } from "../assistant/scriptedModel.ts"

type Generated = Awaited<ReturnType<MockLanguageModelV3["doGenerate"]>>
type Options = Parameters<MockLanguageModelV3["doGenerate"]>[0]

const generated = (
  content: Generated["content"],
  finish: "stop" | "tool-calls" | "content-filter"
): Generated => ({
  content,
  finishReason: { unified: finish, raw: finish },
  usage: {
    inputTokens: { total: 100, noCache: 100, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 20, text: 20, reasoning: undefined }
  },
  warnings: []
})
const search = (input: string) =>
  generated([{ type: "tool-call", toolCallId: "1", toolName: "search_products", input }], "tool-calls")
const answer = (summary: string, id: string) =>
  generated([{ type: "text", text: JSON.stringify({ summary, picks: [{ id, why: "" }], note: "" }) }], "stop")

/** Opinions on the sentences of a prompt. */
const opinionsOn = ({ prompt }: Options): Generated => {
  const messages = prompt.map(({ content, role }) => ({
    role,
    content:
      typeof content === "string"
        ? content
        : content.map((part) => (part.type === "text" ? part.text : "")).join("")
  }))
  const turn = soundOpinions({ model: "", messages })
  return generated([{ type: "text", text: "text" in turn ? (turn.text ?? "") : "" }], "stop")
}

const isAboutOpinions = ({ responseFormat }: Options): boolean =>
  responseFormat?.type === "json" && responseFormat.name === "opinions"

/** Generates in turn, and opinions when they are asked for. */
const inTurn = (turns: ReadonlyArray<Generated>): MockLanguageModelV3["doGenerate"] => {
  let turn = 0
  return async (options) => (isAboutOpinions(options) ? opinionsOn(options) : turns[turn++]!)
}

const ask = (generate: MockLanguageModelV3["doGenerate"] | Array<Generated>) => {
  const doGenerate = Array.isArray(generate) ? inTurn(generate) : generate
  const model = new MockLanguageModelV3({ modelId: "mock", doGenerate })
  const assistant = assistantOver([
    aiSdkModel({ model, inputUsdPerMillion: 1, outputUsdPerMillion: 1, maxOutputTokens: 300 })
  ])
  const used: Array<unknown> = []
  const { context, queries } = shopOf([anker, sony], { reportUsage: (usage) => void used.push(usage) })
  return { model, queries, used, response: assistant.reply({ message: "headphones under $40" }, context) }
}

describe("a model of the AI SDK", () => {
  it("searches and answers, with its usage", async () => {
    const { model, queries, response, used } = ask([
      search('{"query":"headphones"}'),
      generated([{ type: "text", text: "I would take the Sony." }], "stop"),
      answer("The Sony WH-CH520 costs $30. The Sony WH-CH520 is a good choice.", sony.asin)
    ])
    expect(await response).toMatchObject({
      reply: expect.stringMatching(/^The Sony WH-CH520 is a good choice\.\n.*\$30\.00/s),
      products: [{ asin: sony.asin }]
    })
    const query = { q: "headphones", page: 1, priceMax: 40 }
    expect(queries).toEqual([query, query])
    expect(used).toEqual([
      { outcome: "replied", model: "mock", rounds: 4, inputTokens: 400, outputTokens: 80, costMicroUsd: 480 }
    ])
    const [first, , last, opinions] = model.doGenerateCalls
    expect(opinions?.responseFormat).toMatchObject({ type: "json", name: "opinions" })
    expect(first?.maxOutputTokens).toBe(300)
    expect(first?.prompt[0]).toMatchObject({ role: "system" })
    expect(first?.tools?.map(({ name }) => name)).toEqual(["search_products", "get_product"])
    expect(last?.responseFormat).toMatchObject({ type: "json", name: "answer" })
    expect(last?.prompt.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "user"
    ])
  })

  it("repeats a call with malformed arguments once", async () => {
    const { queries, response } = ask([
      search("{query"),
      search('{"query":"headphones"}'),
      answer("The Sony WH-CH520 fits.", sony.asin)
    ])
    expect((await response).products).toHaveLength(1)
    expect(queries).toHaveLength(2)
  })

  const refused = (statusCode: number, headers: Record<string, string> = {}) =>
    ask(() =>
      Promise.reject(
        new APICallError({
          message: "secret",
          url: "https://model.example",
          requestBodyValues: {},
          statusCode,
          responseHeaders: headers
        })
      )
    ).response

  it("is unavailable for as long as its provider asks", async () => {
    await expect(refused(429, { "retry-after": "9" })).rejects.toMatchObject({
      _tag: "TemporarilyUnavailable",
      retryAfterSeconds: 9
    })
    await expect(refused(503)).rejects.toMatchObject({ _tag: "TemporarilyUnavailable" })
  })

  it("fails for a wrong key, a content filter and a broken model, without their messages", async () => {
    await expect(refused(401)).rejects.toMatchObject({ reason: { _tag: "AuthenticationError" } })
    await expect(ask([generated([], "content-filter")]).response).rejects.toMatchObject({
      reason: { _tag: "ContentPolicyError" }
    })
    const broken = ask(() => Promise.reject(new Error("secret"))).response
    await expect(broken).rejects.toMatchObject({ reason: { _tag: "UnknownError" } })
    await expect(broken).rejects.not.toThrow("secret")
  })
})
