import type { AssistantOptions } from "@till402/core"
import { languageModel } from "@till402/providers/assistant"
import { type Environment, type Fetch, missing, numberOf, type Part, valueOf } from "./environment.ts"

/*
 * The shopping assistant on a language model: any server of the chat-completions protocol.
 */

export const assistantFrom = (environment: Environment, fetch: Fetch): Part<AssistantOptions> => {
  const baseUrl = valueOf(environment, "MODEL_BASE_URL")
  const model = valueOf(environment, "MODEL_NAME")
  const inputUsdPerMillion = numberOf(environment, "MODEL_INPUT_USD_PER_MILLION")
  const outputUsdPerMillion = numberOf(environment, "MODEL_OUTPUT_USD_PER_MILLION")
  if (baseUrl === undefined || model === undefined) {
    return missing("assistant", "MODEL_BASE_URL and MODEL_NAME", "there is no POST /x402/shop")
  }
  return {
    port: languageModel({
      baseUrl,
      model,
      apiKey: valueOf(environment, "MODEL_API_KEY"),
      inputUsdPerMillion,
      outputUsdPerMillion,
      fetch
    }),
    line:
      inputUsdPerMillion === undefined || outputUsdPerMillion === undefined
        ? `assistant: ${model}. Set MODEL_INPUT_USD_PER_MILLION and MODEL_OUTPUT_USD_PER_MILLION; without, the cost of a call is bounded in tokens only.`
        : `assistant: ${model}.`
  }
}
