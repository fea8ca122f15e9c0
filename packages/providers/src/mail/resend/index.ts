import { createHash } from "node:crypto"
import { ConfigurationError, type Mail, type MailerOptions } from "@till402/core"
import { Effect, Redacted, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import {
  baseUrlOf,
  type FetchOptions,
  keyOf,
  makeUpstream,
  overFetch,
  paced,
  promised,
  readJson,
  type UpstreamSettings,
  type UpstreamUsage
} from "../../upstream/index.ts"
import { formatMailbox, mailboxOf } from "../Address.ts"
import { outgoing } from "../Outgoing.ts"
import { failureOf } from "./Refusals.ts"

/*
 * Mails by Resend (https://resend.com): POST /emails, https://resend.com/docs/api-reference/emails/send-email
 */

export type { FetchOptions, RateLimit, UpstreamSettings, UpstreamUsage } from "../../upstream/Settings.ts"

export interface ResendOptions extends UpstreamSettings, FetchOptions {
  readonly apiKey: string
  /** `Shop <orders@shop.example>`, of a domain that is verified at Resend. */
  readonly from: string
  /** Where answers of buyers go; default: to `from`. */
  readonly replyTo?: string
  /**
   * What your team may send; default 2, the lowest that Resend has had for all
   * (https://resend.com/docs/api-reference/rate-limit). Counted for this mailer alone.
   */
  readonly requestsPerSecond?: number
  /** Default `https://api.resend.com`. */
  readonly baseUrl?: string
}

export interface ResendMailer extends MailerOptions {
  readonly usage: () => UpstreamUsage
}

/** Resend refuses requests without one. */
const userAgent = "till402"

const readSent = readJson(Schema.Struct({ id: Schema.String }))

/** Resend takes 1 to 256 characters, a header visible ones alone: any other key goes by its digest. */
const keyHeader = (key: string): string =>
  /^[\x21-\x7e]{1,256}$/.test(key) ? key : `sha256-${createHash("sha256").update(key).digest("hex")}`

const rateOf = (requestsPerSecond: unknown): Effect.Effect<number, ConfigurationError> =>
  typeof requestsPerSecond === "number" &&
  Number.isInteger(requestsPerSecond) &&
  requestsPerSecond >= 1 &&
  requestsPerSecond <= 1_000
    ? Effect.succeed(requestsPerSecond)
    : Effect.fail(
        new ConfigurationError({ message: "resend: requestsPerSecond must be a whole number from 1 to 1000" })
      )

const make = Effect.fnUntraced(function* (options: ResendOptions) {
  const apiKey = yield* keyOf("resend", Redacted.make(options.apiKey))
  const baseUrl = yield* baseUrlOf("resend", options.baseUrl ?? "https://api.resend.com")
  const requests = yield* rateOf(options.requestsPerSecond ?? 2)
  const from = formatMailbox(mailboxOf("resend", "from", options.from))
  const replyTo =
    options.replyTo === undefined ? undefined : formatMailbox(mailboxOf("resend", "replyTo", options.replyTo))
  const upstream = yield* makeUpstream({
    ...options,
    name: "resend",
    limiter: paced({ requests, perMillis: 1_000 })
  })

  const requestOf = ({ html, idempotencyKey, subject, text, to }: Mail) =>
    HttpClientRequest.post(`${baseUrl}/emails`).pipe(
      HttpClientRequest.setHeaders({
        accept: "application/json",
        authorization: `Bearer ${Redacted.value(apiKey)}`,
        "idempotency-key": keyHeader(idempotencyKey),
        "user-agent": userAgent
      }),
      HttpClientRequest.bodyJsonUnsafe({
        from,
        to: [to],
        subject,
        text,
        html,
        ...(replyTo === undefined ? {} : { reply_to: replyTo }),
        // RFC 3834: holiday notices need not answer.
        headers: { "Auto-Submitted": "auto-generated" }
      })
    )

  const send = (mail: Mail) =>
    // The key makes it so: Resend knows it for 24 hours.
    upstream.call(requestOf(mail), { idempotent: true }).pipe(
      Effect.flatMap(readSent),
      Effect.asVoid,
      Effect.catch((fault) => {
        const failure = failureOf(fault)
        return failure === undefined ? Effect.void : Effect.fail(failure)
      })
    )
  return { send, usage: upstream.usage }
})

/**
 * Sends mails by Resend. A mail is tried again after a broken connection, a timeout, a 429 or a 5xx; its key
 * goes along, by which Resend sends it once within 24 hours.
 *
 * `send` rejects with `MailRejected` where Resend refuses the mail for good (400, 413, 422, 451), with
 * `TemporarilyUnavailable` for what passes, and with the fault itself for the rest: a wrong key is `Rejected`
 * with `HTTP_401`.
 *
 * @throws ConfigurationError for a key, an address or a setting that can't be used
 * @example
 * import { resendMailer } from "@till402/providers/mail/resend"
 *
 * const mailer = resendMailer({
 *   apiKey: process.env["RESEND_API_KEY"]!,
 *   from: "Shop <orders@shop.example>"
 * })
 */
export const resendMailer = (options: ResendOptions): ResendMailer => {
  const { send, usage } = overFetch(make(options), options)
  return {
    send: async (mail, { signal }) => promised(send(outgoing(mail)), signal),
    usage
  }
}
