import type { Redacted } from "effect"
import type { FetchOptions, UpstreamSettings } from "../upstream/UpstreamSettings.ts"

/**
 * Settings of a model behind the chat-completions protocol, without its key. Defaults that differ from those of other
 * providers: `timeoutMillis` 12,000, `deadlineMillis` 14,000, `retries` 1, `maxConcurrent` 64.
 */
export interface OpenAiCompatSettings extends UpstreamSettings {
  /** Address that `/chat/completions` is added to: `https://api.openai.com/v1`. Must be https or on this machine. */
  readonly baseUrl: string
  /** The model, as the server names it: `gpt-5-mini`. */
  readonly model: string
  /** Most tokens of one response; default 1,000. */
  readonly maxOutputTokens?: number | undefined
  /** Randomness from 0 to 2; default: the server's. */
  readonly temperature?: number | undefined
  /**
   * How JSON of a schema is requested: by `response_format` with a JSON schema, or by a tool that takes the answer.
   * Default `auto`: by the schema, until the server refuses it.
   */
  readonly structuredOutput?: "auto" | "json_schema" | "tool" | undefined
}

/** Options of `OpenAiCompatLanguageModel.layer`. */
export interface OpenAiCompatLayerOptions extends OpenAiCompatSettings {
  /** Sent as bearer token; leave it out for a server on this machine that needs none. */
  readonly apiKey?: Redacted.Redacted<string> | undefined
}

/** Options in plain TypeScript. */
export interface OpenAiCompatOptions extends OpenAiCompatSettings, FetchOptions {
  /** Sent as bearer token; leave it out for a server on this machine that needs none. */
  readonly apiKey?: string | undefined
}
