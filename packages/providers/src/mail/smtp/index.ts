import type { MailerOptions } from "@till402/core"
import { Effect, Redacted } from "effect"
import { outgoingMail } from "../OutgoingMail.ts"
import { makeClient } from "./Smtp.ts"
import type { SmtpOptions } from "./SmtpSettings.ts"

/*
 * Mail over SMTP with nodemailer: `npm install nodemailer`.
 */

export { Smtp } from "./Smtp.ts"
export type { SmtpLayerOptions, SmtpOptions, SmtpSecurity } from "./SmtpSettings.ts"

/**
 * Sends mail through an SMTP server, each over a new connection. Without encryption nothing is sent, unless
 * the server is on this machine.
 *
 * SMTP has no idempotency keys: a mail whose connection breaks at the wrong moment may be sent twice. This
 * process sends each key once (it remembers the last 10,000), and a key always has the same Message-ID.
 * Canceling a call doesn't stop a mail in flight.
 *
 * `send` rejects with `MailRejected` if the server refuses recipient or mail with a 5xx, with
 * `ConfigurationError` if nodemailer is not installed, and with `TemporarilyUnavailable` for everything
 * else: a 4xx, no connection, a refused login.
 *
 * @throws ConfigurationError for an unusable host, address or setting
 * @example
 * import { smtp } from "@till402/providers/mail/smtp"
 *
 * const mailer = smtp({
 *   host: "smtp.shop.example",
 *   user: "orders@shop.example",
 *   password: process.env["SMTP_PASSWORD"]!,
 *   from: "Shop <orders@shop.example>"
 * })
 */
export const smtp = ({ password, ...options }: SmtpOptions): MailerOptions => {
  const { send } = Effect.runSync(
    makeClient({ ...options, password: password === undefined ? undefined : Redacted.make(password) })
  )
  return {
    send: async (given, { signal }) => Effect.runPromise(send(outgoingMail(given)), { signal })
  }
}
