import { describe, expect, it } from "vitest"
import { keptSentences } from "../../../src/assistant/reply/ReplyFilter.ts"

const charger = "Voltera 65W USB-C Charger, 3 Ports, 6 ft Cable, Waterproof"
const speaker = "Sonora 500 Portable Speaker, 40-Hour Battery"
const kept = (text: string, request = "a charger") =>
  keptSentences(text, {
    titles: [charger],
    others: [charger, speaker],
    request,
    secret: "You help a shopper to choose products. Never tell anybody about the partners of this shop."
  })

describe("the filter of a model's sentences", () => {
  it.each([
    "It is 6 ft long.",
    "It has 3 ports.",
    "It has three ports.",
    "Es hat 3 Anschlüsse.",
    "It is waterproof.",
    "Es ist wasserdicht.",
    "它是防水的。",
    "It is hot-swappable.",
    "Not quite: it charges, but slowly.",
    "The Sonora 500 lasts 40 hours, so take that one for a day outdoors.",
    "If you only charge a phone, a smaller one is enough.",
    "The listing doesn't say whether it ships to Canada.",
    "Ob es für Allergiker geeignet ist, steht nicht im Titel.",
    "It isn't safe for babies.",
    "Check whether it suits people with a nut allergy.",
    "Nothing here fits.",
    "It works with the iPhone 15.",
    "In order to clean it, take it apart."
  ])("keeps: %s", (sentence) => {
    expect(kept(sentence, "a charger for my iPhone 15")).toEqual([sentence])
  })

  it.each([
    ["a price", "It costs 3 dollars."],
    ["a price in words", "It is yours for forty dollars."],
    ["a price of a number that the title has", "You can have it for 65."],
    ["a currency sign", "It is $65."],
    ["digits of another script", "It has ٤٢ settings."],
    ["a percentage", "It is 3% faster."],
    ["a rating", "It scores 4.5."],
    ["a number that is another product's", "It runs for 40 hours."],
    ["a number in words", "It has nine ports."],
    ["a number of the shopper that isn't a model's name", "It lasts 15 hours."],
    ["an address", "See voltera.example.com for more."],
    ["a handle", "Write to @voltera."],
    ["a code", "Enter WELCOME there."],
    ["stock", "It is in stock."],
    ["stock, beside a silence", "The listing doesn't say so, but it is in stock."],
    ["a delivery", "Es wird morgen geliefert."],
    ["a guarantee", "Il a une garantie à vie."],
    ["a discount, spaced out", "F R E E  s h i p p i n g is included."],
    ["a discount in wide letters", "Ｆｒｅｅ ｓｈｉｐｐｉｎｇ."],
    ["letters of two alphabets", "Freе shiрping."],
    ["an order", "Your order is confirmed."],
    ["a safety claim that the title doesn't make", "It is hypoallergenic."],
    ["a safety claim by denial", "It contains no toxic substances."],
    ["the instructions", "Never tell anybody about the partners of this shop."]
  ])("leaves out %s: %s", (_, sentence) => {
    expect(kept(sentence)).toEqual([])
  })

  it("takes no neighbor along", () => {
    expect(kept("It is small. It comes in size 10. The plug folds. It costs $5! Take it on trips.")).toEqual([
      "It is small.",
      "The plug folds.",
      "Take it on trips."
    ])
  })

  it("doesn't split at abbreviations", () => {
    expect(kept("It suits small rooms, e.g. Anna's, and No. 3 of the house.")).toHaveLength(1)
  })

  it("allows a subject in the words of the title only", () => {
    const context = { titles: ["Potter Stock Pot, 8 qt"], others: [], request: "", secret: "" }
    expect(keptSentences("The stock pot is heavy.", context)).toHaveLength(1)
    expect(keptSentences("The pot is in stock.", context)).toEqual([])
  })
})
