import type { Product } from "@till402/core"
import { normalized } from "./PlainText.ts"

/*
 * Addresses in a reply: only pages of returned products.
 */

const address =
  /(?:\b[a-z][a-z0-9+.-]{1,20}:\/\/|\bwww\.|\bmailto:|\bjavascript:|\bdata:)[^\s<>"”»]+|(?<![\p{L}\p{N}@.-])(?:[a-z0-9-]+\.)+(?:com|net|org|io|shop|store|co|uk|de|fr|es|it|nl|pl|ru|cn|jp|kr|br|info|biz|xyz|app|dev|link|ly|me|to|example|top|site|online|us|eu|ai)(?![\p{L}\p{N}-])(?:[/?#][^\s<>"”»]*)?|[^\s@]+@[^\s@]+\.[^\s@]+/giu

/** Closing punctuation that isn't part of an address. */
const closing = /[.,;:!?)\]}'”’]+$/u

/**
 * The normalized sentence without the addresses of returned products. `fault`: it contains another address.
 */
export const linksIn = (
  sentence: string,
  products: ReadonlyArray<Product>
): { readonly text: string; readonly fault: string | undefined } => {
  const known = new Set(products.flatMap(({ productUrl }) => (productUrl === null ? [] : [productUrl])))
  let fault: string | undefined
  const rest = sentence.replace(address, (match) => {
    const url = match.replace(closing, "")
    if (known.has(match) || known.has(url)) return known.has(match) ? "" : match.slice(url.length)
    fault = "it contains an address that isn't that of a product"
    return match
  })
  return { text: normalized(rest), fault }
}
