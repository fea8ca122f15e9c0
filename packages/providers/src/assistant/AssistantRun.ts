import type { Product, ShopRequest, ShopResponse } from "@till402/core"
import { Clock, Effect, type ExecutionPlan, Option, Result, Schema } from "effect"
import { type AiError, LanguageModel, Prompt, type Response } from "effect/ai"
import { askForAnswer, askForValid, instructions } from "./Instructions.ts"
import { EmptyAnswer, isUnreadable } from "./ModelFaults.ts"
import { ModelTerms } from "./ModelTerms.ts"
import { makeTools, type RunTools, type Search, type SearchError } from "./ProductTools.ts"
import { oneOfEach } from "./reply/OneProduct.ts"
import {
  aboutText,
  type Answered,
  type Draft,
  draftOf,
  isSilent,
  judgedDraft,
  type ReplyContext,
  replyText,
  sentencesOfDraft
} from "./reply/ReplyText.ts"
import { type Opinion, opinionPrompt, Opinions, opinionsOn } from "./reply/SecondOpinion.ts"
import { BudgetSpent, estimateTokens, type RunBudget } from "./RunBudget.ts"
import { describeRequest, limitsOf, searchWordsOf, wordsOf } from "./Wishes.ts"

/*
 * One run: a search for the shopper's words, further ones that the model makes, its answer, its opinion on the sentences of
 * the answer, and the reply made of them.
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
  /** When the run ends, in milliseconds of the clock. */
  readonly endsAt: number
}

/** A reply, and whether it has sentences of the model or the list alone. */
export interface RunReply {
  readonly response: ShopResponse
  readonly outcome: "replied" | "listed"
}

export type RunError = AiError.AiError | BudgetSpent | EmptyAnswer | SearchError

const Answer = Schema.Struct({
  shopping: Schema.optionalKey(Schema.NullOr(Schema.Boolean)).annotate({
    description: "Whether the message wishes for a product"
  }),
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
      counted(prompt, LanguageModel.generateObject({ prompt, schema: Answer, objectName: "answer" })),
    opinions: (prompt: Prompt.Prompt) =>
      counted(prompt, LanguageModel.generateObject({ prompt, schema: Opinions, objectName: "opinions" }))
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

/** The products of an answer: those found within the limits, each once and in one variant. Without any of them, none of its text can stay. */
const answeredBy = (answer: Answer, { found }: RunTools, maxProducts: number): Answered | undefined => {
  const picks = new Map<Product, Answered["picks"][number]>()
  for (const { id, why } of answer.picks) {
    const product = found.get(id)
    if (product !== undefined && !picks.has(product)) picks.set(product, { product, why })
  }
  const kept = oneOfEach([...picks.values()], ({ product }) => product).slice(0, maxProducts)
  return kept.length === 0 && answer.picks.length > 0
    ? undefined
    : { summary: answer.summary, picks: kept, note: answer.note ?? "" }
}

/** Part of the time that is left in which the model must give its opinion; the list can be sent after it. */
const opinionShare = 0.9

/** The model's opinion on the sentences of a draft; none if it gives no usable one in time. */
const askOpinions = Effect.fnUntraced(function* (draft: Draft, requests: Requests, endsAt: number) {
  const none: ReadonlyMap<string, Opinion> = new Map()
  if (isSilent(draft)) return none
  const ask = (numbered: string) =>
    Effect.map(requests.opinions(opinionPrompt(numbered)), ({ value }) => value)
  const left = Math.max(0, endsAt - (yield* Clock.currentTimeMillis))
  return yield* opinionsOn(sentencesOfDraft(draft), ask).pipe(
    Effect.timeoutOption(left * opinionShare),
    Effect.catch(() => Effect.succeed(Option.none())),
    Effect.map(Option.getOrElse(() => none))
  )
})

/** The reply that is sent: what may be sent of the draft, or the products that were found. */
const compose = (
  draft: Draft | undefined,
  maxProducts: number,
  context: ReplyContext
): RunReply | EmptyAnswer => {
  const isTold = draft !== undefined && !isSilent(draft)
  const distinct = oneOfEach(context.found, (product) => product)
  const found = distinct.slice(0, maxProducts).map((product) => ({ product, why: [] }))
  const picks = draft === undefined || (!isTold && draft.picks.length === 0) ? found : draft.picks
  if (!isTold && picks.length === 0) return new EmptyAnswer()
  const opening = isTold ? undefined : draft?.picks.length === 0 ? "nothingFits" : "uncompared"
  const { note = [], summary = [] } = draft ?? {}
  return {
    response: {
      reply: replyText({ summary, picks, note }, context, opening),
      products: picks.map(({ product }) => product)
    },
    outcome: isTold ? "replied" : "listed"
  }
}

/**
 * Replies to one request. Fails with the model's error, with `BudgetSpent` if not even one request was possible, with the
 * marketplaces' error if every search failed, and with `EmptyAnswer` if neither model nor search gave anything.
 */
export const runAssistant = Effect.fnUntraced(function* (
  request: ShopRequest,
  options: RunOptions
): Effect.fn.Return<RunReply, RunError> {
  const { endsAt, maxProducts, maxRounds, maxSearches, search } = options
  const limits = limitsOf(request)
  const tools = makeTools(search, limits, maxSearches)
  const secret = instructions(maxProducts)
  // The shopper's own words save the model's first request.
  const first = yield* tools.searchFor(searchWordsOf(request))
  const start = Prompt.make([
    { role: "system", content: secret },
    { role: "user", content: [{ type: "text", text: describeRequest(request, first) }] }
  ])
  const requests = makeRequests(options, tools)
  const { answer, prompt } = yield* explore(start, requests, maxRounds)
  const failure = tools.failure()
  if (failure !== undefined && answer?.shopping !== false) return yield* Effect.fail(failure)
  const answered =
    answer === undefined
      ? yield* Effect.result(askAnswer(prompt, askForAnswer, requests))
      : Result.succeed(answer)
  const found = tools.found.products
  // Out of budget with products in hand: they are listed.
  const isSpent =
    Result.isFailure(answered) &&
    answered.failure._tag === "BudgetSpent" &&
    options.budget.isUsed &&
    found.length > 0
  if (Result.isFailure(answered) && !isSpent) return yield* Effect.fail(answered.failure)
  const words = wordsOf(request)
  if (
    Result.isSuccess(answered) &&
    answered.success.shopping === false &&
    answered.success.picks.length === 0
  )
    return { response: { reply: aboutText(words), products: [] }, outcome: "replied" }
  const context = { request: words, found, hasOtherCurrency: limits.hasOtherCurrency, secret }
  const stated = Result.isSuccess(answered) ? answeredBy(answered.success, tools, maxProducts) : undefined
  const draft = stated === undefined ? undefined : draftOf(stated, context)
  const judged =
    draft === undefined ? undefined : judgedDraft(draft, yield* askOpinions(draft, requests, endsAt))
  const reply = compose(judged, maxProducts, context)
  return reply instanceof EmptyAnswer ? yield* Effect.fail(reply) : reply
})
