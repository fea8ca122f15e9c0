import type { Mail } from "@till402/core"
import { isAddress } from "./Address.ts"
import { rejected } from "./Rejection.ts"

/*
 * A mail before it goes out, whoever made it.
 */

/** No subject of a till is longer; a host's own code may try. */
const maxSubjectLength = 500

/**
 * The mail with a subject of one line: a line break in it would start a header.
 *
 * @throws MailRejected for a recipient that is not one address
 */
export const outgoing = (mail: Mail): Mail => {
  if (!isAddress(mail.to)) {
    throw rejected("the recipient is not an e-mail address", "INVALID_RECIPIENT")
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

/** The last so many keys, the oldest forgotten first. */
export class RecentKeys {
  private readonly keys = new Set<string>()
  private readonly capacity: number

  constructor(capacity: number) {
    this.capacity = capacity
  }

  has(key: string): boolean {
    return this.keys.has(key)
  }

  add(key: string): void {
    this.keys.delete(key)
    this.keys.add(key)
    if (this.keys.size > this.capacity) this.keys.delete(this.keys.values().next().value!)
  }
}

/** How many keys of sent mails a mailer remembers. */
export const rememberedKeys = 10_000
