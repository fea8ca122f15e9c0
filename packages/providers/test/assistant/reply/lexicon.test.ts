import { describe, expect, it } from "vitest"
import { english } from "../../../src/assistant/reply/lexicon/english.ts"
import { french } from "../../../src/assistant/reply/lexicon/french.ts"
import { german } from "../../../src/assistant/reply/lexicon/german.ts"
import { italian } from "../../../src/assistant/reply/lexicon/italian.ts"
import type { LexiconWords } from "../../../src/assistant/reply/lexicon/Lexicon.ts"
import { portuguese } from "../../../src/assistant/reply/lexicon/portuguese.ts"
import { spanish } from "../../../src/assistant/reply/lexicon/spanish.ts"
import { isSensitive } from "../../../src/assistant/reply/SensitiveWords.ts"

/*
 * The words that a model may use, against those with which a title could state a price, stock or a rating. Phrases are
 * fixed: none of their words stands alone.
 */

/** Sensitive words of the lexicon, with the reason why each is harmless there. */
const exceptions: Record<string, string> = {
  each: "an article: only before goods and things",
  stable: "a quality",
  supple: "a quality; sensitive as `supply`",
  back: "a part of the body or of a product",
  reservoir: "a part; sensitive as `reserve`",
  one: "a kind: only after an article, as in `the white one`",
  ones: "a kind: only after an article",
  under: "before things, never before a number",
  aus: "German `of`",
  recommande: "what the assistant does",
  recommanderais: "what the assistant does",
  bon: "French `good`",
  bons: "French and Portuguese `good`",
  grand: "French `large`",
  stables: "a quality",
  très: "French `very`; sensitive as Spanish `tres`",
  dos: "French `back`, Portuguese `of the`",
  livres: "French `books`",
  livros: "Portuguese `books`; sensitive as French `livré`",
  couteau: "French `knife`; sensitive as `coûte`",
  mais: "French `but`",
  sin: "Spanish `without`: no thing of the lexicon costs anything",
  all: "Italian `at the`",
  vi: "Italian `you`",
  per: "Italian `for`: no number follows it",
  no: "Portuguese `in the`"
}

/** After `in`, `on` or `for`, these would be a delivery or a price. Fixed phrases may have them: `for hours`. */
const timesAndMoney = new Set(
  `second seconds minute minutes hour hours day days week weeks month months year years moment moments night nights
  evening evenings morning mornings workday meal meals breakfast lunch dinner birthday life lifetime pocket pockets wallet
  purse purses bank cash coin coins note notes penny pennies dough bucks shelf shelves counter ground stunde stunden
  minute minuten tag tage tagen woche wochen monat monate jahr jahre nacht nächte abend abende abenden morgen frühstück
  mittagessen abendessen leben geld münzen heure heures jour jours semaine semaines mois année nuit nuits soir soirée soirées
  matin repas vie poche poches argent hora horas día días semana semanas mes año noche noches tarde mañana comida cena vida
  bolsillo dinero ora ore giorno giorni settimana mese anno notte notti sera serata mattina pasto pasti vita tasca tasche
  soldi dia dias mês ano noite noites manhã almoço jantar bolso dinheiro casa maison wohnung home house`.split(
    /\s+/
  )
)
const things = ["noun", "trait", "use", "choice", "gift"] as const

/** Numbers, of which the grammar allows only that of the products. */
const isNumber = (lists: LexiconWords, word: string): boolean => lists.number.split(" ").includes(word)

describe.each(Object.entries({ english, french, german, italian, portuguese, spanish }))(
  "the lexicon in %s",
  (_, lists) => {
    it("has no word that could state a price, stock or a rating", () => {
      const words = Object.values(lists)
        .flatMap((text) => text.split(/\s+/))
        .filter((word) => !word.includes("_") && !isNumber(lists, word) && exceptions[word] === undefined)
      expect(words.filter(isSensitive)).toEqual([])
    })

    it("has no verb of giving that takes any thing", () => {
      const giving = [lists.has, lists.adds, lists.comes].flatMap((text) => text.split(/\s+/))
      const taking = new Set(lists.verb.split(/\s+/))
      expect(giving.filter((verb) => verb !== "" && taking.has(verb))).toEqual([])
    })

    it("has no thing that is a time, money or a home", () => {
      const words = things.flatMap((kind) => lists[kind].split(/\s+/))
      expect(words.filter((word) => timesAndMoney.has(word))).toEqual([])
    })
  }
)

it("has no exception without a word", () => {
  const words = [english, french, german, italian, portuguese, spanish].flatMap((lists) =>
    Object.values(lists).flatMap((text) => text.split(/\s+/))
  )
  const unused = Object.keys(exceptions).filter((word) => !words.includes(word) || !isSensitive(word))
  expect(unused).toEqual([])
})
