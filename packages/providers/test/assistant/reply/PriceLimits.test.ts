import { describe, expect, it } from "vitest"
import { limitsOf } from "../../../src/assistant/Wishes.ts"

const read = (message: string) =>
  limitsOf({ message }).map(({ bound, currencies, strict, value }) =>
    `${bound === "max" ? "<" : ">"}${strict ? "" : "="} ${value} ${currencies.join("/")}`.trim()
  )

describe("limits of a message", () => {
  it.each([
    ["headphones under $50", ["< 50 USD"]],
    ["headphones below 50 bucks", ["< 50 USD"]],
    ["headphones under fifty dollars", ["< 50 USD"]],
    ["a laptop under one thousand two hundred dollars", ["< 1200 USD"]],
    ["headphones between 40 and 120", [">= 40", "<= 120"]],
    ["headphones from $20 to $40", [">= 20 USD", "<= 40 USD"]],
    ["something for $20-$40", [">= 20 USD", "<= 40 USD"]],
    ["20-40 euros", [">= 20 EUR", "<= 40 EUR"]],
    ["not under $50 please", [">= 50 USD"]],
    ["nothing above 200", ["<= 200"]],
    ["don't spend over $75", ["<= 75 USD"]],
    ["no more than 60 dollars", ["<= 60 USD"]],
    ["I have $40 to spend", ["<= 40 USD"]],
    ["my budget is 100", ["<= 100"]],
    ["a $1,250 budget", ["<= 1250 USD"]],
    ["30 dollars or less", ["<= 30 USD"]],
    ["maximum price: $80", ["<= 80 USD"]],
    ["over $100 but under $200", ["> 100 USD", "< 200 USD"]],
    ["at least $20", [">= 20 USD"]],
    ["Kopfhörer unter 49,90 Euro", ["< 49.9 EUR"]],
    ["bis 1.299,00 €", ["<= 1299 EUR"]],
    ["höchstens 80 Dollar", ["<= 80 USD"]],
    ["moins de 50 €", ["< 50 EUR"]],
    ["entre 20 y 40 dólares", [">= 20 USD", "<= 40 USD"]],
    ["menos de 30 dólares", ["< 30 USD"]],
    ["sotto i 60 euro", ["< 60 EUR"]],
    ["até 70 dólares", ["<= 70 USD"]],
    ["onder de 90 euro", ["< 90 EUR"]],
    ["наушники до 50 долларов", ["<= 50 USD"]],
    ["50ドル以下のヘッドホン", ["<= 50 USD"]],
    ["不超过100美元的耳机", ["<= 100 USD"]],
    ["5만원 이하", []],
    ["50달러 이하 헤드폰", ["<= 50 USD"]],
    ["a laptop under $1.5k", ["< 1500 USD"]],
    ["a laptop under 2k dollars", ["< 2000 USD"]],
    ["headphones <$50", ["< 50 USD"]],
    ["headphones <= 50 USD", ["<= 50 USD"]],
    ["headphones ≤ $50 and ≥ $20", ["<= 50 USD", ">= 20 USD"]],
    ["sub-$50 headphones", ["< 50 USD"]]
  ])("%s", (message, expected) => {
    expect(read(message).sort()).toEqual([...expected].sort())
  })

  it.each([
    "headphones with at least 40 hours",
    "a kettlebell under 30 lb",
    "a tent below 2.5 kg",
    "a drill with more than 18 volts",
    "toys for under 3 years",
    "rated over 4.5 stars",
    "with more than 500 reviews",
    "a 1080p webcam from 2020",
    "size 8-10 shoes",
    "a monitor of 27 inch or more",
    "up to 12 people",
    "hard drive over 2 TB",
    "I <3 music",
    "a camera under 4k"
  ])("no limit on the price: %s", (message) => {
    expect(read(message)).toEqual([])
  })

  const negated = {
    English: [
      "I don't want to spend more than $60",
      "I'm not looking to spend more than $60",
      "not looking to pay over $60",
      "something that doesn't cost more than $60",
      "something that isn't more than $60",
      "headphones that aren't over $60",
      "I can't afford to spend more than $60",
      "we don't want to pay any more than $60",
      "not one cent over $60",
      "please avoid anything over $60",
      "over $60 is too much",
      "more than $60 is out of the question",
      "from $60 down"
    ],
    German: [
      "nicht viel mehr als 60 Dollar",
      "darf auf keinen Fall mehr als 60 Dollar kosten",
      "über 60 Dollar ist zu teuer",
      "ich will nichts über 60 Dollar",
      "mehr als 60 Dollar will ich nicht ausgeben"
    ],
    French: ["je ne veux pas dépenser plus de 60 dollars", "un casque qui ne coûte pas plus de 60 dollars"],
    Spanish: [
      "no quiero gastar más de 60 dólares",
      "que no cueste más de 60 dólares",
      "sin gastar más de 60 dólares"
    ],
    Italian: ["non voglio spendere più di 60 dollari", "che non costi più di 60 dollari"],
    Portuguese: ["não quero gastar mais de 60 dólares", "que não custe mais de 60 dólares"],
    Russian: ["не хочу тратить больше 60 долларов"],
    Polish: ["nie chcę wydać więcej niż 60 USD"]
  }
  it.each(
    Object.entries(negated).flatMap(([language, texts]) => texts.map((text) => [language, text] as const))
  )("a negated minimum is a maximum (%s): %s", (_, message) => {
    expect(read(message)).toEqual(["<= 60 USD"])
  })

  it.each([
    ["something that doesn't cost less than $20", [">= 20 USD"]],
    ["under $20 is too cheap", [">= 20 USD"]],
    ["no quiero gastar menos de 20 dólares", [">= 20 USD"]],
    ["headphones that don't leak sound under $50", ["< 50 USD"]],
    ["I don't want earbuds under $50", []],
    ["I don't mind spending more than $60", []],
    ["headphones that don't leak for more than $60", []],
    ["no problem with more than $60", []],
    ["don't exceed $60", ["<= 60 USD"]],
    ["nothing too fancy over $60", ["<= 60 USD"]],
    ["no wires, over $60", ["> 60 USD"]]
  ])("negations: %s", (message, expected) => {
    expect(read(message)).toEqual(expected)
  })

  it.each([
    ["under  $60", ["< 60 USD"]],
    ["under\n$60", ["< 60 USD"]],
    ["under: $60", ["< 60 USD"]],
    ["under about $60", ["< 60 USD"]],
    ["no more than about $60", ["<= 60 USD"]],
    ["$60 at most", ["<= 60 USD"]],
    ["60 Euro höchstens", ["<= 60 EUR"]],
    ["30 euros au maximum", ["<= 30 EUR"]],
    ["30 euros como máximo", ["<= 30 EUR"]],
    ["30 euro al massimo", ["<= 30 EUR"]],
    ["a cap of $60", ["<= 60 USD"]],
    ["$60 is my limit", ["<= 60 USD"]],
    ["have $60 to spend", ["<= 60 USD"]],
    ["price < 60", ["< 60"]],
    ["between fifty and eighty dollars", [">= 50 USD", "<= 80 USD"]],
    ["under fifty two dollars", ["< 52 USD"]],
    ["under fifty two of them", ["< 50"]],
    ["under thirty two-slice toasters", ["< 30"]],
    ["under one fifty", []],
    ["under two hundred and fifty dollars", ["< 250 USD"]],
    ["budget 50-80", [">= 50", "<= 80"]],
    ["budget of 50 to 80", [">= 50", "<= 80"]]
  ])("other forms: %s", (message, expected) => {
    expect(read(message).sort()).toEqual([...expected].sort())
  })
})
