import { MailRejected } from "@till402/core"

/**
 * The mail's recipient or content was refused permanently.
 *
 * @param message contains no address or text of the mail
 * @param code for logs: `SMTP_550`, `HTTP_422`, `INVALID_RECIPIENT`
 */
export const rejected = (message: string, code: string): MailRejected & { readonly code: string } =>
  Object.assign(new MailRejected({ message }), { code })
