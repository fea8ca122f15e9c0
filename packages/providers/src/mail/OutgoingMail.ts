import type { Mail } from "@till402/core"
import { isAddress } from "./Address.ts"
import { rejected } from "./MailRejection.ts"

/*
 * Checks on every mail before it is sent. A host's templates may produce anything.
 */

/** Longer than any subject of a till. */
const maxSubjectLength = 500

/**
 * Returns the mail with a subject of one line, because a line break would start a header.
 *
 * @throws MailRejected if the recipient is not a single address
 */
export const outgoingMail = (mail: Mail): Mail => {
  if (!isAddress(mail.to)) {
    throw rejected("the recipient is not an email address", "INVALID_RECIPIENT")
  }
  return {
    ...mail,
    subject: mail.subject
      .toWellFormed()
      .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
      .trim()
      .slice(0, maxSubjectLength)
      .toWellFormed()
  }
}

/** The number of sent mails' keys that a mailer remembers. */
export const rememberedKeys = 10_000
