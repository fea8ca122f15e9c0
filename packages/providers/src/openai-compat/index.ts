/*
 * Models behind any server of the chat-completions protocol: OpenAI, OpenRouter, vLLM, llama.cpp, Ollama and others.
 */
export type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"
export type { OpenAiCompatLayerOptions, OpenAiCompatOptions, OpenAiCompatSettings } from "./Options.ts"
export * as OpenAiCompatLanguageModel from "./OpenAiCompatLanguageModel.ts"
