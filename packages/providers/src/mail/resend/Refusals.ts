import { type MailRejected, TemporarilyUnavailable } from "@till402/core"
import { Redacted } from "effect"
import { isUnavailable, type Rejected, type UpstreamFault } from "../../upstream/index.ts"
import { rejected } from "../MailRejection.ts"

/*
 * Resend's refusals as errors of a mailer: https://resend.com/docs/api-reference/errors
 */

/** Resend's name of the error. Its message is ignored, because it quotes addresses. */
const nameOf = ({ response }: Rejected): string | undefined =>
  /"name"\s*:\s*"(\w{1,60})"/.exec(Redacted.value(response).text)?.[1]

/** Statuses that refuse the mail itself: wrong fields, too large, suspicious. */
const ofTheMail = new Set([400, 413, 422, 451])

/**
 * The error of a mailer; `undefined` if the mail was accepted before.
 *
 * A wrong key and an unverified domain or sender (401, 403, `invalid_from_address`) remain faults: the
 * operator must fix them.
 */
export const failureOf = (
  fault: UpstreamFault
): MailRejected | TemporarilyUnavailable | UpstreamFault | undefined => {
  if (fault._tag !== "Rejected" || isUnavailable(fault)) return fault
  const { code, status } = fault
  const name = nameOf(fault)
  // The same key with other text, for example of a changed template: the mail was already sent.
  if (status === 409 && name === "invalid_idempotent_request") return undefined
  if (status === 409 || status >= 500) {
    return Object.assign(new TemporarilyUnavailable({ message: fault.message }), { code })
  }
  return ofTheMail.has(status) && name !== "invalid_from_address"
    ? rejected(`resend refused the mail with status ${status}`, code)
    : fault
}
