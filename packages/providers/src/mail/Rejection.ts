import { MailRejected } from "@till402/core"

/**
 * This mail will never be taken: its recipient or its content was refused for good.
 *
 * @param message without an address or words of the mail
 * @param code for logs: `SMTP_550`, `HTTP_422`, `INVALID_RECIPIENT`
 */
export const rejected = (message: string, code: string): MailRejected & { readonly code: string } =>
  Object.assign(new MailRejected({ message }), { code })
