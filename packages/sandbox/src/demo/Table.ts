import { cut, dollars, type Paint } from "../Terminal.ts"
import type { Visit } from "./Tour.ts"

/** Rows of the demo: aligned, and in a terminal never wider than it. */
export interface Table {
  readonly heading: string
  readonly row: (visit: Visit) => string
}

const priceWidth = 8
const gap = "  "

/** Widths that show a terminal of `columns` what fits; without `columns` (piped) everything is whole. */
const widthsFor = (columns: number | undefined) => {
  if (columns === undefined) return { call: 70, hash: 66, answer: Number.POSITIVE_INFINITY }
  const hash = columns < 200 ? 15 : 66
  const left = columns - priceWidth - hash - 3 * gap.length
  const call = Math.min(66, Math.max(24, Math.floor(left * 0.45)))
  return { call, hash, answer: Math.max(16, left - call) }
}

const shorten = (hash: string, width: number): string =>
  hash.length <= width ? hash : `${hash.slice(0, 8)}…${hash.slice(-6)}`

/** @param columns width of the terminal; left out where output is piped */
export const makeTable = (paint: Paint, columns: number | undefined): Table => {
  const widths = widthsFor(columns)
  const line = (call: string, price: string, hash: string, answer: string): string =>
    [call, price, hash, answer].join(gap).trimEnd()
  return {
    heading: paint.dim(
      line(
        "call".padEnd(widths.call),
        "USDC".padStart(priceWidth),
        "transaction".padEnd(widths.hash),
        "answer"
      )
    ),
    row: ({ gist, method, path, priceAtomic, transaction }) =>
      line(
        cut(`${method.padEnd(4)} ${path}`, widths.call).padEnd(widths.call),
        paint.bold(dollars(priceAtomic).padStart(priceWidth)),
        paint.cyan(shorten(transaction, widths.hash).padEnd(widths.hash)),
        cut(gist, widths.answer)
      )
  }
}
