/** Letters that Unicode does not decompose into a base letter and a mark. */
const ligatures: Readonly<Record<string, string>> = {
  ß: "ss",
  æ: "ae",
  œ: "oe",
  ø: "o",
  ł: "l",
  đ: "d",
  þ: "th"
}

/** Lower case without diacritics, so that `CAFE` matches `Café`. */
export const foldText = (text: string): string =>
  text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[ßæœøłđþ]/gu, (letter) => ligatures[letter]!)

/** Splits text into folded words: runs of letters and digits; `Chef's` is `chef`, `I'm` is `i`. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  foldText(text)
    .replace(/['’](?:s|m|d|ll|re|ve|t)?(?=[^\p{L}\p{N}]|$)/gu, "")
    .match(/[\p{L}\p{N}]+/gu) ?? []

/** Stop words. */
const fillers = new Set("a an and at by for from in of on or the to with".split(" "))

/** The words of a search; stop words count only if there are no others. */
export const searchWords = (text: string): ReadonlyArray<string> => {
  const words = [...new Set(wordsOf(text))]
  const meaningful = words.filter((word) => !fillers.has(word))
  return meaningful.length === 0 ? words : meaningful
}

const singular = (word: string): string => {
  if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  if (/(?:ch|sh|ss|x)es$/.test(word)) return word.slice(0, -2)
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word
}

/** How well a search word matches a word: 2 for equal (ignoring plural), 1 for a prefix, 0 for none. */
export const fit = (wanted: string, word: string): 0 | 1 | 2 =>
  wanted === word || singular(wanted) === singular(word)
    ? 2
    : wanted.length >= 3 && word.startsWith(wanted)
      ? 1
      : 0

/** The best match of a word among many. */
export const bestFit = (wanted: string, words: ReadonlyArray<string>): 0 | 1 | 2 =>
  words.reduce<0 | 1 | 2>(
    (best, word) => (best === 2 ? best : (Math.max(best, fit(wanted, word)) as 0 | 1 | 2)),
    0
  )
