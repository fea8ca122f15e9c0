import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"

/*
 * docs/threats and the attacks of this folder must agree.
 */

const folder = import.meta.dirname
const docs = join(folder, "../../../docs/threats")
const read = (page: string): string => readFileSync(join(docs, page), "utf8")
const map = globSync("*.md", { cwd: docs }).toSorted().map(read).join("\n")

interface Tried {
  readonly file: string
  readonly name: string
  /** Whether the attack still succeeds. */
  readonly isOpen: boolean
}

/** The attacks that a test file declares. */
const attacksIn = (file: string): ReadonlyArray<Tried> => {
  const text = readFileSync(join(folder, file), "utf8")
  const declarations = text.split(/^attack\(/m).slice(1)
  return declarations.map((declaration) => {
    const name = /^\s*"([^"\n]+)",/.exec(declaration)?.[1]
    if (name === undefined) throw new Error(`${file}: the name of an attack must be a literal`)
    // Up to the end of the declaration; what follows belongs to no attack.
    const [body = ""] = declaration.split(/^\}?\)$/m)
    return { file, name, isOpen: /^ {2}open: true/m.test(body) }
  })
}

/**
 * Test files without attacks: of the document, of its loss table, and of the chain's evidence. Deep ones only repeat
 * attacks of others.
 */
const withoutAttacks = ["threats.test.ts", "losses.test.ts", "chainEvidence.test.ts"]
const files = globSync("*.test.ts", { cwd: folder })
  .filter((file) => !withoutAttacks.includes(file) && !file.endsWith(".deep.test.ts"))
  .toSorted()
const tried = files.flatMap(attacksIn)

interface Row extends Tried {
  readonly cells: ReadonlyArray<string>
}

const columns = ["attack", "what it is", "source", "naive server", "Till402", "test"]

/** The rows of all tables with the columns of an attack. */
const rows: ReadonlyArray<Row> = map.split(`| ${columns.join(" | ")} |\n`).flatMap((piece, index) =>
  index === 0
    ? []
    : /^\|[-|]+\|\n((?:\|.*\|\n)*)/
        .exec(piece)![1]!
        .trimEnd()
        .split("\n")
        .map((line) => {
          const cells = line
            .slice(1, -1)
            .split("|")
            .map((cell) => cell.trim())
          const file = /^\[\w+\]\(\.\.\/\.\.\/e2e\/attacks\/test\/([\w.]+)\)$/.exec(cells[5] ?? "")?.[1]
          if (file === undefined) throw new Error(`the table names no test file: ${line}`)
          return { file, name: cells[0]!, isOpen: cells[4]!.startsWith("**open**"), cells }
        })
)

const limits = "what no server can promise"

/** The limits that a test file pins. */
const limitsIn = (file: string): ReadonlyArray<string> => {
  const text = readFileSync(join(folder, file), "utf8")
  const [, pinned = ""] = text.split(`\ndescribe("${limits}", () => {\n`)
  return Array.from(
    pinned.split(/^\}\)$/m)[0]!.matchAll(/^ {2}it\("([^"\n]+)"/gm),
    ([, title]) => `${file}: ${title}`
  )
}

/** The limits that docs/threats lists as pinned, with their files. */
const pinnedLimits = Array.from(
  map.matchAll(/^\| ([^|\n]+) \| \[\w+\]\(\.\.\/\.\.\/e2e\/attacks\/test\/([\w.]+)\) \|$/gm),
  ([, title, file]) => `${file}: ${title}`
)

const keyOf = ({ file, name }: Tried): string => `${file}: ${name}`
const keysOf = (all: ReadonlyArray<Tried>): ReadonlyArray<string> => all.map(keyOf).toSorted()

describe("docs/threats", () => {
  it("names a file and a title that exist, in every row", () => {
    expect(rows.length).toBeGreaterThan(40)
    for (const { file } of rows) expect(existsSync(join(folder, file)), file).toBe(true)
    const known = new Set(keysOf(tried))
    expect(keysOf(rows).filter((key) => !known.has(key))).toEqual([])
  })

  it("names every attack that is tried, once", () => {
    expect(tried.length).toBeGreaterThan(40)
    expect(keysOf(rows)).toEqual(keysOf(tried))
    expect(new Set(tried.map(({ name }) => name)).size).toBe(tried.length)
  })

  it("marks exactly the attacks that still succeed", () => {
    expect(keysOf(rows.filter(({ isOpen }) => isOpen))).toEqual(keysOf(tried.filter(({ isOpen }) => isOpen)))
  })

  it("fills every column, and explains every source", () => {
    const explained = new Set(
      Array.from(read("README.md").matchAll(/^\| ([\w-]+)(?: n)? \| /gm), ([, name]) => name!)
    )
    for (const { cells } of rows) {
      expect(cells).toHaveLength(columns.length)
      for (const cell of cells) expect(cell, cells[0]).not.toBe("")
      for (const source of cells[2]!.split(". "))
        expect(explained, cells[0]).toContain(/^[\w-]+/.exec(source)![0])
    }
  })

  it("names every limit that is pinned", () => {
    expect(pinnedLimits.length).toBeGreaterThan(4)
    expect(pinnedLimits.toSorted()).toEqual(files.flatMap(limitsIn).toSorted())
  })

  it("finds attacks in every other test file", () => {
    expect(files.filter((file) => attacksIn(file).length === 0)).toEqual([])
  })
})
