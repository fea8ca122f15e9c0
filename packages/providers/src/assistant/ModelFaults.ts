import { UpstreamFailed, UpstreamUnavailable } from "@till402/core"
import { Data, Duration } from "effect"
import type { AiError } from "effect/ai"
import type { BudgetSpent } from "./RunBudget.ts"

/*
 * Errors of models as errors of the assistant.
 */

/** Neither the model nor the search gave anything that can be sent. */
export class EmptyAnswer extends Data.TaggedError("EmptyAnswer") {
  override get message(): string {
    return "the search found nothing, and the model said nothing about it"
  }
}

/** Whether the model's response was unusable, so that asking again may help. */
export const isUnreadable = ({ reason }: AiError.AiError): boolean =>
  reason._tag === "InvalidOutputError" ||
  reason._tag === "StructuredOutputError" ||
  reason._tag === "ToolNotFoundError" ||
  reason._tag === "ToolParameterValidationError"

const temporary: ReadonlySet<string> = new Set<AiError.AiErrorReason["_tag"]>([
  "RateLimitError",
  "QuotaExhaustedError",
  "InternalProviderError",
  "NetworkError"
])

/** 503 for a model that is busy, down, over quota or without an answer; 502 for a refusal, an unusable response or a wrong key. */
export const toAssistantError = (
  error: AiError.AiError | BudgetSpent | EmptyAnswer
): UpstreamFailed | UpstreamUnavailable => {
  if (error._tag === "EmptyAnswer") return new UpstreamUnavailable({ port: "assistant", cause: error })
  if (error._tag !== "AiError" || !temporary.has(error.reason._tag)) {
    return new UpstreamFailed({ port: "assistant", cause: error })
  }
  const { reason } = error
  const wait = reason._tag === "RateLimitError" ? reason.retryAfter : undefined
  return new UpstreamUnavailable({
    port: "assistant",
    cause: error,
    ...(wait === undefined ? {} : { retryAfterSeconds: Math.max(1, Math.ceil(Duration.toSeconds(wait))) })
  })
}
