import type { MailerOptions } from "@till402/core"
import { resend } from "@till402/providers/mail/resend"
import { smtp } from "@till402/providers/mail/smtp"
import { type Environment, type Fetch, missing, numberOf, type Part, valueOf } from "./environment.ts"

/*
 * Mails to buyers, by Resend or by an SMTP server.
 */

export const mailerFrom = (environment: Environment, fetch: Fetch): Part<MailerOptions> => {
  const from = valueOf(environment, "MAIL_FROM")
  const replyTo = valueOf(environment, "MAIL_REPLY_TO")
  const apiKey = valueOf(environment, "RESEND_API_KEY")
  const host = valueOf(environment, "SMTP_HOST")
  if (from !== undefined && apiKey !== undefined) {
    return { port: resend({ apiKey, from, replyTo, fetch }), line: "mail: Resend." }
  }
  if (from !== undefined && host !== undefined) {
    const port = numberOf(environment, "SMTP_PORT")
    const user = valueOf(environment, "SMTP_USER")
    const password = valueOf(environment, "SMTP_PASSWORD")
    return { port: smtp({ host, port, user, password, from, replyTo }), line: "mail: SMTP." }
  }
  return missing("mail", "MAIL_FROM with RESEND_API_KEY or SMTP_HOST", "buyers get no mail")
}
