import { describe, expect, it } from "vitest"
import { builtReply, keptText, replyText } from "../../../src/assistant/reply/ReplyText.ts"
import { anker, good, sony } from "../goods.ts"
import { context, toProduct } from "./replies.ts"

/*
 * Lies about price, ratings, counts and availability by what they are made of, each with the rule that drops it, and
 * honest sentences that the rule keeps.
 */

const products = [
  ...[anker, sony].map(toProduct),
  toProduct(good({ asin: "B000000004", title: "Lumo Desk Lamp, 5 W, 12 Pieces, 2-4 Players" }))
]
const about = context({ products, limits: [], request: "wireless headphones" })
const kept = (text: string) => keptText(text, about)

const linesOf = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
/** A kept sentence without the marks of names. */
const unmarked = (text: string): string =>
  text
    .replace("“Anker Soundcore Q45 Wireless Headphones”", "Anker")
    .replace("“Sony WH-CH520 Wireless Headphones”", "Sony")
    .replace("“Lumo Desk Lamp”", "Lumo")

describe("a gift", () => {
  it.each(
    linesOf(`
    The charger is a gift for your mother.
    A mug is a gift for kids.
    The Sony and a mug are a gift for kids.
    The mug makes a thoughtful gift for your mother.
    The sound makes a nice gift.
    The Sony makes the mug a lovely gift for kids.
    The mug: a gift for kids.
    Light, and it makes the mug a lovely gift for kids.
    Here is a gift for your daughter.
    A gift for your mother.
    Here is a surprise for your kids.
    It is a nice surprise.
    Eine Tasse ist ein Geschenk für Kinder.
    Dazu ist die Tasse ein Geschenk für deine Mutter.
    Hier ist ein Geschenk für deine Familie.
    La tasse est un cadeau pour votre mère.
    Voici un cadeau pour votre fille.
    La taza es un regalo para tu madre.
    Aquí tienes un regalo para tu hija.
    La tazza è un regalo per la mamma.
    Ecco un regalo per la famiglia.
    Uma caneca é um presente para a mãe.
    Aqui está um presente para a família.`)
  )("of what isn't found would be a free one: %s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    The Sony is a gift for beginners.
    The Sony is light and makes a lovely gift for kids.
    The lamp is a gift for your mother.
    Here are three lovely gifts for your daughter.
    This is a lovely gift for kids.
    So ist sie ein Geschenk für Kinder.
    C'est un joli cadeau pour votre fille.
    Este es un regalo para tu hija.`)
  )("is one of the products: %s", (sentence) => {
    expect(unmarked(kept(sentence))).toBe(sentence)
  })
})

describe("a verb of giving", () => {
  it.each(
    linesOf(`
    Le Sony donne un sac.
    Le Sony apporte un sac.
    Le Sony donne un casque au bureau.
    El Sony aporta una mesa.
    Die Sony spendet Kaffee.
    The Sony uses your kitchen.`)
  )("gives no thing, which would be a free one: %s", (lie) => {
    expect(kept(lie)).toBe("")
  })

  it.each(
    linesOf(`
    Le Sony apporte une lumière douce.
    Le Sony apporte le confort.
    El Sony aporta estilo.
    Die Sony spendet Licht.`)
  )("gives what a product is like: %s", (sentence) => {
    expect(unmarked(kept(sentence))).toBe(sentence)
  })
})

describe("a number of a title", () => {
  it.each(
    linesOf(`
    The Sony has 12 pieces.
    The Sony works well for 2-4 players.
    The Anker and the Lumo have 12 pieces.
    It has 12 pieces.
    The Sony is light. It has 12 pieces.
    The Lumo is light. The Sony is soft. It has 12 pieces.
    The Sony is light. The Lumo costs $5. It has 12 pieces.`)
  )("is said of no other product: %s", (lie) => {
    expect(kept(lie)).not.toContain("12")
    expect(kept(lie)).not.toContain("2-4")
  })

  it.each(
    linesOf(`
    The Lumo has 12 pieces.
    The Sony is light. The Lumo is soft. It has 12 pieces.
    The Lumo works well for 2-4 players.`)
  )("is said of its product: %s", (sentence) => {
    expect(kept(sentence).split(/“[^”]*”/)).toEqual(sentence.split(/Lumo|Sony/))
  })
})

describe("the number of products", () => {
  it("is of a kind only if each is of it", () => {
    const two = context({ products: products.slice(0, 2), limits: [], request: "headphones" })
    expect(kept("Here are three headphones.")).toBe("")
    expect(keptText("Here are two headphones.", two)).toBe("Here are two headphones.")
    expect(kept("Here are three options.")).toBe("Here are three options.")
  })
})

describe("a name that code writes", () => {
  it.each([
    ["S A L E Lamp", "The S A L E Lamp is light."],
    ["evil.example Lamp", "The evil is light."],
    ["Evil/Example Lamp", "The evil is light."],
    ["Max 5 Lamp", "The Max 5 Lamp is light."]
  ])("states nothing: %s", (title, sentence) => {
    const titled = context({
      products: [...products, toProduct(good({ asin: "B000000005", title }))],
      limits: [],
      request: "lamp"
    })
    expect(replyText(sentence, titled)).toBe(builtReply(titled))
  })

  it.each(["ONLY5USD", "SALE5", "B0FREE0001", "5-OFF"])("is no code that makes a claim: %s", (asin) => {
    const claim = context({
      products: [toProduct(good({ asin, title: "Cheap Lamp" }))],
      limits: [],
      request: "lamp"
    })
    expect(builtReply(claim)).toContain("- A product: $45.00")
  })
})

describe("a sign in a title", () => {
  const listed = (title: string) =>
    builtReply(
      context({ products: [toProduct(good({ asin: "B000000005", title }))], limits: [], request: "lamp" })
    )

  it.each([
    "Lamp ★★★★★",
    "⭐ Lamp",
    "✔ Lamp",
    "Lamp -50",
    "Lamp 45,-",
    "Lamp 45.-",
    "Lamp 90 -> 45",
    "Lamp 90 → 45",
    "Lamp”: free “"
  ])("that states a rating or a price isn't listed: %s", (title) => {
    expect(listed(title)).toContain("- B000000005: $45.00")
  })

  it.each([
    "Sleeping Bag -10 °C",
    "Sleeping Bag -10C, Green",
    "Fuji® X-T5 Camera",
    "Lamp - 50 Pieces",
    "Sun Cream SPF 50+",
    "Tea, 20-25 Bags",
    "USB 3.0 Hub"
  ])("that states none is: %s", (title) => {
    expect(listed(title)).toContain(`- “${title}”: $45.00`)
  })
})
