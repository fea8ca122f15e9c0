import { escapeHtml } from "../../domain/Text.ts"

/*
 * Parts of a mail in HTML and in text. Titles, names, tracking numbers and addresses are untrusted: none may add markup
 * or break a line.
 */

/** Trusted markup, made only by `markup`. */
export class Markup {
  readonly source: string
  constructor(source: string) {
    this.source = source
  }
}

type Piece = string | Markup | ReadonlyArray<Markup>

const sourceOf = (piece: Piece): string => {
  if (typeof piece === "string") return escapeHtml(piece)
  return piece instanceof Markup ? piece.source : piece.map(({ source }) => source).join("\n")
}

/** Makes markup from a template: escapes strings (`<b>` becomes `&lt;b&gt;`) and inserts markup unchanged. */
export const markup = (strings: TemplateStringsArray, ...pieces: ReadonlyArray<Piece>): Markup =>
  new Markup(
    strings.reduce((before, after, index) => `${before}${sourceOf(pieces[index - 1] ?? "")}${after}`)
  )

/** Empty markup. */
export const nothing = new Markup("")

/*
 * Characters that are forbidden in one line of text: control characters (a line feed in a subject would start a
 * header), line and paragraph separators, and marks that change the writing direction, which could make the surrounding
 * text read differently.
 */
const unprintable = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu
const unprintableInBody = /(?![\t\n\r])\p{Cc}/gu

/** One well-formed line of at most `maxLength` code points; a longer one ends with an ellipsis. */
export const oneLine = (text: string, maxLength: number): string => {
  // Cuts first, so that a title of megabytes isn't processed character by character.
  const cut = text.slice(0, 4 * maxLength + 4)
  const line = cut.toWellFormed().replace(unprintable, " ").replace(/\s+/gu, " ").trim()
  const characters = Array.from(line)
  return characters.length > maxLength
    ? `${characters
        .slice(0, maxLength - 1)
        .join("")
        .trimEnd()}…`
    : line
}

/** Removes control characters that don't belong in a mail's body; keeps tab, line feed and carriage return. */
export const printable = (text: string): string => text.toWellFormed().replace(unprintableInBody, "")

const maxUrlLength = 2_048

/**
 * The normalized URL if a mail may link to it: https, without credentials, at most 2,048 characters. `undefined` for
 * anything else, including `javascript:` and `data:`.
 */
export const httpsUrl = (text: string | undefined): string | undefined => {
  if (text === undefined || text.length > maxUrlLength) return undefined
  const url = URL.parse(text)
  return url !== null &&
    url.protocol === "https:" &&
    url.username === "" &&
    url.password === "" &&
    url.href.length <= maxUrlLength
    ? url.href
    : undefined
}

/*
 * Sets no colors: the reader's light or dark scheme applies. A mail that sets one color must set all, and mail programs
 * invert them at will.
 */
const bodyStyle =
  "margin:0 auto;max-width:36em;padding:24px 16px;font-family:system-ui,-apple-system,sans-serif;font-size:16px;line-height:1.5;overflow-wrap:anywhere"
const rule = "1px solid rgba(128,128,128,0.4)"
const listStyle = `margin:0 0 16px;padding:12px 0;list-style:none;border-top:${rule};border-bottom:${rule}`

/** A complete HTML document. `heading` is its title and first line. */
export const page = (heading: string, content: ReadonlyArray<Markup>): string =>
  markup`<!doctype html>
<html lang="en" style="color-scheme:light dark">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${heading}</title>
</head>
<body style="${bodyStyle}">
<h1 style="margin:0 0 16px;font-size:22px;line-height:1.3">${heading}</h1>
${content.filter(({ source }) => source !== "")}
</body>
</html>
`.source

export const paragraph = (content: string | Markup): Markup =>
  markup`<p style="margin:0 0 16px">${content}</p>`

/** Less prominent text. */
export const aside = (content: string | Markup): Markup =>
  markup`<p style="margin:0 0 16px;font-size:14px;opacity:0.75">${content}</p>`

export const strong = (content: string): Markup => markup`<strong>${content}</strong>`

/** Text to be copied exactly: an id, a token, a hash. */
export const code = (content: string): Markup =>
  markup`<code style="font-family:ui-monospace,monospace;font-size:14px">${content}</code>`

/** A link to a URL that `httpsUrl` has accepted. */
export const link = (url: string, words: string): Markup => markup`<a href="${url}">${words}</a>`

/** A picture at a URL that `httpsUrl` has accepted, next to text with the same content. */
export const picture = (url: string): Markup =>
  paragraph(markup`<img src="${url}" alt="" width="160" style="max-width:100%;height:auto;border:0">`)

/** A vertical list with a rule above and below. */
export const lines = (content: ReadonlyArray<Markup>): Markup =>
  markup`<ul style="${listStyle}">
${content.map((each) => markup`<li>${each}</li>`)}
</ul>`
