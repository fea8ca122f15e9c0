import type { CallContext } from "../../runtime/Deadline.ts"
import { listsErrors, mayRefuse, saysRefused } from "../../runtime/refusal.ts"
import { MalformedResponse } from "../../runtime/MalformedResponse.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { MailRejected, TemporarilyUnavailable, UpstreamError } from "./PortErrors.ts"
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
    /** The result counts only where it says itself that nothing was sent. */
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

const hasSome = (list: unknown): boolean => Array.isArray(list) && list.length > 0

/** Words by which the message of an API says that it refused, and those by which it says that it didn't. */
const refusing =
  /\b(?:denied|disabled|error|exceeded|expired|failed|forbidden|invalid|missing|not|required|unable|unauth\w+)\b/i
const sending = /\b(?:accepted|delivered|queued|scheduled|sent|success\w*)\b/i

/** Whether a result says itself that nothing was sent: that of `fetch`, of an API, or of a client that doesn't throw. */
const isUnsent = (response: unknown): boolean => {
  const given = Object(response) as Readonly<Record<string, unknown>>
  // Mandrill and Mailjet: a list of one for each recipient, of whom a mail has one.
  const [first] = [given["Messages"] ?? response].flat()
  const answer = Object(first) as typeof given
  const {
    accepted,
    code,
    data,
    error,
    Error,
    ErrorCode,
    message,
    rejected,
    Status = answer["status"]
  } = answer
  const text = [message, code, Error].find((each) => typeof each === "string")
  const { failed, succeeded } = Object(data) as typeof given
  return (
    response === false ||
    // smtp2go.
    (succeeded === 0 && Number(failed) > 0) ||
    [given, answer, Object(data) as object].some((each) => saysRefused(each) || listsErrors(each)) ||
    [given, { status: Status }].some(mayRefuse) ||
    /^(?:invalid|rejected)$/i.test(String(Status)) ||
    (typeof error === "number" && error !== 0) ||
    // Postmark: 0 is success, and of SocketLabs `Success`.
    (ErrorCode !== undefined && ErrorCode !== null && !/^(?:0|ok|success)$/i.test(String(ErrorCode))) ||
    // Nodemailer; a mail has one recipient.
    (hasSome(rejected) && !hasSome(accepted)) ||
    // Mailgun, Brevo, AWS.
    (typeof text === "string" &&
      refusing.test(text) &&
      !sending.test(text) &&
      !Object.keys(answer).some((name) => /(?<!request_?)id$/i.test(name)))
  )
}

/** Reads the result of `send`. */
const readSent = (response: unknown) =>
  isUnsent(response)
    ? Effect.fail(
        new MalformedResponse({
          message:
            "Mailer.send returned false, a response that is not ok, or an error: throw if nothing was sent"
        })
      )
    : Effect.void

/** The mailer as the till calls it; `None`: there is none. */
export const guardedMailer = Effect.gen(function* () {
  const settings = yield* PortSettings
  return Option.map(yield* Effect.serviceOption(Mailer), (mailer): GuardedMailer => ({
    send: (mail) =>
      guarded(
        settings,
        { port: "mail", span: "Mailer.send", refusals: ["MailRejected"], read: readSent },
        () => mailer.send(mail)
      )
  }))
})

/**
 * Sends a mail. Throw `MailRejected` to give it up; after any other throw, a `Response` that isn't ok or the error of an
 * API as its result it is retried for two days.
 */
export interface MailerOptions {
  readonly send: (mail: Mail, context: CallContext) => Promise<unknown>
}
