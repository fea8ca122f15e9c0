import { describe, expect, it } from "vitest"
import { maxContentBytes, renderMail, type TemplateFault } from "../../../src/shop/mail/Rendering.ts"
import { defaultTemplates, type MailContent, type MailTemplates } from "../../../src/shop/mail/Templates.ts"
import { addressed, confirmed, everyKind, purchased } from "./mails.ts"

const content: MailContent = { subject: "Hooray", text: "It is yours.", html: "<p>It is yours.</p>" }

/** Renders with a host's template for vault purchases, whatever its type. */
const rendered = (template: unknown) => {
  const faults: Array<TemplateFault> = []
  const mail = renderMail(purchased, {
    ...addressed,
    templates: { VaultPurchased: template } as Partial<MailTemplates>,
    onFault: (fault) => faults.push(fault)
  })
  return { mail, faults }
}
const own = renderMail(purchased, addressed)

describe("a host's template", () => {
  it("writes the mail of its kind, and no other", () => {
    const templates: Partial<MailTemplates> = {
      VaultPurchased: ({ downloadToken, title }) => ({ ...content, text: `${title}: ${downloadToken}` })
    }
    expect(renderMail(purchased, { ...addressed, templates })).toEqual({
      ...content,
      text: `${purchased.title}: ${purchased.downloadToken}`,
      ...addressed
    })
    expect(renderMail(confirmed, { ...addressed, templates })).toEqual(renderMail(confirmed, addressed))
  })

  it("may build on the till's own", () => {
    const { faults, mail } = rendered((facts: typeof purchased) => ({
      ...defaultTemplates.VaultPurchased(facts),
      subject: "Hooray"
    }))
    expect(mail).toEqual({ ...own, subject: "Hooray" })
    expect(faults).toEqual([])
  })

  it("can't redirect the mail nor change its key", () => {
    const { mail } = rendered(() => ({ ...content, to: "thief@example.com", idempotencyKey: "again" }))
    expect(mail).toEqual({ ...content, ...addressed })
  })

  it("has its subject made one bounded line", () => {
    expect(rendered(() => ({ ...content, subject: " Kit\r\nBcc: thief@example.com " })).mail.subject).toBe(
      "Kit Bcc: thief@example.com"
    )
    const { subject } = rendered(() => ({ ...content, subject: "x".repeat(200_000) })).mail
    expect(subject).toBe(`${"x".repeat(149)}…`)
  })

  it("has its body made well-formed and printable", () => {
    const { mail } = rendered(() => ({ ...content, text: "a\0b\ud800\r\n\tc", html: "<p>\u0007</p>" }))
    expect([mail.text, mail.html]).toEqual(["ab\ufffd\r\n\tc", "<p></p>"])
  })
})

describe("a host's template that fails", () => {
  const thrown = new Error("no such partial")
  const huge = "x".repeat(maxContentBytes)
  it.each<[string, unknown, TemplateFault["reason"]]>([
    [
      "throws",
      () => {
        throw thrown
      },
      "threw"
    ],
    ["is no function", "Dear {{name}}", "threw"],
    ["returns nothing", () => undefined, "not_content"],
    ["returns null", () => null, "not_content"],
    ["returns a string", () => "Dear Ada", "not_content"],
    ["returns a promise", () => Promise.resolve(content), "not_content"],
    ["returns a rejected promise", () => Promise.reject(thrown), "not_content"],
    ["leaves a part out", () => ({ subject: "Hooray", text: "It is yours." }), "not_content"],
    ["returns numbers", () => ({ ...content, text: 1 }), "not_content"],
    [
      "throws while it is read",
      () => ({
        ...content,
        get html(): string {
          throw thrown
        }
      }),
      "threw"
    ],
    ["returns a blank subject", () => ({ ...content, subject: " \r\n\0 " }), "empty"],
    ["returns a blank text", () => ({ ...content, text: "\n" }), "empty"],
    ["returns a blank HTML", () => ({ ...content, html: "" }), "empty"],
    ["returns too much", () => ({ ...content, html: huge }), "too_large"],
    ["returns too much in bytes", () => ({ ...content, text: "靴".repeat(maxContentBytes / 3) }), "too_large"]
  ])("%s: the mail goes out in the till's words, and the fault is reported", (_, template, reason) => {
    const { faults, mail } = rendered(template)
    expect(mail).toEqual(own)
    expect(faults).toHaveLength(1)
    expect(faults[0]).toMatchObject({ template: "VaultPurchased", reason })
  })

  it("reports what was thrown", () => {
    expect(
      rendered(() => {
        throw thrown
      }).faults[0]!.cause
    ).toBe(thrown)
  })

  it("can't spoil the facts for the till's own words", () => {
    const { mail } = rendered((facts: { title: string; downloadToken: string }) => {
      facts.title = "spoiled"
      facts.downloadToken = "spoiled"
      throw thrown
    })
    expect(mail).toEqual(own)
  })

  it("loses no mail where the listener throws, or is missing", () => {
    const templates = {
      VaultPurchased: () => {
        throw thrown
      }
    }
    expect(renderMail(purchased, { ...addressed, templates })).toEqual(own)
    const onFault = () => {
      throw new Error("the log is full")
    }
    expect(renderMail(purchased, { ...addressed, templates, onFault })).toEqual(own)
  })
})

it("exactly 256 KiB are not too much", () => {
  const room = maxContentBytes - content.subject.length - content.html.length
  expect(rendered(() => ({ ...content, text: "x".repeat(room) })).faults).toEqual([])
  expect(rendered(() => ({ ...content, text: "x".repeat(room + 1) })).faults).toHaveLength(1)
})

it("no fault is reported of the till's own words", () => {
  const faults: Array<TemplateFault> = []
  for (const facts of everyKind) renderMail(facts, { ...addressed, onFault: (fault) => faults.push(fault) })
  expect(faults).toEqual([])
})
