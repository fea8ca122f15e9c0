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
