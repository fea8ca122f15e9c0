import { ConfigurationError } from "@till402/core"

/*
 * Addresses of mail. They end up in headers and in SMTP commands, so they are checked here and not left to what
 * comes behind.
 */

/** The rule of `<input type=email>`: https://html.spec.whatwg.org/#valid-e-mail-address */
const addressPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/u

export const isAddress = (text: unknown): text is string =>
  typeof text === "string" && text.length <= 254 && addressPattern.test(text)

/** Who a mail is from: an address, and the name that readers see. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Reads `orders@shop.example`, `Shop <orders@shop.example>` or `"Shop, Inc." <orders@shop.example>`.
 *
 * @throws ConfigurationError naming `option` for anything else, line breaks and lists of addresses among it
 */
export const mailboxOf = (mailer: string, option: string, text: unknown): Mailbox => {
  const match =
    typeof text === "string" && text.length <= 400
      ? /^(?:("?)([^"<>\\]*)\1\s*<([^<>]+)>|(.+))$/u.exec(text)
      : null
  const name = (match?.[2] ?? "").trim()
  const address = match?.[3] ?? match?.[4]
  if (!isAddress(address) || /\p{Cc}/u.test(String(text)) || !name.isWellFormed()) {
    throw new ConfigurationError({
      message: `${mailer}: ${option} must be an address such as "Shop <orders@shop.example>"`
    })
  }
  return { name, address }
}

/** The mailbox as it stands in a header: the name quoted, so that a comma in it makes no second address. */
export const formatMailbox = ({ address, name }: Mailbox): string =>
  name === "" ? address : `"${name}" <${address}>`
