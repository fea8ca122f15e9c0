import type { Mail } from "../ports/Mailer.ts"
import { oneLine, printable } from "./Html.ts"
import { defaultTemplates, type MailContent, type MailFacts, type MailTemplates } from "./Templates.ts"

/*
 * From facts to a mail. A template of the host's is code of somebody else's: whatever it does, the buyer gets
 * the mail.
 */

/** Why a host's template was not used; the mail went out in the till's own words. */
export interface TemplateFault {
  readonly template: MailFacts["_tag"]
  /**
   * `threw`; `not_content`: what came is no `{ subject, text, html }` of strings, a promise for instance;
   * `empty`: one of the three is blank; `too_large`: more than 256 KiB.
   */
  readonly reason: "threw" | "not_content" | "empty" | "too_large"
  /** What was thrown. It may quote the facts: not for a log. */
  readonly cause?: unknown
}

/** Most bytes of UTF-8 that subject, text and HTML may have together. */
export const maxContentBytes = 256 * 1024
const maxSubjectLength = 150

const isContent = (content: unknown): content is MailContent => {
  if (typeof content !== "object" || content === null) return false
  const { html, subject, text } = content as { readonly [key: string]: unknown }
  return typeof subject === "string" && typeof text === "string" && typeof html === "string"
}

/** Nobody waits for a promise that a template gives; its rejection must not end the process. */
const disregard = (answer: unknown): void => {
  if (answer instanceof Promise) answer.catch(() => undefined)
}

const cleaned = ({ html, subject, text }: MailContent): MailContent => ({
  subject: oneLine(subject, maxSubjectLength),
  text: printable(text),
  html: printable(html)
})

const bytesOf = ({ html, subject, text }: MailContent): number => {
  const characters = subject.length + text.length + html.length
  // No text has fewer bytes than characters: a huge one is not encoded to learn that it is.
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
    // A copy: what a template does to its facts must not show in the till's own words.
    const answer = write(structuredClone(facts))
    disregard(answer)
    if (!isContent(answer)) return { template, reason: "not_content" }
    if (bytesOf(answer) > maxContentBytes) return { template, reason: "too_large" }
    const content = cleaned(answer)
    const isBlank = Object.values(content).some((part) => part.trim() === "")
    return isBlank ? { template, reason: "empty" } : content
  } catch (cause) {
    return { template, reason: "threw", cause }
  }
}

const inOwnWords = (facts: MailFacts): MailContent => {
  switch (facts._tag) {
    case "OrderConfirmed":
      return defaultTemplates.OrderConfirmed(facts)
    case "OrderShipped":
      return defaultTemplates.OrderShipped(facts)
    case "OrderRefunded":
      return defaultTemplates.OrderRefunded(facts)
    case "VaultPurchased":
      return defaultTemplates.VaultPurchased(facts)
  }
}

/**
 * The mail that tells `facts`, in the host's words where it has a template for them. A template that throws or
 * answers with no content gives way to the till's own, and `onFault` is told.
 *
 * The subject is one line of at most 150 characters, free of control characters, whoever wrote it. Escaping
 * what stands in a host's own HTML is up to the host.
 *
 * @param options.onFault must not throw; what it throws is dropped, since the mail matters more
 */
export const renderMail = (
  facts: MailFacts,
  options: {
    readonly to: string
    /** The same key is the same mail. */
    readonly idempotencyKey: string
    readonly templates?: Partial<MailTemplates>
    readonly onFault?: (fault: TemplateFault) => void
  }
): Mail => {
  const { idempotencyKey, onFault, templates = {}, to } = options
  const written = contentOf(facts, templates)
  if (written !== undefined && "subject" in written) return { to, ...written, idempotencyKey }
  const mail = { to, ...cleaned(inOwnWords(facts)), idempotencyKey }
  if (written !== undefined) {
    try {
      onFault?.(written)
    } catch {
      // The one who is told of a fault must not make another: the mail is due.
    }
  }
  return mail
}
