import { shopifyAdmin } from "@till402/providers/shopify-admin"
import { buy } from "../Buying.ts"
import type { StagingScript } from "../StagingScript.ts"

/** https://shopify.dev/docs/api/admin-graphql: your own shop; a quote leaves a draft order in it. */
export const shopifyAdminScript: StagingScript = {
  name: "shopify-admin",
  required: [
    { name: "SHOPIFY_ADMIN_SHOP", what: "domain of the shop, ….myshopify.com" },
    { name: "SHOPIFY_ADMIN_CLIENT_ID", what: "client id of an app that is installed there" },
    { name: "SHOPIFY_ADMIN_CLIENT_SECRET", what: "its secret" },
    { name: "SHOPIFY_ADMIN_VARIANT", what: "id of a variant in stock, digits only" }
  ],
  optional: [],
  run: async (steps, { fetch, of }) => {
    const shop = of("SHOPIFY_ADMIN_SHOP")
    const variantId = of("SHOPIFY_ADMIN_VARIANT")
    await buy(steps, {
      fulfilment: shopifyAdmin({
        shop,
        clientId: of("SHOPIFY_ADMIN_CLIENT_ID"),
        clientSecret: of("SHOPIFY_ADMIN_CLIENT_SECRET"),
        fetch
      }),
      product: { source: "marketplace_b", productUrl: `https://${shop}/?variant=${variantId}`, variantId },
      whyNot: "a shop of your own has no staging"
    })
  }
}
