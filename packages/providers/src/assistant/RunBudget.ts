import type { AssistantUsage } from "@till402/core"
import { Data } from "effect"
import type { Response } from "effect/ai"
import type { ModelTermsShape } from "./ModelTerms.ts"

/*
 * Tokens and cost of one run. A request is made only if its worst case is within the bounds.
 */

/** The run would exceed its tokens, its cost or its number of requests. The request was not made. */
export class BudgetSpent extends Data.TaggedError("BudgetSpent")<{ readonly bound: string }> {
  override get message(): string {
    return `the assistant's run reached its bound: ${this.bound}`
  }
}

export interface RunBounds {
  /** Most tokens of the run, input and output. */
  readonly maxTokens: number
  /** Most cost of the run in US dollars. */
  readonly maxCostUsd: number
  /** Most requests to models. */
  readonly maxRequests: number
}

/** The worst case of one request. */
export interface Reservation {
  readonly inputTokens: number
  readonly outputTokens: number
  readonly terms: ModelTermsShape
}

const defaultOutputTokens = 1_000
/** Few tokenizers need more than a token for two letters. */
const lettersPerToken = 2
/** Tools and schemas, which are sent with each request. */
const overheadTokens = 300

/** An upper estimate of the tokens of a text: other signs than letters and spaces, and all foreign bytes, may take one. */
export const estimateTokens = (text: string): number => {
  const letters = text.match(/[A-Za-z ]/g)?.length ?? 0
  return overheadTokens + Math.ceil(letters / lettersPerToken) + Buffer.byteLength(text) - letters
}

/** Cost in millionths of a dollar: dollars for a million tokens are millionths for one. */
const costOf = (inputTokens: number, outputTokens: number, terms: ModelTermsShape): number =>
  inputTokens * (terms.inputUsdPerMillion ?? 0) + outputTokens * (terms.outputUsdPerMillion ?? 0)

/** Counts what one run uses. */
export class RunBudget {
  private readonly bounds: RunBounds
  private requests = 0
  private inputTokens = 0
  private outputTokens = 0
  private costMicroUsd = 0
  private hasPrices = false
  private model: string | undefined = undefined

  constructor(bounds: RunBounds) {
    this.bounds = bounds
  }

  /** Counts the worst case of a request as used, or returns the bound that it would exceed. */
  reserve(inputTokens: number, terms: ModelTermsShape): Reservation | BudgetSpent {
    const outputTokens = terms.maxOutputTokens ?? defaultOutputTokens
    const cost = costOf(inputTokens, outputTokens, terms)
    const { maxCostUsd, maxRequests, maxTokens } = this.bounds
    if (this.requests >= maxRequests) return new BudgetSpent({ bound: `${maxRequests} requests` })
    if (this.inputTokens + this.outputTokens + inputTokens + outputTokens > maxTokens)
      return new BudgetSpent({ bound: `${maxTokens} tokens` })
    if (this.costMicroUsd + cost > maxCostUsd * 1_000_000)
      return new BudgetSpent({ bound: `a cost of $${maxCostUsd}` })
    this.requests += 1
    this.add(inputTokens, outputTokens, terms)
    return { inputTokens, outputTokens, terms }
  }

  /** Replaces a reservation by what the model reports. A request that failed, or one without tokens, keeps it. */
  settle(reservation: Reservation, usage: Response.Usage, model: string | undefined): void {
    const { inputTokens, outputTokens, terms } = reservation
    this.add(-inputTokens, -outputTokens, terms)
    // No request takes 0 tokens: a server that says so doesn't count them.
    this.add(usage.inputTokens.total || inputTokens, usage.outputTokens.total || outputTokens, terms)
    this.model = model ?? terms.name ?? this.model
  }

  private add(inputTokens: number, outputTokens: number, terms: ModelTermsShape): void {
    this.inputTokens += inputTokens
    this.outputTokens += outputTokens
    this.costMicroUsd += costOf(inputTokens, outputTokens, terms)
    this.hasPrices ||= terms.inputUsdPerMillion !== undefined || terms.outputUsdPerMillion !== undefined
  }

  /** Whether a request was made. */
  get isUsed(): boolean {
    return this.requests > 0
  }

  usage(outcome: AssistantUsage["outcome"]): AssistantUsage {
    return {
      outcome,
      model: this.model,
      rounds: this.requests,
      inputTokens: this.inputTokens,
      outputTokens: this.outputTokens,
      costMicroUsd: this.hasPrices ? Math.ceil(this.costMicroUsd) : undefined
    }
  }
}
