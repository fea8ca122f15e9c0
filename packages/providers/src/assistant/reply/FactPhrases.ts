import type { Sentence } from "./Sentences.ts"
import { wordsIn } from "./Words.ts"

/*
 * Takes prices, ratings and budgets out of a model's sentence where a phrase of their own states them, as in `the Foo
 * ($45)` or `the Foo at $45 is light`. Code states them. What is left is checked word by word, so nothing depends on
 * these patterns except how much of a text can be kept.
 */

const amount =
  "(?:(?:US ?)?[$€£] ?\\d[\\d.,]*|\\d[\\d.,]* ?(?:[$€£]|(?:US[- ]?)?dollars?|USD|EUR|euros?|dólares|dollari))(?<![.,])"
const stars = "(?:stars?|Sternen?|étoiles|estrellas|stelle|estrelas)"
const reviews =
  "(?:customer )?(?:reviews|ratings|reviewers|Bewertungen|Rezensionen|avis|reseñas|opiniones|recensioni|avaliações)"
const reviewed = `(?:,? (?:from|by|with|based on|across|and|bei|von|und|sur|et|con|y|su|e|com|em) (?:over |more than )?\\d[\\d.,]* ${reviews})?`
const rating = `\\d(?:[.,]\\d)?(?:(?:-| ?)${stars}| ?(?:out of|von|sur|de|su|/) ?5(?: ${stars})?)?(?: rating)?${reviewed}`
const end = "(?=[\\s.,;:!?)]|$)"

const patterns: ReadonlyArray<RegExp> = [
  // Any parenthesis with a number.
  /\s*\([^()\d]{0,80}\d[^()]{0,80}\)/giu,
  new RegExp(
    `(?:(?<=^\\s*)|(?<=(?:options?|picks?|choices?|ones?)),? )(?:within|in|under) (?:your|the) (?:${amount} )?(?:budget|price range|limit)(?: of ${amount})?(?:, |${end})`,
    "giu"
  ),
  new RegExp(
    `(?:,| with| mit| avec| con| com) (?:an? (?:average )?rating of |rated |it's rated |einer Bewertung von |bewertet mit |une note de |noté(?:e|s|es)? (?:à )?|una (?:valoración|calificación|valutazione) di?e? |uma avaliação de |an? )?${rating}${end}`,
    "giu"
  ),
  new RegExp(
    `,? (?:(?:priced )?at|for|für|um|à|por|per|a) (?:only |just |nur |about |under |below )?${amount}${end}`,
    "giu"
  ),
  new RegExp(`(?:,| [-–—]) ${amount}(?=\\s*[-–—,.:;!]|\\s*$)`, "giu")
]

/** Fewest words of a sentence that lost a phrase. */
const minWords = 4
const unfinished =
  /(?:^|\s)(?:is|are|and|the|a|an|has|have|on|to|ist|sind|und|der|die|das|hat|est|sont|et|le|la|es|son|y|el|è|e|o|é|são)\s*[.,:;!?-]*\s*$/iu

/** The sentence without phrases that state prices, ratings and budgets, if it stays one. */
export const withoutFactPhrases = (sentence: Sentence): Sentence => {
  const text = patterns
    .reduce((rest, pattern) => rest.replace(pattern, ""), sentence.text)
    .replace(/ +(?=[,.;!?])/gu, "")
    .replace(/^\p{Ll}/u, (first) => (/^\p{Lu}/u.test(sentence.text) ? first.toUpperCase() : first))
  if (text === sentence.text || wordsIn(text).length < minWords || unfinished.test(text)) return sentence
  return { ...sentence, text }
}
