/*
 * Text of strangers, made harmless: titles, messages and what a model writes.
 */

/**
 * Control characters, invisible and private-use ones, and lone surrogates. Bidi marks could reorder digits, and fillers
 * could hide a word from its check.
 */
const unwanted = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu

/** Shortens text to a number of characters, counted in code points. */
export const shortened = (text: string, maxCharacters: number): string => {
  const characters = Array.from(text)
  return characters.length <= maxCharacters ? text : `${characters.slice(0, maxCharacters - 1).join("")}…`
}

/** Longest title that a model sees and a reply can name, in characters. */
export const maxTitle = 160

/** One line of text without control characters, shortened to a number of characters. */
export const oneLine = (text: string, maxCharacters: number): string =>
  shortened(
    text
      .toWellFormed()
      .replace(/[\t\n\r\u2028\u2029]+/g, " ")
      .replace(unwanted, "")
      .replace(/\s+/g, " ")
      .trim(),
    maxCharacters
  )

/** Longest text that is read, in characters. */
const maxRead = 6_000

const pictures = /(?![©®™])\p{Extended_Pictographic}/gu

/** Text of a model as plain lines: without Markdown, HTML, pictures and control characters, and bounded. */
export const plainText = (text: string): string =>
  shortened(text, maxRead)
    .toWellFormed()
    .replace(pictures, "")
    .replace(/\r\n?|[\u2028\u2029]/g, "\n")
    .split("\n")
    .map((line) => oneLine(withoutMarkup(line), Infinity))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim()

const withoutMarkup = (line: string): string =>
  line
    .replace(/!?\[([^\][]{0,300})\]\(([^()\s]{0,600})(?: [^()]{0,200})?\)/g, "$1 $2")
    .replace(/<\/?[a-z][^<>]{0,300}>/gi, "")
    .replace(/^\s*(?:#{1,6}|>)\s+/, "")
    .replace(/^\s*[*+]\s+/, "- ")
    .replace(/(\*\*|__|~~|`{1,3})/g, "")
    .replace(/(?<![\p{L}\p{N}])[*_](?=\S)|(?<=\S)[*_](?![\p{L}\p{N}])/gu, "")

/** ASCII digit of any decimal digit: `٤` → `4`. A script's digits are ten consecutive code points from its zero. */
const toAsciiDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (code - zero < 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--
  return String(code - zero)
}

/**
 * The form in which statements are read: compatibility characters unfolded, digits in ASCII, plain spaces, hyphens and
 * apostrophes.
 */
export const normalized = (text: string): string =>
  text
    // A wide comma ends a clause; unfolded, it would join two numbers.
    .replace(/，/g, ", ")
    .normalize("NFKC")
    .replace(/[^\P{Nd}0-9]/gu, toAsciiDigit)
    .replace(/[^\S\n]/gu, " ")
    .replace(/[‐‑‒–—―−]/g, "-")
    .replace(/[‘’ʼ′`´]/g, "'")
