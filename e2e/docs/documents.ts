import { globSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

/*
 * The documents of the repository and their contents.
 */

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

export interface Document {
  /** Path below the repository's root. */
  readonly path: string
  readonly text: string
}

const patterns = [
  "*.md",
  "docs/**/*.md",
  "packages/*/README.md",
  "examples/*/README.md",
  ".changeset/README.md",
  "e2e/*/README.md"
]

export const read = (path: string): Document => ({ path, text: readFileSync(join(root, path), "utf8") })

export const documents: ReadonlyArray<Document> = globSync(patterns, { cwd: root })
  .toSorted()
  .map((path) => read(path.replaceAll("\\", "/")))

/** A TypeScript sample and its place. */
export interface Sample {
  readonly path: string
  /** Number of its first line, from 1. */
  readonly line: number
  readonly code: string
}

/** A block of code in any language, and its place. */
export interface Fence extends Sample {
  readonly language: string
}

export const fencesOf = ({ path, text }: Document): ReadonlyArray<Fence> => {
  const fences: Array<Fence> = []
  let open: { readonly language: string; readonly line: number; readonly lines: Array<string> } | undefined
  for (const [index, line] of text.split("\n").entries()) {
    const mark = /^```(\w*)/.exec(line)
    if (mark === null) open?.lines.push(line)
    else if (open === undefined) open = { language: mark[1]!, line: index + 2, lines: [] }
    else {
      fences.push({ path, language: open.language, line: open.line, code: open.lines.join("\n") })
      open = undefined
    }
  }
  if (open !== undefined) throw new Error(`${path}:${open.line} the fence is not closed`)
  return fences
}

const programs = new Set(["ts", "typescript", "js", "javascript", "mjs", "mts", "tsx", "jsx"])

/**
 * The TypeScript of a document. A fence may name itself in its first line (`// till.ts`) so that others can import it.
 */
export const samplesOf = (document: Document): ReadonlyArray<Sample> =>
  fencesOf(document).filter(({ language }) => programs.has(language))

/** The lines of each shell fence of a document. */
export const commandsOf = (document: Document): ReadonlyArray<ReadonlyArray<string>> =>
  fencesOf(document)
    .filter(({ language }) => language === "sh")
    .map(({ code }) => code.split("\n"))

/** The `@example` blocks in the comments of a source file. */
export const examplesOf = ({ path, text }: Document): ReadonlyArray<Sample> =>
  Array.from(text.matchAll(/^ *\* @example\n((?: *\*(?!\/)(?! @).*\n)+)/gm), (match) => ({
    path,
    line: text.slice(0, match.index).split("\n").length + 1,
    code: match[1]!
      .split("\n")
      .map((line) => line.replace(/^ *\* ?/, "").replace(/^```.*$/, ""))
      .join("\n")
  }))

/** The source files of the packages. */
export const sources: ReadonlyArray<string> = globSync("packages/*/src/**/*.ts", { cwd: root }).toSorted()

/** The path and heading that a link within the repository leads to. */
export interface Link {
  readonly target: string
  readonly path: string
  readonly anchor: string | undefined
}

const withoutFences = (text: string): string =>
  text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "")

/** The relative links of a document. */
export const linksOf = (document: Document): ReadonlyArray<Link> =>
  Array.from(withoutFences(document.text).matchAll(/\]\(([^)\s]+)\)/g), ([, target]) => target!)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = "", anchor] = target.split("#")
      const path = file === "" ? document.path : relative(root, join(root, dirname(document.path), file))
      return { target, path, anchor }
    })

/** A page that a text of the program names, as in `See docs/options.md, "The secret"`. */
export interface NamedPage {
  readonly page: string
  readonly heading: string | undefined
}

/** The pages that a source names outside of its comments. */
export const pagesNamedIn = ({ text }: Document): ReadonlyArray<NamedPage> =>
  Array.from(
    text
      .replaceAll(/\/\*\*?\s.*?\*\//gs, "")
      .replaceAll(/^\s*\/\/.*$/gm, "")
      .matchAll(/(docs\/[\w/-]+\.\w+)(?:, "([^"\n]+)")?/g),
    ([, page, heading]) => ({ page: page!, heading })
  )

/** The anchors of the headings, as GitHub makes them. */
export const anchorsOf = ({ text }: Document): ReadonlyArray<string> =>
  Array.from(text.replaceAll(/^```.*?^```/gms, "").matchAll(/^#+ (.+)$/gm), ([, heading]) =>
    heading!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
  )

/** The cells of the first table below a heading, without its header row. */
export const tableBelow = (document: Document, heading: string): ReadonlyArray<ReadonlyArray<string>> => {
  const [, below] = document.text.split(`\n${heading}\n`)
  if (below === undefined) throw new Error(`${document.path} has no heading ${heading}`)
  const table = /^\|.*\n\|[-| :]+\n((?:\|.*\n)+)/m.exec(below.split(/^#+ /m)[0]!)
  if (table === null) throw new Error(`${document.path} has no table below ${heading}`)
  return table[1]!
    .trim()
    .split("\n")
    .map((row) =>
      row
        .slice(1, -1)
        .split("|")
        .map((cell) => cell.trim())
    )
}
