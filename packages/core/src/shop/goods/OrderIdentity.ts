import { type BuyRequest, productOf } from "./Order.ts"
import type { GeneralMarketplace } from "./ProductUrl.ts"
import type { VaultBuyRequest } from "./Vault.ts"

/*
 * What two requests must have in common to be the same order: a client that has lost a response may word its retry in
 * another way.
 */

/** Text without differences in letter case, white space and compatible characters. */
const folded = (text = ""): string =>
  text
    .normalize("NFKC")
    // In this order: ẞ, ß and SS become ss.
    .toUpperCase()
    .toLowerCase()
    .replaceAll(/[\s\p{Z}]+/gu, " ")
    .trim()

/** A product's page without its variant, which is compared by itself, and without what names no product. */
const pageOf = (productUrl: string): string => {
  const { host, pathname, searchParams } = new URL(productUrl)
  const query = [...searchParams]
    .filter(([name]) => name !== "variant" && !/^utm_/i.test(name))
    .map((pair) => JSON.stringify(pair))
    .toSorted()
  return [host, pathname.replace(/\/+$/, ""), ...query].join("\n")
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

/**
 * A postal code without what some write and others leave out: spaces, hyphens, a country before it (`D-10115`), and the four
 * further digits in the United States, which narrow the street that the address has anyway.
 */
const codeIn = (postalCode: string, country: string): string => {
  const code = folded(postalCode)
    .replace(/^[a-z]{1,2} ?\p{Pd} ?(?=\d)/u, "")
    .replaceAll(/[\s\p{Pd}]+/gu, "")
  return country === "US" ? code.slice(0, zipLength) : code
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
