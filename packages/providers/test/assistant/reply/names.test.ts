import { describe, expect, it } from "vitest"
import { builtReply, keptText, replyText } from "../../../src/assistant/reply/ReplyText.ts"
import { anker, good, sony } from "../goods.ts"
import { context, faults, toProduct } from "./replies.ts"

/*
 * A product's name in a kept sentence is the one that code writes, so that no noun of a title stands for anything else.
 */

const withTitles = (...titles: ReadonlyArray<string>) =>
  context({
    products: [
      ...[anker, sony].map(toProduct),
      ...titles.map((title, index) => toProduct(good({ asin: `B00000000${index + 5}`, title })))
    ],
    limits: [],
    request: "headphones"
  })

const pairsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .map((line) => line.trim().split(" | "))
    .filter(([title]) => title !== "")

describe("a noun of a title", () => {
  it.each(
    pairsOf(`
    Rinnai On-Demand Tankless Water Heater | The demand is strong. | The “Rinnai On-Demand Tankless Water Heater” is strong.
    Reception Desk Bell | Reception is excellent. | “Reception Desk Bell” is excellent.
    No-Wait Kettle | The wait is short. | The “No-Wait Kettle” is short.
    Friday Lamp | Friday is ideal. | “Friday Lamp” is ideal.
    Many Lamp | Many are good. | “Many Lamp” are good.
    Bill Clip Holder | The Sony is soft, and the bill is small. | The “Sony WH-CH520 Wireless Headphones” is soft, and the “Bill Clip Holder” is small.
    Gebühr Notizbuch | Die Gebühr ist klein. | Die “Gebühr Notizbuch” ist klein.
    Frais de bouche | Les frais sont petits. | Les “Frais de bouche” sont petits.
    Demanda Juego | La demanda es grande. | La “Demanda Juego” es grande.
    Domanda Gioco | La domanda è grande. | La “Domanda Gioco” è grande.
    Demanda Jogo | A demanda é grande. | A “Demanda Jogo” é grande.`)
  )("is only its product's name: %s: %s", (title = "", lie = "", said) => {
    expect(keptText(lie, withTitles(title))).toBe(said)
  })

  it.each(
    pairsOf(`
    Demand Lamp, Small | Demand Mug, Blue | The demand is strong.
    Price Drop Chair | Sony Speaker | The Sony is light.
    Tomorrow | Lumo Lamp | Tomorrow is ideal.
    Delivery Express | Lumo Lamp | The express is small.`)
  )("is dropped if it is of several products, or of a title without a name: %s: %s: %s", (...row) => {
    const [one = "", other = "", lie = ""] = row
    expect(keptText(lie, withTitles(one, other))).toBe("")
  })

  it("is no name after a number", () => {
    const about = withTitles("Voltik Power Bank 5000 mAh Battery")
    expect(keptText("The Voltik has a 5000 mAh battery.", about)).toBe(
      "The “Voltik Power Bank 5000 mAh Battery” has a 5000 mAh battery."
    )
  })

  it("that a lexicon explains stays as it is", () => {
    const about = withTitles("Choice Sound Speaker")
    expect(keptText("It is a good choice with a warm sound.", about)).toBe(
      "It is a good choice with a warm sound."
    )
  })
})

describe("a product's name", () => {
  it.each(
    pairsOf(`
    Lumo Desk Lamp, 5 W, with Clamp | The Lumo is light. | The “Lumo Desk Lamp” is light.
    Lumo: Desk Lamp | The Lumo is light. | The “Lumo: Desk Lamp” is light.
    Lumo Desk Lamp only $5 | The Lumo is light. | The “Lumo Desk Lamp” is light.
    Cheap Lumo Desk Lamp | The Lumo is light. | The “Lumo Desk Lamp” is light.
    Lumo Desk Lamp Free | The Lumo is light. | The “Lumo Desk Lamp” is light.`)
  )("is the beginning of its title, up to a claim: %s", (title = "", sentence = "", said) => {
    expect(keptText(sentence, withTitles(title))).toBe(said)
  })

  it("is written for each of five products", () => {
    const titles = ["Lumo Desk Lamp", "Brew Tea Pot", "Zork Oak Stool"]
    const sentence =
      "The Anker, the Sony, the Lumo Desk Lamp, the Brew Tea Pot and the Zork Oak Stool are light."
    expect(keptText(sentence, withTitles(...titles))).toBe(
      "The “Anker Soundcore Q45 Wireless Headphones”, the “Sony WH-CH520 Wireless Headphones”, the “Lumo Desk Lamp”, the “Brew Tea Pot” and the “Zork Oak Stool” are light."
    )
  })

  it.each([
    ["It is light.", "About the products:\nIt is light."],
    [
      "Here are two good options. Both are light.",
      "About the products:\nHere are two good options. Both are light."
    ],
    ["The Sony is light. It is soft.", "The “Sony WH-CH520 Wireless Headphones” is light. It is soft."],
    ["Il est léger.", "À propos des produits :\nIl est léger."]
  ])("or code's word for them precedes a pronoun: %s", (draft, said) => {
    expect(replyText(draft, context({ limits: [] })).split("\n\n")[0]).toBe(said)
  })

  it.each([
    ["zork ".repeat(32), `The ${"zork ".repeat(50)}is light. `],
    ["a ".repeat(80), `The ${"a ".repeat(50)}is light. `],
    [
      "zork light soft ".repeat(10),
      `The zork is light, ${"the zork is soft and ".repeat(9)}the zork is soft. `
    ]
  ])("is found in bounded time: %s", (title, sentence) => {
    const about = withTitles(...Array.from({ length: 18 }, (_, index) => `${title}${index}`))
    // What takes exponential time ends by the time limit of the test.
    expect(replyText(sentence.repeat(40), about)).not.toBe("")
  })
})

describe("a part, an added thing and what is held", () => {
  it.each([
    "The case is a gift for your mother.",
    "Its battery is a present for kids.",
    "It adds a case to your bag.",
    "You can hold it.",
    "Its case is soft and is a gift for kids."
  ])("are no gift and no reservation: %s", (lie) => {
    expect(faults(lie)).toHaveLength(1)
  })
})

describe("the list of products", () => {
  const bare = { asin: "B000000005", title: "Lumo Lamp", rating: null, reviewCount: null }

  it.each([
    [{ price: 1e21 }, ""],
    [{ price: Number.NaN }, ""],
    [{ price: 5, currency: "OFF" }, ""],
    [{ price: 8.29 }, ": $8.29"],
    [{ price: 0.07, currency: "eur" }, ": 0.07 EUR"]
  ])("has only prices that are amounts of a currency: %o", (fields, said) => {
    const text = builtReply(context({ products: [toProduct(good({ ...bare, ...fields }))], limits: [] }))
    expect(text).toBe(`This product matches your request:\n- “Lumo Lamp”${said}`)
  })

  it("has whole lines only", () => {
    const products = Array.from({ length: 20 }, (_, index) =>
      toProduct(
        good({ asin: `B0000000${index}`, title: `Lumo Lamp ${"x".repeat(100)} ${index}`, price: 12.5 })
      )
    )
    const lines = builtReply(context({ products, limits: [] }))
      .split("\n")
      .slice(1)
    expect(lines.length).toBeGreaterThan(5)
    for (const each of lines)
      expect(each).toMatch(/^- “Lumo Lamp x+ \d+”: \$12\.50, rated [\d.]+, \d+ reviews$/)
  })
})
