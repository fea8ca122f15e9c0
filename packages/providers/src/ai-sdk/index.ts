import { Effect } from "effect"
import { type ModelPrices, type ModelSource, modelSource } from "../assistant/ModelSource.ts"
import { type AiSdkOptions, make } from "./AiSdkLanguageModel.ts"

/*
 * Models of the Vercel AI SDK (https://ai-sdk.dev), from the optional peer dependency `ai`.
 */
export type { AiSdkOptions } from "./AiSdkLanguageModel.ts"
export * as AiSdkLanguageModel from "./AiSdkLanguageModel.ts"

/**
 * A model of the AI SDK for the shopping assistant.
 *
 * @example
 * import { aiSdkModel, type AiSdkOptions } from "@till402/providers/ai-sdk"
 * import { assistantOver } from "@till402/providers/assistant"
 *
 * // The model is, for example, openai("gpt-5-mini") of @ai-sdk/openai.
 * const assistantOn = (model: AiSdkOptions["model"]) => assistantOver([aiSdkModel({ model })])
 */
export const aiSdkModel = ({
  inputUsdPerMillion,
  outputUsdPerMillion,
  ...options
}: AiSdkOptions & ModelPrices): ModelSource => {
  const { maxOutputTokens, model } = options
  const name = typeof model === "string" ? model : model.modelId
  return modelSource(Effect.runSync(make(options)), {
    name,
    inputUsdPerMillion,
    outputUsdPerMillion,
    maxOutputTokens
  })
}
