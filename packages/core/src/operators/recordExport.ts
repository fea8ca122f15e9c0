import { Stream } from "effect"

/*
 * Records as the text of one document, for a host's bookkeeping: a JSON array, or CSV (RFC 4180).
 */

/** The formats of an export. */
export const exportFormats = ["csv", "json"] as const
export type ExportFormat = (typeof exportFormats)[number]

/** A time in milliseconds since the epoch as ISO 8601 in UTC. */
export const isoOf = (millis: number): string => new Date(millis).toISOString()

/**
 * The places where a spreadsheet would read a formula (https://owasp.org/www-community/attacks/CSV_Injection): before a
 * character of a formula, at the start and after a character by which some spreadsheets separate cells or rows even
 * within quotes; and before such a character at the start. Full-width and small forms count, and characters that don't
 * show.
 */
const formulaStarts = /^(?=[\t\r\n])|(?<=^|[;\t\r\n])(?=["'\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠﹦﹢﹣﹫−])/gu

/** A spreadsheet reads it as a number, and can calculate with it. */
const negativeNumber = /^-\d+(?:\.\d+)?$/

const withoutFormulas = (text: string): string =>
  negativeNumber.test(text) ? text : text.replace(formulaStarts, "'")

/** Quoted, since not every spreadsheet separates by commas. */
const cellOf = (value: unknown): string => {
  if (value === null || value === undefined) return ""
  const text = Array.isArray(value)
    ? value.join(" ")
    : typeof value === "object"
      ? JSON.stringify(value)
      : String(value)
  return `"${withoutFormulas(text).replaceAll('"', '""')}"`
}

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

const csvText = <Line>(lines: ReadonlyArray<Line>, shown: ReadonlyArray<keyof Line>): string =>
  lines.map((line) => row(shown.map((name) => cellOf(line[name])))).join("")

const jsonText = (lines: ReadonlyArray<unknown>, isFirst: boolean): string =>
  `${isFirst ? "" : ","}\n${lines.map((line) => JSON.stringify(line)).join(",\n")}`

/** Turns pages of lines into the text of one document, piece by piece. `columns`: those of CSV, in their order. */
export const exportLines = <Line extends object, E, R>(
  pages: Stream.Stream<ReadonlyArray<Line>, E, R>,
  format: ExportFormat,
  columns: ReadonlyArray<keyof Line & string>
): Stream.Stream<string, E, R> => {
  const lines = Stream.filter(pages, (page) => page.length > 0)
  if (format === "csv")
    return Stream.concat(
      Stream.succeed(row(columns)),
      Stream.map(lines, (page) => csvText(page, columns))
    )
  return Stream.concat(
    Stream.succeed("["),
    Stream.mapAccum(
      lines,
      () => true,
      (isFirst, page): readonly [boolean, ReadonlyArray<string>] => [false, [jsonText(page, isFirst)]],
      { onHalt: (isEmpty) => [isEmpty ? "]\n" : "\n]\n"] }
    )
  )
}
