import { type ConfigurationError, type MailRejected, TemporarilyUnavailable } from "@till402/core"
import { rejected } from "../Rejection.ts"

/*
 * What goes wrong in a dialogue with an SMTP server, and whether it passes: RFC 5321, 4.2.
 */

/** What a dialogue fails with; `ConfigurationError`: nodemailer is not installed. */
export type DialogueFailure = MailRejected | TemporarilyUnavailable | ConfigurationError

/** Fields of nodemailer's errors. Its messages are left alone: they hold the server's words, and these addresses. */
interface DialogueError {
  /** `EENVELOPE`, `ESOCKET`. */
  readonly code?: unknown
  /** What the server's refusal was an answer to: `RCPT TO`. */
  readonly command?: unknown
  /** The server's reply code. */
  readonly responseCode?: unknown
}

/**
 * Replies that refuse neither recipient nor mail, although they begin with a 5: wrong order of commands; log in
 * first, differently, or with other credentials (RFC 4954).
 */
const ofTheSession = new Set([503, 530, 534, 535, 538])

const unavailable = (message: string, code: string): TemporarilyUnavailable =>
  Object.assign(new TemporarilyUnavailable({ message }), { code })

/** A mail whose turn did not come, or whose dialogue was not over in time. What the server did is not known. */
export const pastDeadline = (deadlineMillis: number): TemporarilyUnavailable =>
  unavailable(`smtp: not sent within ${deadlineMillis} ms`, "DEADLINE_EXCEEDED")

export const overloaded = (): TemporarilyUnavailable =>
  unavailable("smtp: too many mails are waiting", "OVERLOADED")

/**
 * A failed dialogue as a mailer throws it: `MailRejected` where the server refused the recipient or the mail
 * with a 5xx; `TemporarilyUnavailable` for everything else: a 4xx, no connection, no encryption, a login or a
 * sender that is refused.
 */
export const refusalOf = (thrown: unknown): MailRejected | TemporarilyUnavailable => {
  const { code, command, responseCode } = (
    typeof thrown === "object" && thrown !== null ? thrown : {}
  ) as DialogueError
  if (typeof responseCode === "number") {
    const word = `SMTP_${responseCode}`
    const isOfTheMail = command === "RCPT TO" || command === "DATA"
    const isFinal =
      isOfTheMail && responseCode >= 500 && responseCode <= 599 && !ofTheSession.has(responseCode)
    return isFinal
      ? rejected(`smtp: the server refused the mail with ${responseCode}`, word)
      : unavailable(`smtp: the server answered with ${responseCode}`, word)
  }
  const word = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : "UNKNOWN"
  return unavailable("smtp: the server can't be reached or broke off", word)
}
