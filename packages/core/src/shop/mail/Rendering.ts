import type { Mail } from "../ports/Mailer.ts"
import { oneLine, printable } from "./Html.ts"
import { defaultTemplates, type MailContent, type MailFacts, type MailTemplates } from "./Templates.ts"

/*
 * Renders a mail from its facts. Even if a host's template fails, the buyer gets the mail.
 */

/** Why a host's template was not used; the default template replaced it. */
export interface TemplateFault {
  readonly template: MailFacts["_tag"]
  /**
   * `threw`; `not_content`: the result isn't `{ subject, text, html }` of strings, e.g. a promise; `empty`: one of the
   * three is blank; `too_large`: more than 256 KiB.
   */
  readonly reason: "threw" | "not_content" | "empty" | "too_large"
  /** The error that was thrown. It may quote the facts: don't log it. */
  readonly cause?: unknown
}

/** Bound on subject, text and HTML together, in bytes of UTF-8. */
export const maxContentBytes = 256 * 1024
const maxSubjectLength = 150

const isContent = (content: unknown): content is MailContent => {
  if (typeof content !== "object" || content === null) return false
  const { html, subject, text } = content as { readonly [key: string]: unknown }
  return typeof subject === "string" && typeof text === "string" && typeof html === "string"
}

/** Ignores a promise that a template returned: its rejection must not end the process. */
const ignorePromise = (response: unknown): void => {
  if (response instanceof Promise) response.catch(() => undefined)
}

const cleaned = ({ html, subject, text }: MailContent): MailContent => ({
  subject: oneLine(subject, maxSubjectLength),
  text: printable(text),
  html: printable(html)
})

const bytesOf = ({ html, subject, text }: MailContent): number => {
  const characters = subject.length + text.length + html.length
  // No text has fewer bytes than characters, so a huge one isn't encoded.
  return characters > maxContentBytes
    ? characters
    : [subject, text, html].reduce((sum, part) => sum + new TextEncoder().encode(part).length, 0)
}

const contentOf = (
  facts: MailFacts,
  templates: Partial<MailTemplates>
): MailContent | undefined | TemplateFault => {
  const template = facts._tag
  try {
    const write = templates[template] as ((facts: MailFacts) => unknown) | undefined
    if (write === undefined) return undefined
    // A copy, so that a template can't change the facts of the default one.
    const response = write(structuredClone(facts))
    ignorePromise(response)
    if (!isContent(response)) return { template, reason: "not_content" }
    if (bytesOf(response) > maxContentBytes) return { template, reason: "too_large" }
    const content = cleaned(response)
    const isBlank = Object.values(content).some((part) => part.trim() === "")
    return isBlank ? { template, reason: "empty" } : content
  } catch (cause) {
    return { template, reason: "threw", cause }
  }
}

const defaultContent = (facts: MailFacts): MailContent => {
  switch (facts._tag) {
    case "OrderConfirmed":
      return defaultTemplates.OrderConfirmed(facts)
    case "OrderShipped":
      return defaultTemplates.OrderShipped(facts)
    case "OrderFailed":
      return defaultTemplates.OrderFailed(facts)
    case "OrderRefunded":
      return defaultTemplates.OrderRefunded(facts)
    case "VaultPurchased":
      return defaultTemplates.VaultPurchased(facts)
  }
}

/**
 * Renders the mail of some facts, with the host's template if there is one. If that throws or returns no content, the
 * default template replaces it, and `onFault` receives the reason.
 *
 * The subject is always one line of at most 150 characters, without control characters. A host's template must escape
 * its own HTML.
 *
 * @param options.onFault its errors are ignored
 */
export const renderMail = (
  facts: MailFacts,
  options: {
    readonly to: string
    /** Identifies the mail. */
    readonly idempotencyKey: string
    readonly templates?: Partial<MailTemplates>
    readonly onFault?: (fault: TemplateFault) => void
  }
): Mail => {
  const { idempotencyKey, onFault, templates = {}, to } = options
  const written = contentOf(facts, templates)
  if (written !== undefined && "subject" in written) return { to, ...written, idempotencyKey }
  const mail = { to, ...cleaned(defaultContent(facts)), idempotencyKey }
  if (written !== undefined) {
    try {
      onFault?.(written)
    } catch {
      // A faulty observer must not prevent the mail.
    }
  }
  return mail
}
