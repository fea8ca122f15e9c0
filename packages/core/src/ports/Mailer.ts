import { Context, Effect, Layer } from "effect"
import type { MailRejected, UpstreamError } from "../domain/Errors.ts"
import type { MailerOptions } from "../ProviderOptions.ts"
import { type CallSettings, hostCall } from "./HostCall.ts"

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
  { readonly send: (mail: Mail) => Effect.Effect<void, MailRejected | UpstreamError> }
>()("@till402/core/Mailer") {
  /** The mailer of a host without Effect; what it answers is not looked at. */
  static readonly fromPromise = (
    options: MailerOptions,
    { timeoutMillis }: CallSettings
  ): Layer.Layer<Mailer> =>
    Layer.succeed(Mailer, {
      send: Effect.fn("Mailer.send")((mail: Mail) =>
        hostCall({
          port: "mail",
          timeoutMillis,
          refuses: ["MailRejected"],
          ask: (asking) => options.send({ ...mail }, asking),
          read: () => Effect.void
        })
      )
    })

  /** Puts mails into `outbox`, each idempotency key once. */
  static readonly layerMemory = (outbox: Array<Mail>): Layer.Layer<Mailer> =>
    Layer.succeed(Mailer, {
      send: (mail) =>
        Effect.sync(() => {
          if (!outbox.some(({ idempotencyKey }) => idempotencyKey === mail.idempotencyKey)) outbox.push(mail)
        })
    })
}
