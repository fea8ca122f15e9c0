import type { Output } from "../terminal/Output.ts"
import { harmless } from "../terminal/wrap.ts"

/*
 * Records as text for terminals and programs.
 */

/** Controls, and what changes the direction of a text or doesn't show. */
const unseen = /[\p{Cc}\p{Cf}]/gu

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`)
    .join("")

/** A value as JSON on one line; amounts are text. Read as JSON it is the same, and no terminal obeys it. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === "bigint" ? each.toString() : each)).replaceAll(
    unseen,
    escaped
  )

/** A piece of an export: a file gets it as it is, and a terminal without controls. */
export const exportedFor = (piece: string, { isTerminal }: Output): string =>
  isTerminal ? piece.replaceAll(unseen, (each) => (each === "\n" ? each : each === "\r" ? "" : " ")) : piece

/** A column of a list. */
export interface Column<Item> {
  readonly head: string
  /** Characters; text beyond them is cut. Numbers are at the right, and never cut. */
  readonly width: number
  readonly isNumber?: boolean
  readonly text: (item: Item) => string
}

const cell = (text: string, { isNumber = false, width }: Omit<Column<never>, "text">): string =>
  isNumber ? text.padStart(width) : harmless(text, width).padEnd(width)

/** A line of each record by columns, and one of `detail`, for what is too long for them. */
export const printRecords = <Item>(
  items: ReadonlyArray<Item>,
  table: ReadonlyArray<Column<Item>>,
  detail: ((item: Item) => string) | undefined,
  { paint, print }: Output
): void => {
  if (items.length === 0) return
  print(
    paint.bold(
      table
        .map((column) => cell(column.head, column))
        .join(" ")
        .trimEnd()
    )
  )
  for (const item of items) {
    print(
      table
        .map((column) => cell(column.text(item), column))
        .join(" ")
        .trimEnd()
    )
    if (detail !== undefined) print(paint.dim(`  ${harmless(detail(item), 400)}`))
  }
}
