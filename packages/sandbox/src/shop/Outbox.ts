import type { Mail, MailerOptions } from "@till402/core"

/** Mails that the outbox keeps, newest last. */
export const maxMails = 100

/**
 * A mailer that sends nothing: it keeps the newest mails in `outbox` and tells `onMail` of each. A mail
 * whose key it still holds is the same mail and is not taken again.
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
