import { type BuyRequest, productOf } from "./Order.ts"
import type { GeneralMarketplace } from "./ProductUrl.ts"
import type { VaultBuyRequest } from "./VaultItem.ts"

/*
 * What two requests must have in common to be the same order: a client that has lost a response may word its retry in
 * another way.
 */

/** Text without differences in letter case, white space and compatible characters. */
const folded = (text = ""): string =>
  text
    // Not 12: 1² is another flat.
    .replaceAll(/(?<=\d)(?=\p{No})/gu, " ")
    .normalize("NFKC")
    // In this order: ẞ, ß and SS become ss.
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\s\p{Z}]+/gu, " ")
    .trim()

/** A product's page without its variant, which is compared by itself, and without what names no product. */
const pageOf = (productUrl: string): string => {
  const { hash, host, pathname, searchParams } = new URL(productUrl)
  // A page of a shop that is one document: another fragment is a place in the page.
  const route = /^#!?\//.test(hash) ? hash : ""
  const query = [...searchParams]
    .filter(([name]) => name !== "variant" && !/^utm_/i.test(name))
    .map((pair) => JSON.stringify(pair))
    .toSorted()
  return [host, pathname.replace(/\/+$/, ""), route, ...query].join("\n")
}

const productIn = (
  request: BuyRequest,
  marketplace: GeneralMarketplace | undefined
): ReadonlyArray<string> => {
  const product = productOf(request, marketplace)
  return product.source === "marketplace_a"
    ? [product.source, product.asin]
    : [product.source, pageOf(product.productUrl), product.variantId]
}

/** Codes of cars that people write before the postal codes of their own country, where they differ from its ISO code. */
const carCodes: Readonly<Record<string, string>> = {
  AT: "A",
  BE: "B",
  DE: "D",
  ES: "E",
  FI: "FIN",
  FR: "F",
  HU: "H",
  IT: "I",
  LI: "FL",
  LU: "L",
  NO: "N",
  PT: "P",
  SE: "S",
  SI: "SLO"
}

/**
 * A postal code without what some write and others leave out: spaces, hyphens, its own country before a number (`D-10115`,
 * `LV1050`), and the last four digits of a ZIP+4, which repeat the street. Other letters are a province, region or part of
 * a town.
 */
const codeIn = (postalCode: string, country: string): string => {
  const code = folded(postalCode).replaceAll(/[\s\p{Pd}]+/gu, "")
  const prefix = [country, carCodes[country] ?? country]
    .map((letters) => letters.toLowerCase())
    .find((letters) => code.startsWith(letters) && /^\d+$/.test(code.slice(letters.length)))
  const own = prefix === undefined ? code : code.slice(prefix.length)
  return country === "US" ? own.slice(0, zipLength) : own
}

/** Digits of a ZIP code without those of ZIP+4. */
const zipLength = 5

/**
 * Text that is the same for two requests that order the same product and variant for the same recipient and email. A phone
 * number makes no difference.
 */
export const orderOf = (request: BuyRequest, marketplace?: GeneralMarketplace): string => {
  const { city, country, line1, line2, name, postalCode, state } = request.shippingAddress
  const recipient = [name, line1, line2, city, state].map(folded)
  return JSON.stringify([
    productIn(request, marketplace),
    recipient,
    codeIn(postalCode, country),
    country,
    folded(request.email)
  ])
}

/** Text that is the same for two requests that buy the same vault item for the same wallet and email. */
export const purchaseOf = ({ email, slug, walletAddress }: VaultBuyRequest): string =>
  JSON.stringify([slug, walletAddress, folded(email)])
