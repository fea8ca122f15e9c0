import { describe, expect, it } from "vitest"
import { limitsIn, meetsLimit } from "../../../src/assistant/reply/PriceLimits.ts"

const max = (value: number) => ({ bound: "max", value })
const min = (value: number) => ({ bound: "min", value })

describe("limits on the price", () => {
  it.each([
    ["under $50", [max(50)]],
    ["headphones up to 1,299.50 dollars", [max(1_299.5)]],
    ["no more than 60 for the train", [max(60)]],
    ["I don't want to spend more than $80", [max(80)]],
    ["nothing under $20", [min(20)]],
    ["budget: 45 USD", [max(45)]],
    ["$40 or less", [max(40)]],
    ["between 20 and $40", [min(20), max(40)]],
    ["$20-$40", [min(20), max(40)]],
    ["over $100", [min(100)]],
    ["unter 40 Dollar", [max(40)]],
    ["zwischen 20 und 40 Dollar", [min(20), max(40)]],
    ["moins de 1 200 $", [max(1_200)]],
    ["menos de 50 dólares", [max(50)]],
    ["meno di 50 dollari", [max(50)]],
    ["até 50 dólares", [max(50)]],
    ["60美元以内", [max(60)]],
    ["50ドル以下", [max(50)]],
    ["under 50 krill capsules", [max(50)]],
    ["up to 40 random songs", [max(40)]],
    ["under 2k dollars", [max(2_000)]],
    ["under $1.5k", [max(1_500)]],
    ["under 5 kings", [max(5)]],
    ["up to 40 Japanese knives", [max(40)]],
    ["hasta 2 mil dólares", [max(2_000)]],
    ["entro 40 dollari", [max(40)]],
    ["máximo 40 dólares", [max(40)]],
    ["budget de 40 dollars", [max(40)]]
  ])("reads %s", (text, limits) => {
    expect(limitsIn(text)).toMatchObject({ limits, hasOtherCurrency: false })
  })

  it.each([
    "unter 40 Euro",
    "under £40",
    "moins de 30 €",
    "不超过300元",
    "zwischen 20 und 40 Euro",
    "under 5,000 yen",
    "3000円以下",
    "max 400 kr",
    "under 400 kronor",
    "up to kr 400",
    "between 200 and 400 NOK",
    "under 50 CAD",
    "up to 60 Canadian dollars",
    "max. 200 zł",
    "under 900 rand",
    "under 5000 Japanese yen",
    "under 5k yen",
    "予算1万円",
    "between 5k and 10k yen",
    "unter 400 Kronen",
    "unter 400 schwedische Kronen",
    "max 400 Swedish kronor",
    "menos de 400 coronas",
    "moins de 400 couronnes",
    "até 5000 ienes",
    "under 40 pounds",
    "under 30 quid",
    "I have €40 to spend",
    "no more than forty euros",
    "mein Budget liegt bei 40 Euro",
    "unter vierzig Euro",
    "ne dépasse pas 40 euros",
    "moins de quarante euros",
    "unos 40 euros",
    "menos de cuarenta euros",
    "sui 40 euro",
    "meno di quaranta euro",
    "cerca de 40 euros",
    "até quarenta euros",
    "5,000円くらい",
    "40ユーロ以下",
    "三百元以内",
    "不到300元",
    "40欧元左右",
    "1000塊以內",
    "40歐元以下",
    "NT$1000以下"
  ])("takes %s as a wish", (text) => {
    expect(limitsIn(text)).toMatchObject({ limits: [], hasOtherCurrency: true })
  })

  it.each([
    "at least 40 hours",
    "under 5 kg",
    "for ages 3-5",
    "over-ear headphones",
    "up to 4 people",
    "max 85 dB",
    "a monitor with at least 4K",
    "an album for 2-euro coins",
    "a book about PHP 8",
    "2块硬盘",
    "for my euro trip",
    "headphones for 4"
  ])("reads none in %s", (text) => {
    expect(limitsIn(text)).toMatchObject({ limits: [], hasOtherCurrency: false })
  })

  it("are read in time that grows with the text alone", () => {
    const millis = (text: string): number => {
      const start = performance.now()
      limitsIn(text)
      return performance.now() - start
    }
    for (const text of [
      "1".repeat(999) + "€",
      "一".repeat(1_000),
      "好".repeat(1_000),
      "under a1".repeat(125)
    ])
      expect(Math.min(millis(text), millis(text), millis(text)), text.slice(0, 9)).toBeLessThan(500)
  })

  it("holds for prices in dollars", () => {
    expect(meetsLimit({ currency: "USD", price: 50 }, { bound: "max", value: 50 })).toBe(true)
    expect(meetsLimit({ currency: "USD", price: 51 }, { bound: "max", value: 50 })).toBe(false)
    expect(meetsLimit({ currency: "USD", price: null }, { bound: "max", value: 50 })).toBe(false)
    expect(meetsLimit({ currency: "EUR", price: 10 }, { bound: "max", value: 50 })).toBe(false)
  })
})
