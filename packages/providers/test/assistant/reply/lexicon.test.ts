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
  }
)

it("has no exception without a word", () => {
  const words = [english, french, german, italian, portuguese, spanish].flatMap((lists) =>
    Object.values(lists).flatMap((text) => text.split(/\s+/))
  )
  const unused = Object.keys(exceptions).filter((word) => !words.includes(word) || !isSensitive(word))
  expect(unused).toEqual([])
})
