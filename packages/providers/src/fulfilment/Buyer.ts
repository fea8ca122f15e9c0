import { AddressNotServed, type ProductReference, type ShippingAddress } from "@till402/core"

/*
 * From an order of the till to what shops want to know. Pure.
 */

/** What a quote is asked for. */
export interface OrderRequest {
  readonly product: ProductReference
  readonly shippingAddress: ShippingAddress
  readonly email: string
}

/** The page of a product, with its variant where the shop has several. */
export const productPageOf = (product: ProductReference): string => {
  if (product.source === "marketplace_a") return `https://www.amazon.com/dp/${product.asin}`
  const page = new URL(product.productUrl)
  page.searchParams.set("variant", product.variantId)
  return page.href
}

/**
 * A name in two, at its last space, as checkouts want it. A single word stands for both: a mononym is
 * delivered all the same, an empty field is refused.
 */
export const splitName = (name: string): { readonly firstName: string; readonly lastName: string } => {
  const words = name.trim().split(/\s+/)
  const lastName = words.at(-1) ?? ""
  return { firstName: words.length > 1 ? words.slice(0, -1).join(" ") : lastName, lastName }
}

/** Where an address can't be served; `undefined`: it can. */
export const addressFault = (
  { country, phone }: ShippingAddress,
  { defaultPhone, upstream }: { readonly defaultPhone: string | undefined; readonly upstream: string }
): AddressNotServed | undefined => {
  if (country !== "US") {
    return new AddressNotServed({ message: `${upstream} delivers within the United States only.` })
  }
  return (phone ?? "").trim() === "" && defaultPhone === undefined
    ? new AddressNotServed({ message: "Delivery needs a phone number: send shippingAddress.phone." })
    : undefined
}

/** The `buyer` of an intent. */
export const buyerOf = ({ email, shippingAddress }: OrderRequest, defaultPhone: string | undefined) => {
  const { city, country, line1, line2 = "", name, phone = "", postalCode, state } = shippingAddress
  return {
    ...splitName(name),
    email,
    phone: phone.trim() === "" ? (defaultPhone ?? "") : phone.trim(),
    address1: line1,
    ...(line2 === "" ? {} : { address2: line2 }),
    city,
    province: state,
    postalCode,
    country
  }
}
