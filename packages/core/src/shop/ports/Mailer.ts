import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer } from "effect"
import type { MailRejected, UpstreamError } from "./Errors.ts"
import { hostCall } from "./HostCall.ts"
import type { CallSettings } from "../../ports/ProviderFailure.ts"

/** A mail to one buyer. */
export interface Mail {
  /** Address of the recipient. */
  readonly to: string
  /** One line without control characters. */
  readonly subject: string
  /** Plain text, for readers without HTML. */
  readonly text: string
  /** A complete HTML document with the same content. */
  readonly html: string
  /** Identifies the mail: send the same key only once. */
  readonly idempotencyKey: string
}

/** Sends mails to buyers. */
export class Mailer extends Context.Service<
  Mailer,
  { readonly send: (mail: Mail) => Effect.Effect<void, MailRejected | UpstreamError> }
>()("@till402/core/Mailer") {
  /** A mailer from a host's async function, whose result is ignored. */
  static readonly fromPromise = (options: MailerOptions, settings: CallSettings): Layer.Layer<Mailer> =>
    Layer.succeed(Mailer, {
      send: Effect.fn("Mailer.send")((mail: Mail) =>
        hostCall({
          port: "mail",
          operation: "send",
          settings,
          mayThrow: ["MailRejected"],
          call: (context) => options.send({ ...mail }, context),
          read: () => Effect.void
        })
      )
    })

  /** Collects mails in `outbox`, each idempotency key once. */
  static readonly layerMemory = (outbox: Array<Mail>): Layer.Layer<Mailer> =>
    Layer.succeed(Mailer, {
      send: (mail) =>
        Effect.sync(() => {
          if (!outbox.some(({ idempotencyKey }) => idempotencyKey === mail.idempotencyKey)) outbox.push(mail)
        })
    })
}

/** Sends a mail. Throw `MailRejected` to give it up; after any other throw it is retried for two days. */
export interface MailerOptions {
  readonly send: (mail: Mail, context: CallContext) => Promise<unknown>
}
