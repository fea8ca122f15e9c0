import { Duration, Option, Redacted, Schema } from "effect"
import { AiError } from "effect/ai"
import { retryAfterMillisOf, type Rejected, type UpstreamFault } from "../upstream/index.ts"

/*
 * Faults of a model's server as errors of `LanguageModel`. Their texts quote nothing of a request or a response.
 */

/** What a server says about an error. The fields differ, so all are optional. */
interface ErrorDetail {
  readonly code: string
  readonly message: string
}

const ErrorBody = Schema.fromJsonString(
  Schema.Struct({
    error: Schema.Union([
      Schema.String,
      Schema.Struct({
        code: Schema.optionalKey(Schema.Unknown),
        type: Schema.optionalKey(Schema.Unknown),
        message: Schema.optionalKey(Schema.Unknown),
        param: Schema.optionalKey(Schema.Unknown)
      })
    ])
  })
)
const decodeBody = Schema.decodeUnknownOption(ErrorBody)

const known = (value: unknown): string => (typeof value === "string" ? value : "")

/** Code and message of an error, in lower case; empty if there are none. */
export const detailOf = ({ response }: Rejected): ErrorDetail => detailOfText(Redacted.value(response).text)

/** Like `detailOf`, for a text. */
export const detailOfText = (text: string): ErrorDetail => {
  const body = Option.getOrUndefined(decodeBody(text))
  if (body === undefined) return { code: "", message: text.slice(0, 2_000).toLowerCase() }
  const { error } = body
  if (typeof error === "string") return { code: "", message: error.toLowerCase() }
  return {
    code: [error.code, error.type, error.param].map(known).join(" ").toLowerCase(),
    message: known(error.message).toLowerCase()
  }
}

const tooLong =
  /context.?length|context window|maximum context|too many tokens|prompt is too long|token limit|reduce the length/
const filtered = /content.?(?:filter|policy|management)|safety|responsible.?ai|moderation/
const overQuota = /insufficient.?quota|billing|credit balance|exceeded your current quota|payment required/

/** A status that a model's server refused a request with. */
interface Refusal extends ErrorDetail {
  readonly status: number
  readonly retryAfterMillis?: number | undefined
}

/** The reason of a refusal. */
export const reasonOfRefusal = ({
  code,
  message,
  retryAfterMillis,
  status
}: Refusal): AiError.AiErrorReason => {
  const says = (pattern: RegExp): boolean => pattern.test(code) || pattern.test(message)
  const description = `the model's server responded with status ${status}`
  if (status === 401) return new AiError.AuthenticationError({ kind: "InvalidKey", description })
  if (status === 403 && !says(filtered))
    return new AiError.AuthenticationError({ kind: "InsufficientPermissions", description })
  if (status === 402 || (status === 429 && says(overQuota))) return new AiError.QuotaExhaustedError({})
  if (status === 429) return rateLimited(retryAfterMillis)
  if (status === 413 || (status < 500 && says(tooLong))) {
    return new AiError.InvalidRequestError({
      parameter: "messages",
      constraint: "context length",
      description: "the conversation is too long for the model"
    })
  }
  if (status < 500 && says(filtered)) {
    return new AiError.ContentPolicyError({ description: "the request was refused by a content filter" })
  }
  return status === 408 || status >= 500
    ? new AiError.InternalProviderError({ description })
    : new AiError.InvalidRequestError({ description })
}

const rateLimited = (millis: number | undefined): AiError.AiErrorReason =>
  new AiError.RateLimitError(millis === undefined ? {} : { retryAfter: Duration.millis(millis) })

const reasonOf = (fault: UpstreamFault): AiError.AiErrorReason => {
  switch (fault._tag) {
    case "Rejected":
      return reasonOfRefusal({
        ...detailOf(fault),
        status: fault.status,
        retryAfterMillis: fault.retryAfterMillis
      })
    case "RateLimited":
    case "CircuitOpen":
      return rateLimited(retryAfterMillisOf(fault))
    case "Unreachable":
    case "TimedOut":
    case "Overloaded":
      return new AiError.InternalProviderError({ description: fault.message })
    case "ResponseTooLarge":
    case "ResponseMalformed":
    case "Redirected":
      return new AiError.InvalidResponseError({ description: fault.message })
  }
}

/** The fault as an error of `LanguageModel`. */
export const toAiError = (fault: UpstreamFault): AiError.AiError =>
  AiError.make({ module: "OpenAiCompatLanguageModel", method: "generateText", reason: reasonOf(fault) })
