import { Context, type Effect } from "effect"
import type { UpstreamError } from "../domain/Errors.ts"

export interface Mail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** The same key is the same mail: send it once. */
  readonly idempotencyKey: string
}

/** Sends a mail. */
export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: Mail) => Effect.Effect<void, UpstreamError> }
>()("@till402/core/Mailer") {}
