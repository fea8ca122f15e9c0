import { Redacted } from "effect"
import { makeWithFetch, toPromise } from "../../upstream/index.ts"
import { outgoingMail } from "../OutgoingMail.ts"
import type { ResendMailer, ResendOptions } from "./Options.ts"
import { makeClient } from "./Resend.ts"

/*
 * Mail through Resend (https://resend.com): POST /emails, https://resend.com/docs/api-reference/emails/send-email
 */

export type * from "../../upstream/UpstreamSettings.ts"
export type { ResendLayerOptions, ResendMailer, ResendOptions, ResendSettings } from "./Options.ts"
export { Resend, type ResendClient } from "./Resend.ts"

/**
 * Sends mail through Resend.
 *
 * A mail is retried after a broken connection, a timeout, a 429 or a 5xx. Its key is sent along, with which
 * Resend sends it once within 24 hours.
 *
 * `send` rejects with `MailRejected` if Resend refuses the mail permanently (400, 413, 422, 451), with
 * `TemporarilyUnavailable` for temporary faults, and with the fault itself otherwise: a wrong key is
 * `Rejected` with `HTTP_401`.
 *
 * @throws ConfigurationError for an unusable key, address or setting
 * @example
 * import { resend } from "@till402/providers/mail/resend"
 *
 * const mailer = resend({
 *   apiKey: process.env["RESEND_API_KEY"]!,
 *   from: "Shop <orders@shop.example>"
 * })
 */
export const resend = ({ apiKey, fetch, ...options }: ResendOptions): ResendMailer => {
  const { send, usage } = makeWithFetch(makeClient({ ...options, apiKey: Redacted.make(apiKey) }), fetch)
  return {
    send: async (mail, { signal }) => toPromise(send(outgoingMail(mail)), signal),
    usage
  }
}
