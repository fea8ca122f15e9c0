import { existsSync, globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { advantageOf, type Comparison, type Recorded } from "../../bench/src/Bench.ts"
import { read, root } from "./documents.ts"

/*
 * Draws what the bench has recorded beside the official middleware in docs/bench-MODE.json: a bar for every row, the lost
 * ones too.
 */

const width = 860
const left = 440
const rowHeight = 20
/** Pixels for a ratio of one; longer bars than twice that are cut. */
const one = 130
const most = 2
const colors = { better: "#2da44e", worse: "#cf222e", text: "#57606a" }

const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

const text = (x: number, y: number, content: string, attributes = ""): string =>
  `<text x="${x}" y="${y}" fill="${colors.text}"${attributes}>${escape(content)}</text>`

const number = (value: number): string =>
  value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString("en-US")

const bar = (row: Comparison, y: number): string => {
  const ratio = advantageOf(row)
  const length = Math.round(Math.min(ratio, most) * one)
  const color = ratio < 1 ? colors.worse : colors.better
  const figures = `${ratio.toFixed(2)} (${number(row.till402)} and ${number(row.official)})`
  return [
    text(left - 8, y + 14, `${row.name}, ${row.unit}`, ' text-anchor="end"'),
    `<rect x="${left}" y="${y + 3}" width="${length}" height="${rowHeight - 6}" fill="${color}"/>`,
    text(left + length + 6, y + 14, figures)
  ].join("\n")
}

/** Wraps a line of the caption. */
const wrapped = (line: string, longest = 130): ReadonlyArray<string> =>
  line.length <= longest ? [line] : (line.match(new RegExp(`.{1,${longest}}(?: |$)`, "g")) ?? [line])

/** The bars of a record of all rows of a mode; those of some rows, or of one short round, could flatter. */
export const drawingOf = ({ brief, library, machine, mode, only, sections, storage, verified }: Recorded) => {
  if (brief || only !== "") throw new Error(`docs/bench-${mode}.json is a record of some calls or rows alone`)
  const parts: Array<string> = []
  let y = 22
  const line = (content: string, attributes = ""): void => {
    parts.push(text(8, y, content, attributes))
    y += rowHeight
  }
  line(
    "Till402 beside the official middleware: bars beyond 1 are better. In brackets: Till402 and official",
    ' font-weight="bold"'
  )
  for (const [name, fact] of Object.entries({
    Machine: machine,
    Storage: storage,
    Library: library,
    Verified: verified
  }))
    wrapped(`${name}: ${fact}`).forEach((caption) => line(caption))
  for (const { rows, title } of sections) {
    y += rowHeight
    wrapped(title).forEach((caption) => line(caption, ' font-weight="bold"'))
    y -= rowHeight / 2
    const end = y + rows.length * rowHeight
    parts.push(`<path d="M ${left + one} ${y} V ${end}" stroke="${colors.text}" stroke-dasharray="3 3"/>`)
    for (const row of rows) {
      parts.push(bar(row, y))
      y += rowHeight
    }
  }
  const height = y + 10
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">\n${parts.join("\n")}\n</svg>\n`
}

const command = "`npm run bench -- paid` in a clone"

/** Rows of what callers feel: few of them at once, with a facilitator over HTTP that takes its usual time. */
const usual = ["SQLite, 32 callers", "PostgreSQL, 32 callers"]

/** What the README says of a record of paid calls: its usual rows, and how many rows are worse, with the worst of them. */
export const readingOf = (recorded: Recorded | undefined): string => {
  if (recorded === undefined)
    return `${command} measures paid calls, durable and verified, beside the official middleware:\nit prints the rows that lose, too.`
  const rows = recorded.sections.flatMap((section) => section.rows)
  const lost = rows.filter((row) => advantageOf(row) < 1)
  const [worst, ...others] = rows.toSorted((left, right) => advantageOf(left) - advantageOf(right))
  const best = others.at(-1) ?? worst
  if (worst === undefined || best === undefined) throw new Error("the record has no rows")
  const times = (row: Comparison): string => `${advantageOf(row).toFixed(2)} times as good`
  const named = (row: Comparison): string => `*${row.name}* (${times(row)})`
  const first = rows.filter(({ name }) => usual.includes(name))
  return [
    "**Speed**, beside the official middleware, which keeps nothing; Till402 has each charge on the disk and checks each signature itself.",
    ...first.map(
      ({ name, official, till402, unit }) =>
        `${name}, a facilitator that verifies in 60 ms and settles in 600: ${till402.toFixed(1)} ${unit}, official ${official.toFixed(1)}.`
    ),
    `Of all rows, ${rows.length - lost.length} are better and ${lost.length} worse, mostly because of what is checked and kept: the best is ${named(best)}, the worst ${named(worst)}.`,
    `${command} prints them; [a bar for each](docs/bench-paid.svg).`
  ].join("\n")
}

const paidRecord = "docs/bench-paid.json"

/** The README with the reading of the recorded bench, if there is one. */
export const readmeWithBench = (): readonly [path: string, text: string] => {
  const { path, text } = read("README.md")
  const file = join(root, paidRecord)
  const recorded = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Recorded) : undefined
  const block = /(?<=<!-- bench -->\n).*?(?=<!-- end -->)/s
  if (!block.test(text)) throw new Error("README.md has no place for the bench")
  return [path, text.replace(block, () => `${readingOf(recorded)}\n`)]
}

/** The drawings of all records, by their path. */
export const benchDrawings = (): ReadonlyArray<readonly [path: string, svg: string]> =>
  globSync("docs/bench-*.json", { cwd: root }).map((path) => [
    path.replace(/json$/, "svg"),
    drawingOf(JSON.parse(readFileSync(join(root, path), "utf8")) as Recorded)
  ])
