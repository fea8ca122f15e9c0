import { Context } from "effect"

/** What a model costs, and how much it may write. All fields are optional. */
export interface ModelTermsShape {
  /** The model, as its provider names it. */
  readonly name?: string | undefined
  /** US dollars for a million input tokens. */
  readonly inputUsdPerMillion?: number | undefined
  /** US dollars for a million output tokens. */
  readonly outputUsdPerMillion?: number | undefined
  /** Most tokens of one response, as requested from the model; default 1,000. */
  readonly maxOutputTokens?: number | undefined
}

/**
 * The terms of the `LanguageModel` beside it. Without prices, tokens are bounded, and the cost isn't.
 *
 * @example
 * import { ModelTerms } from "@till402/providers/assistant"
 * import { Layer } from "effect"
 *
 * const terms = Layer.succeed(ModelTerms, { inputUsdPerMillion: 0.4, outputUsdPerMillion: 1.6 })
 */
export const ModelTerms = Context.Reference<ModelTermsShape>("@till402/providers/ModelTerms", {
  defaultValue: () => ({})
})
