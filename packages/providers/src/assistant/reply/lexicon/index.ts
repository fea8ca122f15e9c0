import { english } from "./english.ts"
import { french } from "./french.ts"
import { german } from "./german.ts"
import { italian } from "./italian.ts"
import { type Lexicon, makeLexicon } from "./Lexicon.ts"
import { portuguese } from "./portuguese.ts"
import { spanish } from "./spanish.ts"

/** Languages in which sentences of a model can be kept. */
export type CheckedLanguage = "en" | "de" | "fr" | "es" | "it" | "pt"

/** The words of each language. */
export const lexicons: ReadonlyMap<CheckedLanguage, Lexicon> = new Map([
  ["en", makeLexicon(english)],
  ["de", makeLexicon(german)],
  ["fr", makeLexicon(french)],
  ["es", makeLexicon(spanish, { dropsSubject: true })],
  ["it", makeLexicon(italian, { dropsSubject: true })],
  ["pt", makeLexicon(portuguese, { dropsSubject: true })]
])
