import { describe, expect, it } from "vitest"
import { queryTermsOf, searchTermsOf } from "../../../src/shop/goods/SearchTerms.ts"

const item = { title: "", cardDescription: "", category: "ios" as const, slug: "a" }

describe("the terms of an item", () => {
  it.each([
    ["Crème BRÛLÉE", ["creme", "brulee"]],
    ["Straße, Łódź & Ærø", ["strasse", "lodz", "aero"]],
    ["Ωμέγας", ["ωμεγασ"]],
    ["İstanbul ılık", ["istanbul", "ilik"]],
    ["ﬁle ５G", ["file", "5g"]],
    ["हिन्दी", ["हिन्दी"]],
    ["東京タワー", ["東", "京", "タ", "ワ", "ー", "東京", "京タ", "タワ", "ワー"]],
    ["iOS版", ["ios", "版"]],
    ["한국어", ["한", "국", "어", "한국", "국어"]],
    ["🚀🚀 👍🏽", ["🚀", "👍"]],
    ["\ud800 -- %_'\"\\", []]
  ])("of %j", (title, terms) => {
    const own = new Set(["a", "ios"])
    const found = searchTermsOf({ ...item, title })
    const ofTitle = found.filter((term) => term.startsWith("ˆ")).map((term) => term.slice(1))
    const words = found.filter((term) => !own.has(term) && !term.startsWith("ˆ"))
    // Stems follow.
    expect(words.slice(0, terms.filter((term) => !own.has(term)).length)).toEqual(
      terms.filter((term) => !own.has(term))
    )
    expect(ofTitle).toEqual(expect.arrayContaining([...terms]))
    expect(new Set(found).size).toBe(found.length)
  })

  it("have those of keywords, and with them those of title and keywords marked", () => {
    const found = searchTermsOf({ ...item, title: "Maker", keywords: ["Pictures", "two words"] })
    expect(found).toEqual(
      expect.arrayContaining(["pictures", "two", "ˇmaker", "ˇpictures", "ˇtwo", "ˇwords"])
    )
    expect(found.filter((term) => term.startsWith("ˆ"))).not.toContain("ˆpictures")
    expect(searchTermsOf({ ...item, title: "Maker" }).join(" ")).not.toContain("ˇ")
  })

  it("are bounded", () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ")
    expect(searchTermsOf({ ...item, cardDescription: words })).toHaveLength(2_000)
    expect(searchTermsOf({ ...item, title: "x".repeat(1_000) })[0]).toBe("x".repeat(64))
  })

  it("begin with title, slug and category, so that a long description displaces none of them", () => {
    const cardDescription = Array.from({ length: 5_000 }, (_, index) => `word${index}`).join(" ")
    expect(
      searchTermsOf({ ...item, slug: "the-slug", title: "The title", cardDescription }).slice(0, 4)
    ).toEqual(["the", "title", "slug", "ios"])
  })
})

describe("the terms of a query", () => {
  it.each([
    [
      "Café gui",
      [
        ["cafe", false],
        ["gui", true]
      ]
    ],
    [
      "東京 ガイド",
      [
        ["東京", false],
        ["ガイ", false],
        ["イド", false]
      ]
    ],
    ["京", [["京", false]]],
    [
      "I need agents for reviewing requests",
      [
        ["agent", false],
        ["review", false],
        ["requests", true, "request"]
      ]
    ],
    [
      "how to",
      [
        ["how", false],
        ["to", true]
      ]
    ],
    [
      "plan plan",
      [
        ["plan", false],
        ["plan", true]
      ]
    ],
    [
      "launch 🚀",
      [
        ["launch", false],
        ["🚀", false]
      ]
    ],
    ["-- ", []]
  ] as const)("of %j", (q, terms) => {
    expect(queryTermsOf(q)).toEqual(
      terms.map(([text, isPrefix, or]) => ({ text, isPrefix, ...(or === undefined ? {} : { or }) }))
    )
  })

  it.each([undefined, "", " \t\n"])("of %j: all items are sought", (q) => {
    expect(queryTermsOf(q)).toBeUndefined()
  })

  it("are the first sixteen, of which none is a prefix if there are more", () => {
    const found = queryTermsOf(Array.from({ length: 17 }, (_, index) => `w${index}`).join(" "))
    expect(found).toHaveLength(16)
    expect(found?.some(({ isPrefix }) => isPrefix)).toBe(false)
  })
})
