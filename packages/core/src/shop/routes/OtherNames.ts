import type { OtherNames } from "../../operations/Operation.ts"

/*
 * Names that callers of each route send for something else than its fields: those of other services, and of things that
 * it doesn't offer. Names that resemble a field need no entry.
 */

const words = ["query", "search", "searchTerm", "keyword", "keywords", "term", "text"]

export const searchNames: OtherNames = {
  names: {
    q: words,
    priceMin: ["minimumPrice", "minimum", "min", "priceFrom", "lowPrice"],
    priceMax: ["maximumPrice", "maximum", "max", "priceTo", "highPrice", "budget", "price"],
    // A request with it would pay for the first page again.
    page: ["cursor", "nextCursor", "offset", "pageNumber"]
  }
}

export const vaultSearchNames: OtherNames = {
  names: {
    q: words,
    minPrice: ["minimumPrice", "minimum", "min", "priceFrom"],
    maxPrice: ["maximumPrice", "maximum", "max", "priceTo", "budget", "price"],
    category: ["categories"],
    productType: ["type", "kind"],
    cursor: ["page", "pageNumber", "offset", "nextCursor", "after"]
  }
}

export const shopNames: OtherNames = {
  names: {
    message: ["prompt", "question", "input", ...words],
    "context.priceRange": ["priceRange", "context.price", "context.budget", "budget"],
    "context.priceRange.min": ["minPrice", "priceMin", "context.minPrice", "context.priceMin"],
    "context.priceRange.max": ["maxPrice", "priceMax", "context.maxPrice", "context.priceMax"],
    "context.preferences": ["preferences"]
  }
}

const onePiece = "can't be chosen: each call buys one piece. Leave it out"
const onlyQuote = "isn't a field: send the body without a payment to be quoted, and nothing is bought"
const notPassedOn =
  "isn't passed on to who sends the product: leave it out, or put it into line2 of the address"
const quotedPrice =
  "can't be chosen: the price is quoted without a payment. Leave it out, and pay the quote or not"
const byProduct =
  "can't be chosen: name the variant of a storefront product by variantId, or the product by its own asin"
// Not `price`: callers may send all that search says of a product.
const standardDelivery = "can't be chosen: the quote says what delivery costs. Leave it out"

export const buyNames: OtherNames = {
  names: {
    productUrl: ["url", "link", "productLink", "pageUrl"],
    variantId: ["variation", "variationId"],
    email: ["mail", "emailAddress", "buyerEmail", "contactEmail"],
    shippingAddress: ["address", "deliveryAddress", "shipTo", "destination", "shipping"],
    "shippingAddress.name": ["shippingAddress.fullName", "shippingAddress.recipient"],
    "shippingAddress.line1": [
      "shippingAddress.address",
      "shippingAddress.street",
      "shippingAddress.addressLine1",
      "shippingAddress.address1",
      "shippingAddress.street1"
    ],
    "shippingAddress.line2": [
      "shippingAddress.addressLine2",
      "shippingAddress.address2",
      "shippingAddress.street2",
      "shippingAddress.apartment",
      "shippingAddress.apt",
      "shippingAddress.unit",
      "shippingAddress.suite",
      "shippingAddress.floor"
    ],
    "shippingAddress.city": ["shippingAddress.town", "shippingAddress.locality"],
    "shippingAddress.state": ["shippingAddress.region", "shippingAddress.province"],
    "shippingAddress.postalCode": [
      "shippingAddress.zip",
      "shippingAddress.zipCode",
      "shippingAddress.postcode"
    ],
    "shippingAddress.country": ["shippingAddress.countryCode"],
    "shippingAddress.phone": [
      "shippingAddress.phoneNumber",
      "shippingAddress.telephone",
      "phone",
      "phoneNumber"
    ]
  },
  notOffered: Object.fromEntries([
    ...["quantity", "qty", "count", "amount", "pieces", "units"].map((name) => [name, onePiece]),
    ...["items", "products", "lineItems", "cart", "asins"].map((name) => [name, onePiece]),
    ...["maxPrice", "priceMax", "maxTotal", "budget"].map((name) => [name, quotedPrice]),
    ...["coupon", "couponCode", "promoCode", "discount", "discountCode"].map((name) => [name, quotedPrice]),
    ...["size", "color", "colour", "options", "selectedOptions"].map((name) => [name, byProduct]),
    ...["dryRun", "quoteOnly", "preview", "test"].map((name) => [name, onlyQuote]),
    ...["billingAddress", "giftMessage", "license"].map((name) => [name, notPassedOn]),
    ...["line3", "company", "deliveryInstructions", "instructions"].map((name) => [
      `shippingAddress.${name}`,
      notPassedOn
    ]),
    ...["deliverBy", "shippingMethod", "shippingSpeed", "deliveryDate", "expedited"].map((name) => [
      name,
      standardDelivery
    ])
  ])
}

export const trackNames: OtherNames = {
  names: {
    number: ["trackingNumber", "trackingId", "trackingCode", "tracking", "parcel", "parcelNumber"],
    carrier: ["carrierCode", "carrierId", "courier", "carrierName"],
    destinationPostalCode: ["postalCode", "postcode", "zip", "zipCode", "destinationZip"],
    destinationCountry: ["country", "countryCode"],
    shipDate: ["date", "shippingDate", "shippedAt"],
    phone: ["phoneNumber", "telephone"],
    cpfOrCnpj: ["cpf", "cnpj", "taxId", "taxNumber"]
  }
}

export const vaultBuyNames: OtherNames = {
  names: {
    slug: ["item", "itemSlug", "id", "itemId"],
    walletAddress: ["wallet", "address", "solanaAddress"],
    email: ["mail", "emailAddress"]
  },
  notOffered: Object.fromEntries([
    ...["quantity", "qty", "count", "amount", "items", "slugs"].map((name) => [name, onePiece]),
    ...["maxPrice", "priceMax", "budget"].map((name) => [name, quotedPrice]),
    ...["coupon", "couponCode", "promoCode", "discount"].map((name) => [name, quotedPrice]),
    ...["dryRun", "quoteOnly", "preview", "test"].map((name) => [name, onlyQuote]),
    ...["license", "seats"].map((name) => [
      name,
      "can't be chosen: the item is sold as it is listed. Leave it out"
    ])
  ])
}

export const vaultDownloadNames: OtherNames = {
  names: { downloadToken: ["token", "secret", "download_key"] }
}
