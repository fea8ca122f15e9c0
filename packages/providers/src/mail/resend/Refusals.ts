import { type MailRejected, TemporarilyUnavailable } from "@till402/core"
import { Redacted } from "effect"
import { isUnavailable, type Rejected, type UpstreamFault } from "../../upstream/index.ts"
import { rejected } from "../Rejection.ts"

/*
 * What Resend's refusals mean for a mail: https://resend.com/docs/api-reference/errors
 */

/** Resend's own name of the error. Its message is left alone: it quotes addresses. */
const nameOf = ({ answer }: Rejected): string | undefined =>
  /"name"\s*:\s*"(\w{1,60})"/.exec(Redacted.value(answer).text)?.[1]

/** Statuses by which the mail itself is refused: wrong fields, too large, suspicious. */
const ofTheMail = new Set([400, 413, 422, 451])

/**
 * What a mailer fails with; `undefined`: nothing, since the mail was taken before.
 *
 * A wrong key, an unverified domain or sender (401, 403, `invalid_from_address`) are the operator's to mend and
 * stay what they are.
 */
export const failureOf = (
  fault: UpstreamFault
): MailRejected | TemporarilyUnavailable | UpstreamFault | undefined => {
  if (fault._tag !== "Rejected" || isUnavailable(fault)) return fault
  const { code, status } = fault
  const name = nameOf(fault)
  // The same key with other words, those of a template changed since: the mail of that key has gone out.
  if (status === 409 && name === "invalid_idempotent_request") return undefined
  if (status === 409 || status >= 500) {
    return Object.assign(new TemporarilyUnavailable({ message: fault.message }), { code })
  }
  return ofTheMail.has(status) && name !== "invalid_from_address"
    ? rejected(`resend refused the mail with status ${status}`, code)
    : fault
}
