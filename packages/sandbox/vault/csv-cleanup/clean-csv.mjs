// Usage: node clean-csv.mjs input.csv > clean.csv
import { readFileSync } from "node:fs"

const text = readFileSync(process.argv[2], "utf8").replace(/^\uFEFF/, "")
const firstLine = text.slice(0, text.search(/\r?\n|$/))
const delimiter = [",", ";", "\t"].sort((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0]

/** Splits into rows of cells; quotes may hold delimiters, line ends and doubled quotes. */
const parse = (source) => {
  const rows = [[""]]
  let quoted = false
  for (let i = 0; i < source.length; i++) {
    const row = rows[rows.length - 1]
    const c = source[i]
    if (quoted && c === '"' && source[i + 1] === '"') row[row.length - 1] += source[i++]
    else if (c === '"') quoted = !quoted
    else if (!quoted && c === delimiter) row.push("")
    else if (!quoted && c === "\n") rows.push([""])
    else if (quoted || c !== "\r") row[row.length - 1] += c
  }
  return rows
}

const report = { emptyRows: 0, duplicates: 0, blanked: 0, dates: 0 }
const clean = (cell) => {
  const value = cell.trim()
  if (/^(n\/?a|null|none|-)$/i.test(value)) return (report.blanked++, "")
  const date = /^(\d{4})[./](\d{1,2})[./](\d{1,2})$/.exec(value)
  if (date === null) return value
  report.dates++
  return [date[1], date[2].padStart(2, "0"), date[3].padStart(2, "0")].join("-")
}

const seen = new Set()
for (const row of parse(text)) {
  if (row.every((cell) => cell.trim() === "")) {
    report.emptyRows++
    continue
  }
  const line = row
    .map(clean)
    .map((cell) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(",")
  if (seen.has(line)) report.duplicates++
  else console.log(line)
  seen.add(line)
}
console.error(JSON.stringify({ delimiter, ...report }))
