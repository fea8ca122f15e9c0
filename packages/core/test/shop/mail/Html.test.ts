import { describe, expect, it } from "vitest"
import { type Dice, property, shareOfRuns } from "../../domain/seeded.ts"
import { escapeHtml } from "../../../src/domain/Text.ts"
import { oneLine } from "../../../src/shop/mail/Html.ts"
import { renderMail } from "../../../src/shop/mail/Rendering.ts"
import type { MailFacts } from "../../../src/shop/mail/Templates.ts"
import { addressed, confirmed, purchased, refunded, shipped } from "./mails.ts"

/*
 * Titles, names, numbers and addresses of strangers.
 */

const bites = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '" onmouseover="alert(1)',
  "' style='position:fixed",
  "</p></body></html>",
  "<!--",
  "-->",
  "]]>",
  "&lt;b&gt;",
  "&#60;i&#62;",
  "\r\nBcc: thief@example.com\r\n",
  "\n\nHTTP/1.1 200 OK",
  "\u2028Bcc: thief@example.com",
  "\u0085To: thief@example.com",
  "\0",
  "\u202Egnp.exe",
  "\ud800",
  "\udfff",
  "%24%7B1+1%7D",
  "{{constructor}}",
  "$&$`$'$1",
  "=?utf-8?q?=0d=0aBcc:_thief@example.com?=",
  'https://phish.example/?a=<b>&c="d"',
  "javascript:alert(1)",
  "👩‍👩‍👧 Ünïcödé 靴",
  " ",
  "\t"
]
const nasty = (dice: Dice): string =>
  Array.from({ length: dice.below(6) }, () =>
    dice.below(3) === 0
      ? String.fromCharCode(...Array.from({ length: 8 }, () => dice.below(dice.pick([0x80, 0x10000]))))
      : dice.pick(bites)
  )
    .join("")
    .repeat(dice.pick([1, 1, 1, 200]))

const url = (dice: Dice): string =>
  dice.pick(["https://t.example/", "https://t.example/?q=", "javascript:", "data:text/html,", ""]) +
  nasty(dice)

const facts = (dice: Dice): MailFacts =>
  dice.pick<MailFacts>([
    {
      _tag: "OrderConfirmed",
      orderId: nasty(dice),
      product: { title: nasty(dice), imageUrl: url(dice) },
      lines: { ...confirmed.lines, total: nasty(dice), fee: nasty(dice), currency: nasty(dice) },
      shipTo: { name: nasty(dice), city: nasty(dice), country: nasty(dice) }
    },
    {
      _tag: "OrderShipped",
      orderId: nasty(dice),
      product: { title: nasty(dice) },
      parcels: Array.from({ length: dice.below(4) }, () => ({
        carrier: nasty(dice),
        trackingNumber: nasty(dice),
        trackingUrl: url(dice)
      }))
    },
    {
      _tag: "OrderRefunded",
      orderId: nasty(dice),
      product: { title: nasty(dice) },
      amount: nasty(dice),
      currency: nasty(dice),
      reason: nasty(dice),
      transaction: nasty(dice)
    },
    { _tag: "VaultPurchased", purchaseId: nasty(dice), title: nasty(dice), downloadToken: nasty(dice) }
  ])

/** Tags and attributes as a browser would read them in a document whose attributes are all double-quoted. */
const tagsOf = (html: string) => Array.from(html.matchAll(/<[^>]*>/g), ([tag]) => tag)
const ownTag =
  /^<(?:!doctype html|\/?(?:html|head|body|title|meta|h1|p|ul|li|strong|code|a|img))(?: [a-z]+="[^"<>]*")*>$/
const ownAttribute = /(?<= )([a-z]+)="/g
const attributes = new Set(["lang", "style", "charset", "name", "content", "href", "src", "alt", "width"])

const styles = (html: string) => new Set(Array.from(html.matchAll(/style="([^"]*)"/g), ([, style]) => style!))
const ownStyles = styles(
  [confirmed, shipped, refunded, purchased].map((each) => renderMail(each, addressed).html).join("")
)

describe("strangers' words", () => {
  property("make neither markup nor headers", shareOfRuns(1_000), (dice) => {
    const mail = renderMail(facts(dice), addressed)
    expect(mail.subject).not.toMatch(/\p{Cc}|[\u2028\u2029\u202a-\u202e]/u)
    expect(Array.from(mail.subject).length).toBeLessThanOrEqual(150)
    expect(mail.subject.trim()).not.toBe("")
    for (const part of [mail.subject, mail.text, mail.html]) expect(part.isWellFormed()).toBe(true)
    expect(mail.html.length).toBeLessThan(64 * 1024)

    for (const tag of tagsOf(mail.html)) {
      expect(tag).toMatch(ownTag)
      for (const [, name] of tag.matchAll(ownAttribute)) expect([...attributes]).toContain(name)
    }
    // Every bracket belongs to one of those tags.
    expect(mail.html.replace(/<[^>]*>/g, "")).not.toMatch(/[<>]/)
    for (const [, address] of mail.html.matchAll(/(?:href|src)="([^"]*)"/g))
      expect(address).toMatch(/^https:\/\//)
    for (const style of styles(mail.html)) expect([...ownStyles]).toContain(style)
    // Nothing but our own line breaks: the number of lines does not depend on what strangers write.
    expect(mail.text).not.toMatch(/[^\P{Cc}\n]/u)
  })

  property("can be read as they were written", 500, (dice) => {
    const title = `${dice.pick(bites)}${dice.pick(bites)}`
    const { html, text } = renderMail({ ...purchased, title }, addressed)
    const line = oneLine(title, 300) || "(untitled)"
    expect(text).toContain(line)
    expect(html).toContain(escapeHtml(line))
  })

  it("lose every character that means something to HTML", () => {
    expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
      "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;"
    )
  })

  it("keep the subject to one line", () => {
    const { subject } = renderMail({ ...purchased, title: "Kit\r\nBcc: thief@example.com" }, addressed)
    expect(subject).toBe("Your purchase: Kit Bcc: thief@example.com")
  })

  it("are cut between characters, with an ellipsis", () => {
    const { subject } = renderMail({ ...purchased, title: "👟".repeat(1_000_000) }, addressed)
    expect(subject).toBe(`Your purchase: ${"👟".repeat(134)}…`)
  })

  it("that are blank leave a mail that reads well", () => {
    const { subject } = renderMail({ ...purchased, title: " \n\u0000" }, addressed)
    expect(subject).toBe("Your purchase: (untitled)")
  })
})
