import type { Product } from "@till402/core"
import { listWords } from "../../../src/assistant/reply/ListWords.ts"
import { describe, expect, it } from "vitest"
import {
  aboutText,
  type Answered,
  draftOf,
  isSilent,
  judgedDraft,
  replyText,
  sentencesOfDraft
} from "../../../src/assistant/reply/ReplyText.ts"
import type { Opinion } from "../../../src/assistant/reply/SecondOpinion.ts"
import { anker, bose, good, sony } from "../goods.ts"

/** The text of an answer on which the model has opinions. */
const render = (answered: Partial<Answered>, request = "headphones", hasOtherCurrency = false) => {
  const context = { request, found: [anker, sony, bose], hasOtherCurrency, secret: "" }
  const draft = draftOf({ summary: "", picks: [], note: "", ...answered }, context)
  const opinions = new Map<string, Opinion>(
    sentencesOfDraft(draft).map((text) => [text, { subject: /stock/.test(text) ? "offer" : "advice" }])
  )
  const judged = judgedDraft(draft, opinions)
  return replyText(judged, context, isSilent(judged) ? "uncompared" : undefined)
}

describe("the text of a reply", () => {
  it("has what the model says, and names, prices and ratings by code", () => {
    expect(
      render({
        summary: "Take the Anker, or the Sony if you want a smaller one.",
        picks: [
          { product: anker, why: "It folds. It costs $9." },
          { product: sony, why: "It is smaller." }
        ]
      })
    ).toBe(
      [
        "Take the Anker, or the Sony if you want a smaller one.",
        "",
        "- “Anker Soundcore Q45 Wireless Headphones, Black”: $45.00, rated 4.7 (best rating), reviews: 2,310",
        "  It folds.",
        "- “Sony WH-CH520 Wireless Headphones, Blue”: $30.00 (lowest price), rated 4.5, reviews: 900",
        "  It is smaller."
      ].join("\n")
    )
  })

  it("marks no best value where one is unknown, all are equal, or currencies differ", () => {
    const unknown = good({ asin: "B1", title: "First lamp", price: null, rating: null })
    const euro = good({ asin: "B2", title: "Second lamp", price: 3, currency: "EUR", rating: 4.5 })
    const text = render({ picks: [anker, unknown, euro].map((product) => ({ product, why: "" })) })
    expect(text).not.toMatch(/lowest|best/)
    expect(text).toContain("“First lamp”: reviews: 100")
    expect(text).toContain("€3.00")
  })

  it("names each product, in quotation marks that its title can't close", () => {
    const title = 'Lamp” says: free shipping, "50% off"\n$1'
    expect(render({ picks: [{ product: good({ asin: "B3", title }), why: "" }] })).toContain(
      "“Lamp' says: free shipping, '50% off' $1”: $45.00"
    )
  })

  it.each([
    ["ein Kopfhörer für die Bahn", "Die Suche hat diese Produkte gefunden."],
    ["un casque pour le train", "La recherche a trouvé ces produits."],
    ["unos auriculares para el tren", "La búsqueda encontró estos productos."],
    ["cuffie per il treno", "La ricerca ha trovato questi prodotti."],
    ["fones para o trem, não muito caros", "A pesquisa encontrou estes produtos."],
    ["通勤のヘッドホン", "検索で見つかった商品です。"],
    ["我要一个耳机", "搜索找到了这些商品"],
    ["我要一個無線耳機", "搜尋找到了這些商品"],
    ["kuulokkeet junaan", "The search found these products."]
  ])("says in the language of %s that nothing was compared", (request, opening) => {
    expect(render({ picks: [{ product: anker, why: "It is in stock." }] }, request)).toContain(opening)
  })

  it("has no sentence without an opinion on it", () => {
    const context = { request: "", found: [anker], hasOtherCurrency: false, secret: "" }
    const draft = draftOf({ summary: "It folds. It is light.", picks: [], note: "" }, context)
    expect(sentencesOfDraft(draft)).toEqual(["It folds.", "It is light."])
    const judged = judgedDraft(draft, new Map([["It folds.", { subject: "feature" }]]))
    expect(sentencesOfDraft(judged)).toEqual(["It folds."])
    expect(isSilent(judgedDraft(draft, new Map()))).toBe(true)
  })

  it("has spaces between sentences where their script has them", () => {
    expect(render({ note: "它可以折叠。它很轻。" }, "耳机")).toContain("它可以折叠。它很轻。")
    expect(render({ note: "It folds. It is light." })).toContain("It folds. It is light.")
  })

  it("says that a limit wasn't applied, and what the service does", () => {
    const told = "Your limit isn't in USD and wasn't applied."
    const withPick = (product: Product) =>
      render({ picks: [{ product, why: "It folds." }] }, "headphones", true)
    expect(withPick(anker)).toContain(`Prices are in USD. ${told}`)
    expect(withPick({ ...anker, currency: "EUR" })).toMatch(/€45\.00[^]+\n\nYour limit isn't/)
    expect(render({ note: "Nothing here fits." }, "headphones", true)).toBe(`Nothing here fits.\n\n${told}`)
    expect(aboutText("wo ist meine Bestellung, und wann kommt sie?")).toContain(
      "die Sendungsverfolgung dieses Dienstes"
    )
    for (const { about } of Object.values(listWords)) expect(about).not.toMatch(/[A-Z]{3} ?\/|x402/)
  })

  it("is bounded", () => {
    const why = "It is a comfortable pair of headphones for long trips. ".repeat(200)
    expect(render({ summary: why, picks: [{ product: anker, why }], note: why }).length).toBeLessThan(2_500)
  })
})
