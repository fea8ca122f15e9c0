/*
 * The shopping assistant on language models. Prices and ratings of its replies are written by code; of the model's text,
 * only sentences of harmless words are kept.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
export type { AssistantSettings } from "./Options.ts"
export { languageModel, type LanguageModelOptions } from "./languageModel.ts"
export { assistantOver, modelOf, type ModelPrices, type ModelSource } from "./ModelSource.ts"
export { ModelTerms, type ModelTermsShape } from "./ModelTerms.ts"
export * as ShoppingAssistant from "./ShoppingAssistant.ts"
