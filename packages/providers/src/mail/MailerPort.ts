import { ConfigurationError, type Mail, MailRejected, type TemporarilyUnavailable } from "@till402/core"
import { type Mailer, UpstreamFailed, type UpstreamUnavailable } from "@till402/core/effect"
import { Effect } from "effect"
import { isUpstreamFault, toPortError, type UpstreamFault } from "../upstream/UpstreamFault.ts"
import { outgoingMail } from "./OutgoingMail.ts"

export type MailFailure = MailRejected | TemporarilyUnavailable | ConfigurationError | UpstreamFault

const toMailerError = (
  error: MailFailure
): MailRejected | TemporarilyUnavailable | UpstreamFailed | UpstreamUnavailable => {
  if (isUpstreamFault(error)) return toPortError("mail", error)
  return error instanceof ConfigurationError ? new UpstreamFailed({ port: "mail", cause: error }) : error
}

/** The `Mailer` port of an Effect host, over a provider's `send`. */
export const mailerPort = (send: (mail: Mail) => Effect.Effect<void, MailFailure>): Mailer["Service"] => ({
  send: (mail) =>
    Effect.try({
      try: () => outgoingMail(mail),
      catch: (error) => (error instanceof MailRejected ? error : new MailRejected({ message: String(error) }))
    }).pipe(Effect.flatMap(send), Effect.mapError(toMailerError))
})
