import type { Product, ShopRequest, ShopResponse } from "@till402/core"
import { Effect, type ExecutionPlan, Option, Result, Schema } from "effect"
import { type AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import { askForAnswer, askForValid, instructions } from "./Instructions.ts"
import { EmptyAnswer, isUnreadable } from "./ModelFaults.ts"
import { ModelTerms } from "./ModelTerms.ts"
import { makeTools, type RunTools, type Search, type SearchError } from "./ProductTools.ts"
import { aboutText, type Draft, type Pick, type ReplyContext, replyText } from "./reply/ReplyText.ts"
import { BudgetSpent, estimateTokens, type RunBudget } from "./RunBudget.ts"
import { describeRequest, limitsOf, wordsOf } from "./Wishes.ts"

/*
 * One run: rounds of searches, an answer, and the reply made of it.
 */

/** The models to try, in order. */
export type ModelPlan = ExecutionPlan.ExecutionPlan<{
  provides: LanguageModel.LanguageModel
  input: unknown
  error: never
  requirements: never
}>

export interface RunOptions {
  readonly plan: ModelPlan
  readonly search: Search
  readonly budget: RunBudget
  readonly maxRounds: number
  readonly maxSearches: number
  readonly maxProducts: number
}

export type RunError = AiError.AiError | BudgetSpent | EmptyAnswer | SearchError

const Answer = Schema.Struct({
  summary: Schema.String.annotate({ description: "Answers the shopper's question in up to three sentences" }),
  picks: Schema.Array(
    Schema.Struct({
      id: Schema.String.annotate({ description: "Id of a product" }),
      why: Schema.String.annotate({ description: "Why it fits, in one or two sentences" })
    })
  ).annotate({ description: "Recommended products, best first" }),
  note: Schema.optionalKey(Schema.NullOr(Schema.String)).annotate({
    description: "What is missing if nothing fits quite"
  })
})
type Answer = typeof Answer.Type

const decodeAnswer = Schema.decodeUnknownOption(Schema.fromJsonString(Answer))

/** An answer that the model wrote as text: JSON, perhaps in a code fence. */
const answerIn = (text: string): Answer | undefined => {
  const from = text.indexOf("{")
  const to = text.lastIndexOf("}")
  return from < 0 || to < from ? undefined : Option.getOrUndefined(decodeAnswer(text.slice(from, to + 1)))
}

const say = (prompt: Prompt.Prompt, role: "user" | "assistant", text: string): Prompt.Prompt =>
  Prompt.concat(prompt, [{ role, content: [{ type: "text", text }] }])

/** Searches of one response that run at the same time. */
const concurrency = 4

/** Requests of one run, each within the budget and with the next model if one fails. */
const makeRequests = ({ budget, plan }: RunOptions, { toolkit }: RunTools) => {
  const counted = <
    A extends { readonly usage: Response.Usage; readonly content: ReadonlyArray<{ readonly type: string }> },
    E
  >(
    prompt: Prompt.Prompt,
    request: Effect.Effect<A, E, LanguageModel.LanguageModel>
  ): Effect.Effect<A, E | BudgetSpent> =>
    Effect.gen(function* () {
      const terms = yield* ModelTerms
      const reserved = budget.reserve(estimateTokens(JSON.stringify(prompt)), terms)
      if (reserved instanceof BudgetSpent) return yield* Effect.fail(reserved)
      const response = yield* request
      budget.settle(reserved, response.usage, terms.name)
      return response
    }).pipe(Effect.withExecutionPlan(plan))

  return {
    explore: (prompt: Prompt.Prompt) =>
      counted(
        prompt,
        Effect.flatMap(toolkit, (tools) =>
          LanguageModel.generateText({ prompt, toolkit: tools, concurrency })
        )
      ),
    answer: (prompt: Prompt.Prompt) =>
      counted(prompt, LanguageModel.generateObject({ prompt, schema: Answer, objectName: "answer" }))
  }
}
type Requests = ReturnType<typeof makeRequests>

/** Lets the model search until it answers, or until its rounds are over. An unreadable response is repeated once. */
const explore = Effect.fnUntraced(function* (start: Prompt.Prompt, requests: Requests, maxRounds: number) {
  let prompt = start
  let mayRepeat = true
  for (let round = 0; round < maxRounds; round++) {
    const result = yield* Effect.result(requests.explore(prompt))
    if (Result.isFailure(result)) {
      const { failure } = result
      if (failure._tag === "BudgetSpent") break
      if (!mayRepeat || !isUnreadable(failure)) return yield* Effect.fail(failure)
      mayRepeat = false
      prompt = say(prompt, "user", askForValid)
      continue
    }
    const { content, text, toolCalls } = result.success
    prompt = Prompt.concat(prompt, Prompt.fromResponseParts(content))
    if (toolCalls.length === 0) return { prompt, answer: answerIn(text) }
  }
  return { prompt, answer: undefined }
})

/** Asks for the answer; once more if it can't be read. */
const askAnswer = (prompt: Prompt.Prompt, note: string, requests: Requests) => {
  const asked = say(prompt, "user", note)
  return requests.answer(asked).pipe(
    Effect.catchTag("AiError", (error) =>
      isUnreadable(error) ? requests.answer(say(asked, "user", askForValid)) : Effect.fail(error)
    ),
    Effect.map(({ value }) => value)
  )
}

/** The products of an answer: those found within the limits, each once. Without any of them, none of its text can stay. */
const draftOf = (answer: Answer, { found }: RunTools, maxProducts: number): Draft | undefined => {
  const picks = new Map<Product, Pick>()
  for (const { id, why } of answer.picks) {
    const product = found.get(id)
    if (product !== undefined && !picks.has(product) && picks.size < maxProducts)
      picks.set(product, { product, why })
  }
  return picks.size === 0 && answer.picks.length > 0
    ? undefined
    : { summary: answer.summary, picks: [...picks.values()], note: answer.note ?? "" }
}

/** The reply that is sent: what may be sent of the answer, or the products that were found. */
const compose = (
  draft: Draft | undefined,
  maxProducts: number,
  context: ReplyContext
): ShopResponse | EmptyAnswer => {
  const all = context.found.slice(0, maxProducts).map((product) => ({ product, why: "" }))
  const list = { summary: "", picks: all, note: "" }
  for (const { note, picks, summary } of draft === undefined ? [list] : [draft, list]) {
    const reply = replyText({ note, picks, summary }, context)
    if (reply !== undefined) return { reply, products: picks.map(({ product }) => product) }
  }
  return new EmptyAnswer()
}

/**
 * Replies to one request. Fails with the model's error, with `BudgetSpent` if not even one search was possible, with the
 * marketplaces' error if every search failed, and with `EmptyAnswer` if neither model nor search gave anything.
 */
export const runAssistant = Effect.fnUntraced(function* (
  request: ShopRequest,
  options: RunOptions
): Effect.fn.Return<ShopResponse, RunError> {
  const { hasOtherCurrency, limits } = limitsOf(request)
  const tools = makeTools(options.search, limits, options.maxSearches)
  const secret = instructions(options.maxProducts)
  const start = Prompt.make([
    { role: "system", content: secret },
    { role: "user", content: [{ type: "text", text: describeRequest(request) }] }
  ])
  const requests = makeRequests(options, tools)
  const { answer, prompt } = yield* explore(start, requests, options.maxRounds)
  const failure = tools.failure()
  if (failure !== undefined) return yield* Effect.fail(failure)
  const answered =
    answer === undefined
      ? yield* Effect.result(askAnswer(prompt, askForAnswer, requests))
      : Result.succeed(answer)
  const found = tools.found.products
  // Out of budget with products in hand: they are listed.
  const isSpent = Result.isFailure(answered) && answered.failure._tag === "BudgetSpent" && found.length > 0
  if (Result.isFailure(answered) && !isSpent) return yield* Effect.fail(answered.failure)
  const draft = Result.isSuccess(answered) ? draftOf(answered.success, tools, options.maxProducts) : undefined
  const words = wordsOf(request)
  // Nothing can be said about products that were never searched for.
  if (draft !== undefined && !tools.hasSearched()) return { reply: aboutText(words), products: [] }
  const reply = compose(draft, options.maxProducts, { request: words, found, hasOtherCurrency, secret })
  return reply instanceof EmptyAnswer ? yield* Effect.fail(reply) : reply
})
