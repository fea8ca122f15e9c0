/*
 * Stems of English words: `review` of `reviews`, `reviewed` and `reviewing`. Light on purpose: words that only look alike,
 * such as `product` and `productivity`, keep different stems. Pure.
 */

/** What is left of a word without an ending, if that is long enough to stand for it. */
const without = (word: string, ending: string, minLength: number): string | undefined =>
  word.endsWith(ending) && word.length - ending.length >= minLength
    ? word.slice(0, -ending.length)
    : undefined

const singularOf = (word: string): string => {
  if (!word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word
  const ofY = without(word, "ies", 2)
  if (ofY !== undefined) return `${ofY}y`
  return (
    (/(?:x|ch|sh|zz|ss)es$/.test(word) ? without(word, "es", 3) : undefined) ?? without(word, "s", 3) ?? word
  )
}

/** A verb without the ending of a tense: `plann` becomes `plan`, `cod` becomes `code`. */
const verbOf = (base: string): string => {
  if (/([bdfgmnprt])\1$/.test(base) && base.length > 3) return base.slice(0, -1)
  return base.length === 3 && /^[^aeiou][aeiou][^aeiouwxy]$/.test(base) ? `${base}e` : base
}

const presentOf = (word: string): string => {
  const base = without(word, "ing", 3) ?? (word.endsWith("eed") ? undefined : without(word, "ed", 3))
  return base === undefined || !/[aeiouy]/.test(base) ? word : verbOf(base)
}

const endings: ReadonlyArray<readonly [ending: string, minLength: number]> = [
  ["ization", 4],
  ["ation", 3],
  ["ator", 4],
  ["ion", 4],
  ["ment", 5],
  ["ize", 4],
  ["ate", 3],
  ["er", 4],
  ["e", 4]
]

/** What `ize` and `ate` leave before the ending of a tense. */
const beforeTense: typeof endings = [
  ["iz", 4],
  ["at", 3]
]

/**
 * The stem of a word in lower case: `migr` of `migrations` and `migrating`. Of another script than English, the word
 * itself.
 */
export const stemOf = (word: string): string => {
  if (word.length < 4 || !/^[a-z]+$/.test(word)) return word
  const singular = singularOf(word)
  const present = presentOf(singular)
  for (const [ending, minLength] of present === singular ? endings : [...beforeTense, ...endings]) {
    const shorter = without(present, ending, minLength)
    if (shorter !== undefined) return ending === "er" ? verbOf(shorter) : shorter.replace(/(?<=....)e$/, "")
  }
  return present
}
