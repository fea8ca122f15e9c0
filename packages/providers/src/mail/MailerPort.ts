import { ConfigurationError, type Mail, MailRejected, TemporarilyUnavailable } from "@till402/core"
import { type Mailer, UpstreamFailed, UpstreamUnavailable } from "@till402/core/effect"
import { Effect } from "effect"
import { isUpstreamFault, toPortError, type UpstreamFault } from "../upstream/UpstreamFault.ts"
import { outgoingMail } from "./OutgoingMail.ts"

export type MailFailure = MailRejected | TemporarilyUnavailable | ConfigurationError | UpstreamFault

const toMailerError = (error: MailFailure): MailRejected | UpstreamFailed | UpstreamUnavailable => {
  if (isUpstreamFault(error)) return toPortError("mail", error)
  if (error instanceof MailRejected) return error
  if (error instanceof ConfigurationError) return new UpstreamFailed({ port: "mail", cause: error })
  const { retryAfterSeconds } = error
  return new UpstreamUnavailable({
    port: "mail",
    cause: error,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  })
}

/** The `Mailer` port of an Effect host, over a provider's `send`. */
export const mailerPort = (send: (mail: Mail) => Effect.Effect<void, MailFailure>): Mailer["Service"] => ({
  send: Effect.fn("Mailer.send")((mail: Mail) =>
    Effect.try({
      try: () => outgoingMail(mail),
      catch: (error) => (error instanceof MailRejected ? error : new MailRejected({ message: String(error) }))
    }).pipe(Effect.flatMap(send), Effect.mapError(toMailerError))
  )
})
