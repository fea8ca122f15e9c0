import {
  AddressNotServed,
  type GeneralMarketplace,
  type ProductReference,
  ProductUnavailable,
  type ShippingAddress
} from "@till402/core"

/*
 * Converts an order of the till to the fields that shops need. Pure functions.
 */

/** The request for a quote. */
export interface OrderRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
  /** Names the client that requests a quote: `QuoteRequest` of a till. */
  readonly client?: string | undefined
}

/** The shop that Rye and Zinc order at by its product codes. */
export const amazonOfUnitedStates: GeneralMarketplace = { hosts: ["amazon.com"], country: "US" }

/** Hosts of general marketplaces, whatever variant a request names. */
const marketplaceHost = /(?:^|\.)(?:amazon|ebay)\.[a-z]{2,3}(?:\.[a-z]{2})?\.?$/

/** Why a product's page can't be ordered from; `undefined` if it can. */
export const pageFault = (product: ProductReference): ProductUnavailable | undefined =>
  product.source === "marketplace_b" && marketplaceHost.test(new URL(product.productUrl).hostname)
    ? new ProductUnavailable({
        message: "The page is of a marketplace that isn't ordered from.",
        reason: "foreign_page"
      })
    : undefined

const hostOf = (page: string): string | undefined => URL.parse(page)?.hostname.replace(/^www\./, "")

/** Whether a storefront's product is of the shop with these pages: another shop may have a variant of the same number. */
export const isNamedBy = (product: ProductReference, pages: ReadonlyArray<string | null>): boolean =>
  product.source === "marketplace_b" &&
  pages.some((page) => page !== null && hostOf(page) === hostOf(product.productUrl))

/** The page of a product, with its variant at shops of Shopify. */
export const productPageOf = (product: ProductReference): string => {
  if (product.source === "marketplace_a") return `https://www.amazon.com/dp/${product.asin}`
  const page = new URL(product.productUrl)
  page.searchParams.set("variant", product.variantId)
  return page.href
}

/**
 * Splits a name at its last space, as checkouts require. A single word is used for both parts, because an
 * empty field is refused.
 */
export const splitName = (name: string): { readonly firstName: string; readonly lastName: string } => {
  const words = name.trim().split(/\s+/)
  const lastName = words.at(-1) ?? ""
  return { firstName: words.length > 1 ? words.slice(0, -1).join(" ") : lastName, lastName }
}

export interface AddressRules {
  readonly defaultPhone: string | undefined
  /** Name of the upstream in errors. */
  readonly upstream: string
  /** Whether it delivers to other countries than the United States; default: no. */
  readonly isInternational?: boolean
}

/** Why an address can't be served; `undefined` if it can. */
export const addressFault = (
  { country, phone }: ShippingAddress,
  { defaultPhone, isInternational = false, upstream }: AddressRules
): AddressNotServed | undefined => {
  if (country !== "US" && !isInternational) {
    return new AddressNotServed({ message: `${upstream} delivers within the United States only.` })
  }
  return (phone ?? "").trim() === "" && defaultPhone === undefined
    ? new AddressNotServed({ message: "Delivery needs a phone number: send shippingAddress.phone." })
    : undefined
}

/**
 * A phone number of the United States in the one format that Rye accepts, `555-555-0100`
 * (https://rye.com/docs/api-v2/errors). Any other number is unchanged.
 */
export const phoneOf = (phone: string): string => {
  const digits = phone.replace(/\D/g, "").replace(/^1(?=\d{10}$)/, "")
  const isForeign = phone.startsWith("+") && !/^\+\s*1/.test(phone)
  return digits.length === 10 && !isForeign
    ? `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`
    : phone
}

/** The buyer, in the fields of Rye's intents. */
export const buyerOf = ({ email, shippingAddress }: OrderRequest, defaultPhone: string | undefined) => {
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = shippingAddress
  return {
    ...splitName(name),
    email,
    phone: phoneOf(phone.trim() === "" ? (defaultPhone ?? "") : phone.trim()),
    address1: line1,
    ...(line2 === "" ? {} : { address2: line2 }),
    city,
    province: state,
    postalCode,
    country
  }
}
