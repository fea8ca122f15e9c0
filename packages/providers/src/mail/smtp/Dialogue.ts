import { createHash } from "node:crypto"
import { ConfigurationError, type Mail } from "@till402/core"
import type { SmtpSettings } from "./SmtpSettings.ts"

/*
 * Sends one mail over one connection with nodemailer, an optional peer that is loaded with the first mail.
 */

type Nodemailer = typeof import("nodemailer")

const load = async (): Promise<Nodemailer> => {
  try {
    return await import("nodemailer")
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown }
    if (code !== "ERR_MODULE_NOT_FOUND" && code !== "MODULE_NOT_FOUND") throw cause
    throw new ConfigurationError({ message: "smtp: install nodemailer: npm install nodemailer" })
  }
}

/**
 * The Message-ID of a key. It is always the same, so that mail programs recognize a mail that was sent twice.
 * A digest, because keys contain ids of orders.
 */
export const messageIdOf = (idempotencyKey: string, fromAddress: string): string =>
  `<${createHash("sha256").update(idempotencyKey).digest("hex").slice(0, 40)}@${fromAddress.split("@")[1]!}>`

/** Sends mails to one server. Rejects with nodemailer's errors, and with `EABORT` if `signal` aborts. */
export const makeDialogue = (
  settings: SmtpSettings
): ((mail: Mail, signal: AbortSignal) => Promise<void>) => {
  const { ca, connectTimeoutMillis, from, host, login, port, replyTo, security, socketTimeoutMillis } =
    settings
  let loading: Promise<Nodemailer> | undefined

  return async ({ html, idempotencyKey, subject, text, to }, signal) => {
    loading ??= load()
    const { createTransport } = await loading
    const transport = createTransport({
      host,
      port,
      secure: security === "tls",
      requireTLS: security === "starttls",
      ignoreTLS: security === "none",
      ...(login === undefined ? {} : { auth: login }),
      tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
      connectionTimeout: connectTimeoutMillis,
      greetingTimeout: connectTimeoutMillis,
      dnsTimeout: connectTimeoutMillis,
      socketTimeout: socketTimeoutMillis,
      // The content of a mail must not make this process read files or fetch addresses.
      disableFileAccess: true,
      disableUrlAccess: true
    })
    await transport.sendMail({
      from: { ...from },
      to: { name: "", address: to },
      ...(replyTo === undefined ? {} : { replyTo: { ...replyTo } }),
      envelope: { from: from.address, to: [to] },
      messageId: messageIdOf(idempotencyKey, from.address),
      subject,
      text,
      html,
      // RFC 3834: prevents automatic replies.
      headers: { "Auto-Submitted": "auto-generated" },
      signal
    })
  }
}
