import type { Mail, MailerOptions } from "@till402/core"

/** Maximum number of mails kept, newest last. */
export const maxMails = 100

/**
 * A mailer that keeps the newest mails in `outbox` instead of sending them, and calls `onMail` for each. A
 * mail with a known idempotency key is ignored.
 */
export const mailer = (
  onMail?: (mail: Mail) => void
): { readonly mailer: MailerOptions; readonly outbox: ReadonlyArray<Mail> } => {
  const outbox: Array<Mail> = []
  return {
    mailer: {
      send: async (mail) => {
        if (outbox.some(({ idempotencyKey }) => idempotencyKey === mail.idempotencyKey)) return
        outbox.push(mail)
        if (outbox.length > maxMails) outbox.shift()
        onMail?.(mail)
      }
    },
    outbox
  }
}
