import { ConfigurationError, type MailerOptions } from "@till402/core"
import { outgoing, RecentKeys, rememberedKeys } from "../Outgoing.ts"

/*
 * A mailer for development and for shops that send no mails: it tells that there was one.
 */

export interface LogMailerOptions {
  /**
   * Writes recipient, subject and text as well, for development alone: they hold addresses, and the download
   * tokens of the vault.
   */
  readonly bodies?: boolean
}

const maxKeyLength = 256

/** Keys are of the till's making; one that is not must not break the line. */
const printed = (text: string): string =>
  text
    .toWellFormed()
    .slice(0, maxKeyLength)
    .replace(/[\p{Cc}\p{Z}]+/gu, "_")

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/**
 * Sends nothing, but writes a line for each mail: its kind (what its key begins with), its key, the size of
 * text and HTML together. `mail order-confirmed order-confirmed:1f0e… 2513 bytes`. Each key is written once.
 *
 * @param write is given one line without a line feed; with `bodies`, several
 * @throws ConfigurationError where `write` is no function
 * @example
 * import { logMailer } from "@till402/providers/mail/log"
 *
 * const mailer = logMailer(console.log)
 */
export const logMailer = (
  write: (line: string) => void,
  { bodies = false }: LogMailerOptions = {}
): MailerOptions => {
  if (typeof write !== "function") {
    throw new ConfigurationError({ message: "log mailer: write must be a function" })
  }
  const written = new RecentKeys(rememberedKeys)
  return {
    send: async (given) => {
      const { html, idempotencyKey, subject, text, to } = outgoing(given)
      if (written.has(idempotencyKey)) return
      const kind = idempotencyKey.split(":", 1)[0]!
      const line = `mail ${printed(kind)} ${printed(idempotencyKey)} ${bytesOf(text) + bytesOf(html)} bytes`
      write(bodies === true ? `${line}\nTo: ${to}\nSubject: ${subject}\n\n${text}` : line)
      written.add(idempotencyKey)
    }
  }
}
