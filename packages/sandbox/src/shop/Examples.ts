import type { TillOptions } from "@till402/core"
import { generalCatalogue } from "./Catalogue.ts"
import { vaultItems } from "./VaultShelf.ts"

const product = generalCatalogue.find(
  ({ variants: [{ handling, inStock, sellsOut }] }) => inStock && !sellsOut && handling === "ordinary"
)!.product
const email = "ada@example.com"

/** Requests that the sample shop serves, which 402s and documents publish. */
export const examples = {
  buy: {
    asin: product.asin,
    email,
    shippingAddress: {
      name: "Ada Lovelace",
      line1: "12 Analytical Way",
      city: "Austin",
      state: "TX",
      postalCode: "78701",
      country: "US"
    }
  },
  track: { number: "TILL-DELIVERED" },
  vaultBuy: {
    slug: vaultItems[0]!.slug,
    walletAddress: "So11111111111111111111111111111111111111112",
    email
  }
} satisfies TillOptions["examples"]
