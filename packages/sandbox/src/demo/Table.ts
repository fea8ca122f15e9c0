import { cut, dollars, type Paint } from "../Terminal.ts"
import type { PaidCallRow } from "./Tour.ts"

/** Formats the demo's table rows, aligned and within the terminal's width. */
export interface Table {
  readonly heading: string
  readonly row: (visit: PaidCallRow) => string
}

const priceWidth = 8
const gap = "  "

/** Column widths for a terminal of `columns`; without `columns` (piped output) nothing is cut. */
const widthsFor = (columns: number | undefined, hashLength: number) => {
  if (columns === undefined) return { call: 70, hash: hashLength, response: Number.POSITIVE_INFINITY }
  const hash = columns < 200 ? 15 : hashLength
  const left = columns - priceWidth - hash - 3 * gap.length
  const call = Math.min(66, Math.max(24, Math.floor(left * 0.45)))
  return { call, hash, response: Math.max(16, left - call) }
}

const shorten = (hash: string, width: number): string =>
  hash.length <= width ? hash : `${hash.slice(0, 8)}…${hash.slice(-6)}`

/** @param columns width of the terminal; omitted for piped output */
export const makeTable = (paint: Paint, columns: number | undefined, hashLength: number): Table => {
  const widths = widthsFor(columns, hashLength)
  const line = (call: string, price: string, hash: string, response: string): string =>
    [call, price, hash, response].join(gap).trimEnd()
  return {
    heading: paint.dim(
      line(
        "call".padEnd(widths.call),
        "USDC".padStart(priceWidth),
        "transaction".padEnd(widths.hash),
        "result"
      )
    ),
    row: ({ summary, method, path, priceAtomic, transaction }) =>
      line(
        cut(`${method.padEnd(4)} ${path}`, widths.call).padEnd(widths.call),
        paint.bold(dollars(priceAtomic).padStart(priceWidth)),
        paint.cyan(shorten(transaction, widths.hash).padEnd(widths.hash)),
        cut(summary, widths.response)
      )
  }
}
