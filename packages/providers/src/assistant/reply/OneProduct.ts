import type { Product } from "@till402/core"
import { maxTitle, normalized, oneLine } from "./PlainText.ts"

/*
 * Which products are variants of one: a shopper who asks for headphones isn't helped by the same ones in four colors.
 */

/** The last part of a title, after a comma or a dash or in parentheses: `Headphones, Blue`, `Headphones (Blue)`. */
const lastPart = /^(.{8,}?)\s*(?:,|\s[-–—|]|\()\s*([^,()|\d]{1,30}?)\)?$/u

/** A title without its variant. Figures stay: another size or capacity is a choice of its own. */
const familyTitle = (title: string): string => {
  const plain = normalized(oneLine(title, maxTitle))
  return (lastPart.exec(plain)?.[1] ?? plain).toLowerCase()
}

const pageOf = (productUrl: string | null): URL | undefined =>
  productUrl === null || !URL.canParse(productUrl) ? undefined : new URL(productUrl)

/** Texts of which two variants of one product have one in common. */
const familiesOf = ({ productUrl, source, title }: Product): ReadonlyArray<string> => {
  const page = pageOf(productUrl)
  const seller = `${source} ${page?.host ?? ""}`
  return [
    `${seller} ${familyTitle(title)}`,
    // A storefront's page has all variants, told apart by its query.
    ...(source === "marketplace_b" && page?.searchParams.has("variant") === true
      ? [`${seller} ${page.pathname}`]
      : [])
  ]
}

/** The first of each product's variants. */
export const oneOfEach = <Item>(
  items: ReadonlyArray<Item>,
  productOf: (item: Item) => Product
): ReadonlyArray<Item> => {
  const seen = new Set<string>()
  return items.filter((item) => {
    const families = familiesOf(productOf(item))
    if (families.some((family) => seen.has(family))) return false
    for (const family of families) seen.add(family)
    return true
  })
}
