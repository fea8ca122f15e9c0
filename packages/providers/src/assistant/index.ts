/*
 * The shopping assistant on language models. Its replies state nothing false about price, rating and availability,
 * whatever the model writes.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
export type { AssistantSettings } from "./Options.ts"
export { languageModel, type LanguageModelOptions } from "./languageModel.ts"
export { assistantOver, modelOf, type ModelPrices, type ModelSource } from "./ModelSource.ts"
export { ModelTerms, type ModelTermsShape } from "./ModelTerms.ts"
export * as ShoppingAssistant from "./ShoppingAssistant.ts"
