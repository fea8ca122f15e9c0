import type { Handling } from "./Listing.ts"

/** A shelf of the catalogue as text: one line of `rows` per product. */
export interface GoodsTable {
  readonly category: string
  /** Search words that match everything on the shelf. */
  readonly keywords: string
  /** Lines of `brand | title | features | price | grams | options | flags`; `-` means no price. */
  readonly rows: string
}

/** A size or color of a product. */
export interface GoodsOption {
  readonly name: string
  readonly priceCents: bigint | undefined
  readonly inStock: boolean
  readonly sellsOut: boolean
}

/** One line of a table. */
export interface Goods {
  readonly brand: string
  readonly title: string
  readonly features: string
  readonly weightGrams: number
  readonly handling: Handling
  readonly options: readonly [GoodsOption, ...Array<GoodsOption>]
}

/** US cents of text such as `19.99`. */
const cents = (text: string): bigint => {
  const match = /^(\d{1,6})\.(\d{2})$/.exec(text)
  if (match === null) throw new RangeError(`not a price: ${JSON.stringify(text)}`)
  return BigInt(match[1]! + match[2]!)
}

const option = (text: string, base: bigint | undefined, inStock: boolean): GoodsOption => {
  const match = /^(.+?)(?:\+(\d+\.\d{2}))?([*!])?$/.exec(text)
  if (match === null) throw new RangeError(`not an option: ${JSON.stringify(text)}`)
  return {
    name: match[1]!,
    priceCents: base === undefined ? undefined : base + (match[2] === undefined ? 0n : cents(match[2])),
    inStock: inStock && match[3] !== "*",
    sellsOut: match[3] === "!"
  }
}

const goods = (line: string): Goods => {
  const [brand, title, features, price, grams, options, flag = ""] = line
    .split("|")
    .map((cell) => cell.trim())
  if (options === undefined || !/^(?:|out|oversize|hazmat)$/.test(flag)) {
    throw new RangeError(`not a line of goods: ${JSON.stringify(line)}`)
  }
  const base = price === "-" ? undefined : cents(price!)
  const [first, ...others] = options.split(", ").map((text) => option(text, base, flag !== "out"))
  return {
    brand: brand!,
    title: title!,
    features: features!,
    weightGrams: Number(grams),
    handling: flag === "oversize" || flag === "hazmat" ? flag : "ordinary",
    options: [first!, ...others]
  }
}

/** Reads the lines of a table; throws a `RangeError` that quotes a line it can't read. */
export const readGoods = (table: GoodsTable): ReadonlyArray<Goods> =>
  table.rows
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(goods)
