import type { Product, ShopRequest, ShopResponse } from "@till402/core"
import { Effect, type ExecutionPlan, Option, Result, Schema } from "effect"
import { type AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import { askForAnswer, askForRepair, askForValid, instructions } from "./Instructions.ts"
import { EmptyAnswer, isUnreadable } from "./ModelFaults.ts"
import { ModelTerms } from "./ModelTerms.ts"
import { makeTools, type RunTools, type Search, type SearchError } from "./ProductTools.ts"
import { builtReply, checkDraft, replyText } from "./reply/ReplyText.ts"
import type { ReplyContext } from "./reply/ReplyCheck.ts"
import { BudgetSpent, estimateTokens, type RunBudget } from "./RunBudget.ts"
import { describeRequest, limitsOf, wordsOf } from "./Wishes.ts"

/*
 * One run: rounds of searches, an answer, one repair, and the checked reply.
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
  reply: Schema.String.annotate({ description: "Plain text for the shopper" }),
  recommendedIds: Schema.Array(Schema.String).annotate({ description: "Ids of products, best first" })
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

/** The products of an answer: those found within the limits, each once. */
const pick = (answer: Answer, { found }: RunTools, maxProducts: number) => {
  const products = new Set<Product>()
  const unknown: Array<string> = []
  for (const id of answer.recommendedIds) {
    const product = found.get(id)
    if (product === undefined) unknown.push(id.slice(0, 100))
    else if (products.size < maxProducts) products.add(product)
  }
  return { products: [...products], unknown: unknown.slice(0, 10) }
}

/**
 * Has an answer corrected once if it names unknown products, or if less than half of its sentences can be kept. Keeps
 * the first answer if the model fails to.
 */
const repaired = Effect.fnUntraced(function* (
  answer: Answer,
  prompt: Prompt.Prompt,
  tools: RunTools,
  run: {
    readonly requests: Requests
    readonly options: RunOptions
    readonly contextOf: ContextOf
    /** Whether the answer ends the prompt already. */
    readonly isSaid: boolean
  }
) {
  const { contextOf, options, requests } = run
  const { products, unknown } = pick(answer, tools, options.maxProducts)
  const checked = checkDraft(answer.reply, contextOf(products))
  const faults = checked.filter(({ fault }) => fault !== undefined)
  if (faults.length * 2 <= checked.length && unknown.length === 0) return answer
  const said = run.isSaid ? prompt : say(prompt, "assistant", JSON.stringify(answer))
  const note = askForRepair(faults, unknown, tools.found.ids.slice(0, 20))
  const result = yield* Effect.result(requests.answer(say(said, "user", note)))
  return Result.isSuccess(result) ? result.success.value : answer
})

type ContextOf = (products: ReadonlyArray<Product>) => ReplyContext

/** The reply that is sent: the harmless part of the answer with a list of the products, or the list alone. */
const compose = (
  answer: Answer | undefined,
  tools: RunTools,
  maxProducts: number,
  contextOf: ContextOf
): ShopResponse => {
  const picked = answer === undefined ? undefined : pick(answer, tools, maxProducts)
  const isLost = picked === undefined || (picked.products.length === 0 && picked.unknown.length > 0)
  if (isLost || answer === undefined) {
    // The answer is about products that don't exist, so none of its text can stay.
    const products = tools.found.products.slice(0, maxProducts)
    return { reply: builtReply(contextOf(products)), products }
  }
  const { products } = picked
  return { reply: replyText(answer.reply, contextOf(products)), products }
}

/**
 * Replies to one request. Fails with the model's error, with `BudgetSpent` if not even one search was possible, and
 * with the marketplaces' error if every search failed.
 */
export const runAssistant = Effect.fnUntraced(function* (
  request: ShopRequest,
  options: RunOptions
): Effect.fn.Return<ShopResponse, RunError> {
  const limits = limitsOf(request)
  const tools = makeTools(options.search, limits, options.maxSearches)
  const system = instructions(options.maxProducts)
  const contextOf: ContextOf = (products) => ({
    products,
    limits,
    request: wordsOf(request),
    hasSearched: tools.hasSearched(),
    hasFound: tools.found.products.length > 0
  })
  const start = Prompt.make([
    { role: "system", content: system },
    { role: "user", content: [{ type: "text", text: describeRequest(request) }] }
  ])
  const requests = makeRequests(options, tools)
  const explored = yield* explore(start, requests, options.maxRounds)
  const failure = tools.failure()
  if (failure !== undefined) return yield* Effect.fail(failure)
  const { prompt } = explored
  const answered =
    explored.answer === undefined
      ? yield* Effect.result(askAnswer(prompt, askForAnswer, requests))
      : Result.succeed(explored.answer)
  if (Result.isFailure(answered)) {
    // Out of budget with products in hand: they are listed.
    if (answered.failure._tag !== "BudgetSpent" || tools.found.products.length === 0) {
      return yield* Effect.fail(answered.failure)
    }
    return compose(undefined, tools, options.maxProducts, contextOf)
  }
  const answer = yield* repaired(answered.success, prompt, tools, {
    requests,
    options,
    contextOf,
    isSaid: explored.answer !== undefined
  })
  // Nothing can be said about products that were never searched for.
  if (!tools.hasSearched() && (answer.reply.trim() === "" || answer.recommendedIds.length > 0))
    return yield* Effect.fail(new EmptyAnswer())
  return compose(answer, tools, options.maxProducts, contextOf)
})
