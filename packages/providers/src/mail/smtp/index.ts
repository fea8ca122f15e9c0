import { ConfigurationError, type Mail, type MailerOptions } from "@till402/core"
import { Effect, Fiber, Semaphore } from "effect"
import { outgoing, RecentKeys, rememberedKeys } from "../Outgoing.ts"
import { dialogues } from "./Dialogue.ts"
import { configure, type SmtpOptions } from "./Options.ts"
import { type DialogueFailure, overloaded, pastDeadline, refusalOf } from "./Refusals.ts"

/*
 * Mails over SMTP, by nodemailer: `npm install nodemailer`.
 */

export type { SmtpOptions, SmtpSecurity } from "./Options.ts"

/**
 * Sends mails by an SMTP server, each over a connection of its own. It is encrypted, or nothing is sent, unless
 * the server is on this machine.
 *
 * SMTP knows no keys: a mail whose connection broke at the wrong moment may go out twice. This process sends
 * the mail of one key once (it remembers the last 10,000), and the same key always has the same Message-ID.
 * A call that is given up does not stop a mail that is on its way.
 *
 * `send` rejects with `MailRejected` where the server refuses recipient or mail with a 5xx, and with
 * `TemporarilyUnavailable` for everything else: a 4xx, no connection, a login that is refused; with
 * `ConfigurationError` where nodemailer is not installed.
 *
 * @throws ConfigurationError for a host, an address or a setting that can't be used
 * @example
 * import { smtpMailer } from "@till402/providers/mail/smtp"
 *
 * const mailer = smtpMailer({
 *   host: "smtp.shop.example",
 *   user: "orders@shop.example",
 *   password: process.env["SMTP_PASSWORD"]!,
 *   from: "Shop <orders@shop.example>"
 * })
 */
export const smtpMailer = (options: SmtpOptions): MailerOptions => {
  const settings = configure(options)
  const { deadlineMillis, maxConcurrent, maxWaiting } = settings
  const converse = dialogues(settings)
  const connections = Semaphore.makeUnsafe(maxConcurrent)
  const sent = new RecentKeys(rememberedKeys)
  const running = new Map<string, Fiber.Fiber<void, DialogueFailure>>()

  const deliver = (mail: Mail): Effect.Effect<void, DialogueFailure> =>
    connections
      .withPermit(
        Effect.tryPromise({
          try: (signal) => converse(mail, signal),
          catch: (thrown) => (thrown instanceof ConfigurationError ? thrown : refusalOf(thrown))
        })
      )
      .pipe(
        Effect.timeoutOrElse({
          duration: deadlineMillis,
          orElse: () => Effect.fail(pastDeadline(deadlineMillis))
        }),
        Effect.tap(() => Effect.sync(() => sent.add(mail.idempotencyKey))),
        Effect.ensuring(Effect.sync(() => running.delete(mail.idempotencyKey)))
      )

  /** The sending of this key: the one that is under way, or a new one. */
  const sending = (mail: Mail): Fiber.Fiber<void, DialogueFailure> => {
    const current = running.get(mail.idempotencyKey)
    if (current !== undefined) return current
    if (running.size >= maxConcurrent + maxWaiting) throw overloaded()
    const started = Effect.runFork(deliver(mail))
    running.set(mail.idempotencyKey, started)
    return started
  }

  return {
    send: async (given, { signal }) => {
      const mail = outgoing(given)
      if (sent.has(mail.idempotencyKey)) return
      // Given up: the wait, not the mail. Who stops a dialogue halfway does not know whether the mail went out.
      await Effect.runPromise(Fiber.join(sending(mail)), { signal })
    }
  }
}
