/*
 * The shopping assistant on language models. Code writes names, prices and ratings; of the model's text, sentences are left
 * out that state what only data can.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
export type { AssistantSettings } from "./Options.ts"
export { languageModel, type LanguageModelOptions } from "./languageModel.ts"
export { assistantOver, modelOf, type ModelPrices, type ModelSource } from "./ModelSource.ts"
export { ModelTerms, type ModelTermsShape } from "./ModelTerms.ts"
export * as ShoppingAssistant from "./ShoppingAssistant.ts"
