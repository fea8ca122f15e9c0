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

/** The columns of an export by name, in their order, each with its value for a record. */
export type Columns<A> = Readonly<Record<string, (record: A) => unknown>>

const csvText = <A>(records: ReadonlyArray<A>, columns: Columns<A>): string =>
  records.map((record) => row(Object.values(columns).map((valueOf) => cellOf(valueOf(record))))).join("")

const jsonOf = <A>(record: A, columns: Columns<A>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(columns).map(([name, valueOf]) => [name, valueOf(record)]))
  )

const jsonText = <A>(records: ReadonlyArray<A>, columns: Columns<A>, isFirst: boolean): string =>
  `${isFirst ? "" : ","}\n${records.map((record) => jsonOf(record, columns)).join(",\n")}`

/** Turns pages of records into the text of one document, piece by piece. */
export const exportRecords = <A, E, R>(
  given: Stream.Stream<ReadonlyArray<A>, E, R>,
  format: ExportFormat,
  columns: Columns<A>
): Stream.Stream<string, E, R> => {
  const pages = Stream.filter(given, (page) => page.length > 0)
  if (format === "csv")
    return Stream.concat(
      Stream.succeed(row(Object.keys(columns))),
      Stream.map(pages, (page) => csvText(page, columns))
    )
  return Stream.concat(
    Stream.succeed("["),
    Stream.mapAccum(
      pages,
      () => true,
      (isFirst, page): readonly [boolean, ReadonlyArray<string>] => [
        false,
        [jsonText(page, columns, isFirst)]
      ],
      { onHalt: (isEmpty) => [isEmpty ? "]\n" : "\n]\n"] }
    )
  )
}
