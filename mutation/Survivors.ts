import { readFileSync } from "node:fs"

/*
 * Mutants that no test finds because nothing can: each stands in `survivors.md` with its reason, below its file's
 * heading, as the line before and after.
 */

export interface Change {
  /** From the root of the workspace. */
  readonly file: string
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
export const changeOf = (file: string, source: string, { location, replacement }: Mutant): Change => {
  const { end, start } = location
  const lines = source.split("\n").slice(start.line - 1, end.line)
  const head = lines[0]!.slice(0, start.column - 1)
  const tail = lines.at(-1)!.slice(end.column - 1)
  return { file, before: oneLine(lines.join("\n")), after: oneLine(`${head}${replacement}${tail}`) }
}

export const keyOf = ({ after, before, file }: Change): string => `${file}\n- ${before}\n+ ${after}`

/** What the document lists: a file's heading, and below it a `diff` fence for each survivor. */
export const readSurvivors = (path: string): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  let file = ""
  let before: string | undefined
  for (const line of readFileSync(path, "utf8").split("\n")) {
    if (line.startsWith("## ")) file = line.slice(3).trim()
    else if (line.startsWith("- ") && before === undefined) before = line.slice(2)
    else if (line.startsWith("+ ") && before !== undefined) {
      changes.push({ file, before, after: line.slice(2) })
      before = undefined
    } else before = undefined
  }
  return changes
}
