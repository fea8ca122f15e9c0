import type { ConfigurationError } from "@till402/core"
import { Effect } from "effect"
import { settingReaders } from "../upstream/index.ts"

/*
 * Email addresses. They become part of headers and SMTP commands, so they are checked before they are passed on.
 */

/** The rule of `<input type=email>`: https://html.spec.whatwg.org/#valid-e-mail-address */
const addressPattern =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/u

export const isAddress = (text: unknown): text is string =>
  typeof text === "string" && text.length <= 254 && addressPattern.test(text)

/** A sender: an address and its display name. */
export interface Mailbox {
  readonly name: string
  readonly address: string
}

/**
 * Reads `orders@shop.example`, `Shop <orders@shop.example>` or `"Shop, Inc." <orders@shop.example>`.
 *
 * Fails with a `ConfigurationError` that names `option` for anything else, including line breaks and lists.
 */
export const mailboxOf = (
  mailer: string,
  option: string,
  text: unknown
): Effect.Effect<Mailbox, ConfigurationError> => {
  const match =
    typeof text === "string" && text.length <= 400
      ? /^(?:("?)([^"<>\\]*)\1\s*<([^<>]+)>|(.+))$/u.exec(text)
      : null
  const name = (match?.[2] ?? "").trim()
  const address = match?.[3] ?? match?.[4]
  if (!isAddress(address) || /\p{Cc}/u.test(String(text)) || !name.isWellFormed()) {
    return settingReaders(mailer).invalid(`${option} must be an address such as "Shop <orders@shop.example>"`)
  }
  return Effect.succeed({ name, address })
}

/** The mailbox for a header. The name is quoted, so that a comma in it doesn't start another address. */
export const formatMailbox = ({ address, name }: Mailbox): string =>
  name === "" ? address : `"${name}" <${address}>`
