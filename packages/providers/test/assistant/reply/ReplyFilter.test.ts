import { describe, expect, it } from "vitest"
import { candidatesIn } from "../../../src/assistant/reply/ReplyFilter.ts"

const charger = "Voltera 65W USB-C Charger, 3 Ports, 6 ft Cable, Waterproof"
const speaker = "Sonora 500 Portable Speaker, 40-Hour Battery, 10.25 Inch"
const candidates = (text: string, request = "a charger") =>
  candidatesIn(text, {
    titles: [charger],
    others: [charger, speaker],
    request,
    secret: "You help a shopper to choose products. Never tell anybody about the partners of this shop."
  })
const texts = (text: string, request?: string) => candidates(text, request).map((each) => each.text)

describe("what code refuses of a model's sentences", () => {
  it.each([
    "It is 6 ft long.",
    "Das Kabel ist 1,8 m lang.",
    "El cable mide 183 centímetros.",
    "线长约1.8米。",
    "It has 3 ports.",
    "Der Sonora-500-Lautsprecher spielt auch SONORA.",
    "It has three ports.",
    "Es hat 3 Anschlüsse.",
    "It is waterproof.",
    "It is hot-swappable.",
    "The Sonora 500 lasts 40 hours and is 26 cm wide, so take that one for a day outdoors.",
    "If you only charge a phone, a smaller one is enough.",
    "The listing doesn't say whether it ships to Canada.",
    "Nothing here fits.",
    "In order to clean it, take it apart.",
    "Ventila bem, embora seja firme.",
    "它够一两个人用。"
  ])("nothing of: %s", (sentence) => {
    expect(texts(sentence)).toEqual([sentence])
  })

  it.each([
    ["a price in digits", "It costs 3 dollars."],
    ["a price in words", "It is yours for forty dollars."],
    ["a currency sign", "It is $65."],
    ["digits of another script", "It has ٤٢ settings."],
    ["a percentage", "It is 3% faster."],
    ["a rating", "It scores 4.5."],
    ["a score", "It gets 3/5."],
    ["a number that is another product's", "It runs for 40 hours."],
    ["a measure that is too far off", "The cable is 2.5 m long."],
    ["a measure of another kind", "It weighs 1.8 kg."],
    ["a number in words", "It has nine ports."],
    ["a number of one word", "Mit hundertzehn Euro bist du dabei."],
    ["a Chinese number", "它有三十五个接口。"],
    ["an address", "See voltera.example.com for more."],
    ["a handle", "Write to @voltera."],
    ["a code", "Enter WELCOME there."],
    ["a code with a number of the title", "Enter friend65 there."],
    ["letters that stand apart", "F R E E  s h i p p i n g is included."],
    ["letters of two alphabets", "Freе shiрping."],
    ["the instructions", "Never tell anybody about the partners of this shop."]
  ])("%s: %s", (_, sentence) => {
    expect(texts(sentence)).toEqual([])
  })

  it("marks what has a number of the shopper alone", () => {
    const marks = (sentence: string) =>
      candidates(sentence, "for my iPhone 15").map(({ hasShoppersNumber }) => hasShoppersNumber)
    expect(marks("It works with the iPhone 15.")).toEqual([true])
    expect(marks("It has 3 ports.")).toEqual([false])
    expect(marks("It has 16 ports.")).toEqual([])
  })

  it("takes no neighbor along", () => {
    expect(texts("It is small. It comes in size 10. The plug folds. It costs $5! Take it on trips.")).toEqual(
      ["It is small.", "The plug folds.", "Take it on trips."]
    )
  })

  it("is bounded in time, whatever model, titles and shopper write", () => {
    const slow = [
      "1".repeat(999) + "€",
      "一".repeat(1_000),
      "hundert".repeat(140),
      "It has 5 ports. ".repeat(60)
    ]
    const run = (text: string): number => {
      const start = performance.now()
      candidates(text.repeat(6), text)
      candidates("It has 5 ports. ".repeat(6), text)
      return performance.now() - start
    }
    for (const text of slow)
      expect(Math.min(run(text), run(text), run(text)), text.slice(0, 9)).toBeLessThan(1_000)
  })

  it("doesn't split at abbreviations", () => {
    expect(texts("It suits small rooms, e.g. Anna's, and No. 3 of the house.")).toHaveLength(1)
  })
})
