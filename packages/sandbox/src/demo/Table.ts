import { cut, dollars, type Paint, shorten, wrap } from "../Terminal.ts"
import type { PaidCallRow } from "./Tour.ts"

/** Formats the demo's paid calls: price, call and transaction on one line, the result below. */
export interface Table {
  readonly heading: string
  readonly row: (visit: PaidCallRow) => string
}

const priceWidth = 8
const transactionWidth = 15
const gap = "  "
const indent = " ".repeat(priceWidth + gap.length)
/** Most lines of a result. */
const maxLines = 3

/** @param columns width of the output */
export const makeTable = (paint: Paint, columns: number): Table => {
  const resultWidth = Math.max(24, columns - indent.length)
  const callWidth = Math.max(24, resultWidth - gap.length - transactionWidth)
  return {
    heading: paint.dim(
      ["USDC".padStart(priceWidth), "call and result".padEnd(callWidth), "transaction"].join(gap)
    ),
    row: ({ summary, method, path, priceAtomic, transaction }) =>
      [
        [
          paint.bold(dollars(priceAtomic).padStart(priceWidth)),
          cut(`${method.padEnd(4)} ${path}`, callWidth).padEnd(callWidth),
          paint.cyan(shorten(transaction))
        ].join(gap),
        ...wrap(summary, resultWidth, maxLines).map((line) => paint.dim(indent + line))
      ].join("\n")
  }
}
