/** Breaks a text into lines of at most `width` characters at its spaces; a longer word has a line of its own. */
export const wrap = (text: string, width: number): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line = ""
  for (const word of text.split(/\s+/).filter((each) => each !== "")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line)
      line = ""
    }
    line = line === "" ? word : `${line} ${word}`
  }
  return line === "" ? (lines.length === 0 ? [""] : lines) : [...lines, line]
}

/** A text of somebody else on one line, without what moves a terminal's cursor, cut to `length` characters. */
export const harmless = (text: string, length = 300): string => {
  const clean = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim()
  return clean.length > length ? `${clean.slice(0, length - 1)}…` : clean
}

/** Characters that move a terminal's cursor or turn the direction of its text, C1 included. */
const moving = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** A text of several lines without what moves a terminal's cursor. */
export const withoutControls = (text: string): string => text.replaceAll(moving, "")

/** JSON on one line, of which nothing moves a terminal's cursor: it is escaped, and reads as the same value. */
export const jsonLine = (value: unknown): string =>
  JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (each) =>
    [...Array(each.length).keys()]
      .map((at) => `\\u${each.charCodeAt(at).toString(16).padStart(4, "0")}`)
      .join("")
  )
