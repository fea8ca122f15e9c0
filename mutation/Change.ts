/** What a mutant changes in a file: the lines before and after. */
export interface Change {
  readonly before: string
  readonly after: string
}

interface Position {
  readonly line: number
  readonly column: number
}

interface Mutant {
  readonly location: { readonly start: Position; readonly end: Position }
  readonly replacement: string
}

const longest = 140

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, " ").trim()
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line
}

/** The lines that a mutant changes, before and after, each as one line. */
export const changeOf = (source: string, { location, replacement }: Mutant): Change => {
  const { end, start } = location
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const head = lines[0]!.slice(0, start.column - 1)
  const tail = lines.at(-1)!.slice(end.column - 1)
  return { before: oneLine(lines.join("\n")), after: oneLine(`${head}${replacement}${tail}`) }
}
