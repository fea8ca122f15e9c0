import type { CallContext } from "../../runtime/Deadline.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { MailRejected, TemporarilyUnavailable, UpstreamError } from "./Errors.ts"
import { fromOptions, fromPromise, guarded, PortSettings } from "./PortGuard.ts"

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
  {
    /** The result is ignored. */
    readonly send: (
      mail: Mail
    ) => Effect.Effect<unknown, MailRejected | TemporarilyUnavailable | UpstreamError>
  }
>()("@till402/core/Mailer") {
  /** A mailer from a host's async function. */
  static readonly layerPromise = (options: MailerOptions): Layer.Layer<Mailer> =>
    Layer.succeed(
      Mailer,
      fromOptions<Mailer["Service"]>(options, {
        send: (mail) => fromPromise((context) => options.send({ ...mail }, context))
      })
    )
}

/** A mailer whose calls are guarded. */
export interface GuardedMailer {
  readonly send: (mail: Mail) => Effect.Effect<void, MailRejected | UpstreamError>
}

/** The mailer as the till calls it; `None`: there is none. */
export const guardedMailer = Effect.gen(function* () {
  const settings = yield* PortSettings
  return Option.map(yield* Effect.serviceOption(Mailer), (mailer): GuardedMailer => ({
    send: (mail) =>
      guarded(
        settings,
        { port: "mail", span: "Mailer.send", refusals: ["MailRejected"], read: () => Effect.void },
        () => mailer.send(mail)
      )
  }))
})

/** Sends a mail. Throw `MailRejected` to give it up; after any other throw it is retried for two days. */
export interface MailerOptions {
  readonly send: (mail: Mail, context: CallContext) => Promise<unknown>
}
