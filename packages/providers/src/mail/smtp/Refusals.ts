import { type ConfigurationError, type MailRejected, TemporarilyUnavailable } from "@till402/core"
import { rejected } from "../MailRejection.ts"

/*
 * Failures of a dialogue with an SMTP server, temporary or permanent: RFC 5321, 4.2.
 */

/** The errors of a dialogue. `ConfigurationError`: nodemailer is not installed. */
export type DialogueFailure = MailRejected | TemporarilyUnavailable | ConfigurationError

/** Fields of nodemailer's errors. Messages are ignored: they quote the server, and it quotes addresses. */
interface DialogueError {
  /** `EENVELOPE`, `ESOCKET`. */
  readonly code?: unknown
  /** The command that the server refused: `RCPT TO`. */
  readonly command?: unknown
  /** The server's reply code. */
  readonly responseCode?: unknown
}

/**
 * Replies that start with a 5, but refuse the session instead of the recipient or the mail: a wrong order of
 * commands, or a missing or failed login (RFC 4954).
 */
const ofTheSession = new Set([503, 530, 534, 535, 538])

const unavailable = (message: string, code: string): TemporarilyUnavailable =>
  Object.assign(new TemporarilyUnavailable({ message }), { code })

/** The error of a mail that was not sent in time. The outcome at the server is unknown. */
export const pastDeadline = (deadlineMillis: number): TemporarilyUnavailable =>
  unavailable(`smtp: not sent within ${deadlineMillis} ms`, "DEADLINE_EXCEEDED")

export const overloaded = (): TemporarilyUnavailable =>
  unavailable("smtp: too many mails are waiting", "OVERLOADED")

/**
 * The error of a mailer for a failed dialogue: `MailRejected` if the server refused the recipient or the mail
 * with a 5xx, otherwise `TemporarilyUnavailable`: a 4xx, no connection, no encryption, a refused login or
 * sender.
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
      : unavailable(`smtp: the server responded with ${responseCode}`, word)
  }
  const word = typeof code === "string" && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : "UNKNOWN"
  return unavailable("smtp: the server can't be reached or closed the connection", word)
}
