import { searchTermsOf } from "@till402/core"
import type { VaultItem } from "@till402/core/effect"

/*
 * Generated items of a vault: the same in each run, with common words and rare ones.
 */

const categories = ["marketing", "development", "automation", "career", "ios", "productivity"] as const
const productTypes = ["skill", "knowledge", "persona"] as const
const syllables = ["ka", "ro", "mi", "te", "lu", "so", "ne", "va", "di", "po"]
const prices = 500

/** Words are numbered; the first ones are in most items, the last ones in a few of a million. */
export const vocabulary = 20_000

/** A word of its own for each number. */
export const wordOf = (number: number): string =>
  `w${Array.from(String(number), (digit) => syllables[Number(digit)]).join("")}`

/** Numbers from 0 to 1, the same in each run. */
export const makeRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

export const oneOf = <A>(random: () => number, values: ReadonlyArray<A>): A =>
  values[Math.floor(random() * values.length)]!

export const categoryOf = (random: () => number) => oneOf(random, categories)
export const productTypeOf = (random: () => number) => oneOf(random, productTypes)
export const priceOf = (random: () => number): number => 1 + Math.floor(random() * prices)

/** The items, or those behind the first ones. */
export const itemsOf = function* (count: number, skipped = 0): Generator<VaultItem, void> {
  const random = makeRandom(402)
  const word = () => wordOf(Math.floor(vocabulary * random() ** 4))
  const words = (length: number) => Array.from({ length }, word).join(" ")
  for (let number = 0; number < count; number++) {
    const item: VaultItem = {
      id: `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`,
      slug: `asset-${number}`,
      title: words(4),
      productType: productTypeOf(random),
      cardDescription: words(16),
      price: priceOf(random),
      category: categoryOf(random),
      creator: { name: "Bench", type: "company" },
      downloads: 0,
      coverImageUrl: "https://images.example/cover.png"
    }
    if (number >= skipped) yield item
  }
}

const rowsOfStatement = 500

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** Statements that put items as the stores would, behind those that are there. */
export const insertsOf = function* (
  items: Iterable<VaultItem>,
  firstPosition: number
): Generator<string, void> {
  let rows: Array<string> = []
  let position = firstPosition
  const statement = () => `INSERT INTO till_vault_items
    (id, slug, position, product_type, category, price, downloads, search, document) VALUES ${rows.join(", ")}`
  for (const item of items) {
    const { category, id, price, productType, slug } = item
    const texts = [searchTermsOf(item).join(" "), JSON.stringify(item)].map(quoted)
    rows.push(
      `('${id}', '${slug}', ${position++}, '${productType}', '${category}', ${price}, 0, ${texts.join(", ")})`
    )
    if (rows.length < rowsOfStatement) continue
    yield statement()
    rows = []
  }
  if (rows.length > 0) yield statement()
}
