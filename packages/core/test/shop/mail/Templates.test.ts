import { describe, expect, it } from "vitest"
import { renderMail } from "../../../src/shop/mail/Rendering.ts"
import type { MailFacts } from "../../../src/shop/mail/Templates.ts"
import { addressed, confirmed, everyKind, failed, purchased, refunded, shipped } from "./mails.ts"

const mailOf = (facts: MailFacts) => renderMail(facts, addressed)

/** Both versions contain it. */
const expectTold = (facts: MailFacts, ...words: ReadonlyArray<string>) => {
  const { html, text } = mailOf(facts)
  for (const each of words) {
    expect(text).toContain(each)
    expect(html).toContain(each)
  }
}
const expectUntold = (facts: MailFacts, ...words: ReadonlyArray<string>) => {
  const { html, text } = mailOf(facts)
  for (const each of words) {
    expect(text).not.toContain(each)
    expect(html).not.toContain(each)
  }
}

describe("every mail", () => {
  it.each(everyKind.map((facts) => [facts._tag, facts] as const))(
    "%s is a complete document without tables, colours or scripts",
    (_, facts) => {
      const { html } = mailOf(facts)
      expect(html).toMatch(/^<!doctype html>\n<html lang="en"/)
      expect(html).toContain('<meta charset="utf-8">')
      expect(html).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">')
      expect(html).toContain('<meta name="color-scheme" content="light dark">')
      expect(html).toMatch(/<\/body>\n<\/html>\n$/)
      expect(html).not.toMatch(/<table|<script|<style|[^-]color:#|background/)
      for (const tag of ["p", "ul", "li", "code", "strong", "a", "h1"]) {
        const opened = html.match(new RegExp(`<${tag}[ >]`, "g"))?.length ?? 0
        expect(html.match(new RegExp(`</${tag}>`, "g"))?.length ?? 0, tag).toBe(opened)
      }
    }
  )

  it.each(everyKind.map((facts) => [facts._tag, facts] as const))(
    "%s has a text without markup, holes or missing values",
    (_, facts) => {
      const { text } = mailOf(facts)
      expect(text).not.toMatch(/[<>]|&amp;|\n{3}|undefined|null/)
      expect(text.endsWith("\n")).toBe(true)
    }
  )

  it("names who answers questions, as a link if it has one, and nobody if the host named none", () => {
    for (const facts of everyKind) {
      expectTold({ ...facts, support: "help@shop.example" }, "Questions? help@shop.example")
      const { html, text } = mailOf({ ...facts, support: "https://shop.example/help?a=1&b=2" })
      expect(text).toContain("Questions? https://shop.example/help?a=1&b=2")
      expect(html).toContain('Questions? <a href="https://shop.example/help?a=1&amp;b=2">')
      expectUntold(facts, "Questions?")
    }
  })

  it("goes to its recipient, under its key", () => {
    expect(mailOf(confirmed)).toMatchObject(addressed)
  })

  it("is the same for the same facts", () => {
    for (const facts of everyKind) expect(mailOf(structuredClone(facts))).toEqual(mailOf(facts))
  })
})

describe("order confirmed", () => {
  it("contains product, price, address and order", () => {
    expect(mailOf(confirmed).subject).toBe("Order confirmed: Trail Running Shoes")
    expectTold(
      confirmed,
      "Trail Running Shoes",
      "Items: 84.99 USD",
      "Tax: 7.01 USD",
      "Shipping: 5.00 USD",
      "Total paid: 97.00 USD",
      "It goes to Ada Lovelace, Portland, US.",
      confirmed.orderId
    )
    expectUntold(confirmed, "fee", "Fee")
  })

  it("contains the fee where there is one", () => {
    expectTold({ ...confirmed, lines: { ...confirmed.lines, fee: "1.50" } }, "Service fee: 1.50 USD")
  })

  it("shows the picture of an https address only", () => {
    const imageOf = (imageUrl?: string) =>
      /<img src="([^"]*)"/.exec(
        mailOf({ ...confirmed, product: { title: "Shoes", ...(imageUrl === undefined ? {} : { imageUrl }) } })
          .html
      )?.[1]
    expect(imageOf("https://img.example/shoes.jpg?w=160&h=160")).toBe(
      "https://img.example/shoes.jpg?w=160&amp;h=160"
    )
    for (const address of [
      undefined,
      "",
      "http://img.example/a.jpg",
      "javascript:alert(1)",
      "data:image/svg+xml,<svg onload=alert(1)>",
      "https://user:secret@img.example/a.jpg",
      "//img.example/a.jpg",
      `https://img.example/${"a".repeat(2_100)}`
    ]) {
      expect(imageOf(address), address).toBeUndefined()
    }
  })
})

describe("order shipped", () => {
  it("contains carrier, tracking number and link of each parcel", () => {
    expect(mailOf(shipped).subject).toBe("Order shipped: Trail Running Shoes")
    expectTold(
      shipped,
      "It comes in 2 parcels.",
      "Carrier: UPS",
      "1Z999AA10123456784",
      "9400100000000000000000"
    )
    expect(mailOf(shipped).text).toContain("https://track.example/1Z999AA10123456784?a=1&b=2")
    expect(mailOf(shipped).html.match(/<a href="[^"]*">/g)).toEqual([
      '<a href="https://track.example/1Z999AA10123456784?a=1&amp;b=2">'
    ])
  })

  it("lists one parcel as one, and none as untracked", () => {
    expectTold({ ...shipped, parcels: shipped.parcels.slice(0, 1) }, "It comes in one parcel.")
    expectTold({ ...shipped, parcels: [] }, "The shop provided no tracking number.")
  })

  it("lists 50 parcels at most, and how many more there are", () => {
    const parcels = Array.from({ length: 1_000 }, (_, index) => ({ trackingNumber: `PARCEL-${index}-` }))
    expectTold({ ...shipped, parcels }, "It comes in 1000 parcels.", "PARCEL-49-", "And 950 more.")
    expectUntold({ ...shipped, parcels }, "PARCEL-50-")
  })

  it("leads nowhere but to https addresses", () => {
    for (const trackingUrl of [
      "http://t.example/1",
      "javascript:alert(1)",
      "t.example/1",
      "https://a:b@t.example"
    ]) {
      const facts = { ...shipped, parcels: [{ trackingNumber: "1Z", trackingUrl }] }
      expect(mailOf(facts).html).not.toContain("<a ")
      expect(mailOf(facts).text).not.toContain(trackingUrl)
      expectTold(facts, "1Z")
    }
  })
})

describe("order failed", () => {
  it("contains its reason, and the amount that will be paid back", () => {
    expect(mailOf(failed).subject).toBe("Order failed: Trail Running Shoes")
    expectTold(
      failed,
      "could not be fulfilled",
      "Reason: insufficient stock",
      "We pay back 97.00 USD. You get another mail when it is sent.",
      failed.orderId
    )
  })

  it("promises no money where nothing was paid", () => {
    const { amount: _, ...unpaid } = failed
    expectUntold(unpaid, "pay back", "USD")
  })
})

describe("order refunded", () => {
  it("contains the refunded amount, its reason and its transaction", () => {
    expect(mailOf(refunded).subject).toBe("Order refunded: Trail Running Shoes")
    expectTold(refunded, "97.00 USD", "Reason: insufficient stock", refunded.transaction!, refunded.orderId)
  })

  it("leaves a sentence as it is", () => {
    expectTold({ ...refunded, reason: "The seller cancelled it." }, "Reason: The seller cancelled it.")
  })

  it("contains neither reason nor transaction where there is none", () => {
    const { reason: _, transaction: __, ...bare } = refunded
    expectUntold(bare, "Reason", "Transaction")
    expectTold(bare, "97.00 USD")
    expectUntold({ ...bare, reason: " \n ", transaction: "" }, "Reason", "Transaction")
  })
})

describe("vault purchase", () => {
  it("contains purchase and token, and warns that the token is a secret", () => {
    expect(mailOf(purchased).subject).toBe("Your purchase: Launch Checklist")
    expectTold(purchased, purchased.purchaseId, purchased.downloadToken, "Keep the token to yourself")
    expect(mailOf(purchased).subject).not.toContain(purchased.downloadToken)
  })

  it("keeps a long token whole", () => {
    expectTold({ ...purchased, downloadToken: "t".repeat(900) }, "t".repeat(900))
  })
})
