import { currencyAfter, currencyBefore } from "./Currencies.ts"

/*
 * Numbers in a sentence, and what each states: a price, a rating, a number of reviews, or something else. Texts must be
 * normalized.
 */

/** A number of a sentence. */
export interface StatedNumber {
  /** Position of its first digit or currency sign. */
  readonly start: number
  /** Position after its last digit or currency sign. */
  readonly end: number
  readonly kind: "price" | "rating" | "count" | "plain"
}

const number = /\d{1,3}(?:[ ']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*/g

/** The numbers that a text of digits and separators may mean, in any country's notation. */
export const readNumber = (text: string): ReadonlyArray<number> => {
  const digits = text.replace(/[ ']/g, "")
  const separators = digits.match(/[.,]/g) ?? []
  const last = separators.at(-1)
  if (last === undefined) return [Number(digits)]
  const grouped = /^\d{1,3}(?:[.,]\d{3})+$/.test(digits) && new Set(separators).size === 1
  const whole = grouped && !digits.startsWith("0") ? [Number(digits.replace(/[.,]/g, ""))] : []
  if (separators.length === 1) return [...whole, Number(digits.replace(",", "."))]
  if (whole.length > 0) return whole
  const point = digits.lastIndexOf(last)
  const integer = digits.slice(0, point)
  if (integer.includes(last) || !/^\d{1,3}(?:[.,]\d{3})+$/.test(integer)) return []
  return [Number(`${integer.replace(/[.,]/g, "")}.${digits.slice(point + 1)}`)]
}

const starWords =
  "stars?|★|⭐|sternen?|étoiles?|estrellas?|stelle|stella|estrelas?|sterren|gwiazd\\p{L}*|зв[её]зд\\p{L}*|yıldız\\p{L}*|つ星|星|颗星|顆星|별|점|点|分"
const scaleWords = "(?:/|out of|of|von|sur|de|su|van(?: de)?|na|из|üzerinden)"
const ratingBefore =
  /(?:rated|rating|ratings? (?:of|is|are|average\p{L}*)|rating:|scor(?:e|es|ed|ing)(?: of)?|stars?|bewertet mit|bewertung(?: von)?|noté(?:e|s|es)?(?: à)?|note(?: de)?|valorad\p{L}+ con|valoración(?: de)?|calificación(?: de)?|puntuación(?: de)?|valutat\p{L}+|valutazione(?: di)?|avaliad\p{L}+ com|avaliação(?: de)?|nota(?: de)?|beoordeeld met|beoordeling(?: van)?|ocen\p{L}+|оценк\p{L}+|рейтинг\p{L}*|puan\p{L}*|評価|评分|評分|평점)(?: is| ist| est| es| è| é|は|为|:)?[\s:]{0,2}(?:a |an |mit |un |una )?$/iu
const ratingAfter = new RegExp(`^(?:[ -]?(?:${starWords})(?!\\p{Script=Latin})| ?${scaleWords} ?\\d)`, "iu")
const starsAfter = new RegExp(`^[ -]?(?:${starWords})(?!\\p{Script=Latin})`, "iu")
const scaleAfter = new RegExp(`^(?:[ -]?(?:${starWords}))? ?${scaleWords} ?(\\d+(?:[.,]\\d+)?)`, "iu")
const reviewWords =
  "reviews?|ratings?|reviewers?|bewertung(?:en)?|rezension(?:en)?|avis|évaluations?|commentaires?|reseñas?|opiniones|opinión|valoraciones|recension[ei]|valutazioni|avaliaç(?:ão|ões)|beoordelingen|recenzj\\p{L}*|opini\\p{L}*|отзыв\\p{L}*|оцен(?:ок|ки|ка)|yorum\\p{L}*|değerlendirme\\p{L}*|件|レビュー|评价|評價|条评|條評|评论|評論|리뷰|개의"
const countAfter = new RegExp(`^[ -]?(?:\\p{L}+ ){0,1}?(?:${reviewWords})(?!\\p{Script=Latin})`, "iu")
const countBefore = new RegExp(`(?:${reviewWords}) ?[:=(] ?$`, "iu")

/** Whether what follows a number shows that it isn't a price. */
export const isOpinion = (after: string): boolean => ratingAfter.test(after) || countAfter.test(after)

const kindOf = (before: string, after: string): StatedNumber["kind"] => {
  // `4.2-star rating` is no number of ratings.
  const isStars = starsAfter.test(after)
  if (!isStars && countAfter.test(after)) return "count"
  if (ratingAfter.test(after) || ratingBefore.test(before)) return "rating"
  return countBefore.test(before) ? "count" : "plain"
}

/** All numbers of a normalized text, in order. The `5` of `4.5 out of 5` is part of the rating. */
export const numbersIn = (text: string): ReadonlyArray<StatedNumber> => {
  const found: Array<StatedNumber> = []
  let scaleEnd = 0
  for (const match of text.matchAll(number)) {
    const end = match.index + match[0].length
    if (match.index < scaleEnd) continue
    const before = text.slice(0, match.index)
    const after = text.slice(end)
    const left = currencyBefore(before)
    const right = currencyAfter(after)
    const isPrice = left !== undefined || right !== undefined
    const kind = isPrice ? "price" : kindOf(before, after)
    if (kind === "rating") scaleEnd = end + (scaleAfter.exec(after)?.[0].length ?? 0)
    found.push({
      start: match.index - (left?.length ?? 0),
      end: Math.max(end + (right?.length ?? 0), kind === "rating" ? scaleEnd : 0),
      kind
    })
  }
  return found
}
