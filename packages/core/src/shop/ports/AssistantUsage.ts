import type { Effect } from "effect"
import { report } from "./ShopEvents.ts"

/** What one run of an assistant's model used. */
export interface AssistantUsage {
  /**
   * How the run ended: with a reply; with the list of products alone, as nothing of the model's text could be sent; or with
   * an error for which nothing is charged.
   */
  readonly outcome: "replied" | "listed" | "failed"
  /** The model that wrote the reply, as its provider names it. */
  readonly model?: string | undefined
  /** Requests to models. */
  readonly rounds: number
  /** Tokens sent. Estimated where the provider reports none. */
  readonly inputTokens: number
  /** Tokens received. Estimated where the provider reports none. */
  readonly outputTokens: number
  /** Cost in millionths of a US dollar; absent if no prices are set. */
  readonly costMicroUsd?: number | undefined
}

/** Reports the usage of a run as event `assistant_used`. */
export const reportAssistantUsage = ({ outcome, ...usage }: AssistantUsage): Effect.Effect<void> =>
  report("Info", "assistant_used", "A model worked for the assistant", {
    port: "assistant",
    operation: "reply",
    reason: outcome,
    ...usage
  })
