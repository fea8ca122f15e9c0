import { wooCommerce } from "@till402/providers/woocommerce"
import { buy } from "../Buying.ts"
import type { StagingScript } from "../StagingScript.ts"

/** https://developer.woocommerce.com/docs/apis/rest-api/v3/: your own shop; a quote leaves an unpaid order in it. */
export const wooCommerceScript: StagingScript = {
  name: "woocommerce",
  required: [
    { name: "WOOCOMMERCE_STORE_URL", what: "address of the shop" },
    { name: "WOOCOMMERCE_CONSUMER_KEY", what: "ck_…, with the right to write" },
    { name: "WOOCOMMERCE_CONSUMER_SECRET", what: "its secret" },
    { name: "WOOCOMMERCE_PRODUCT", what: "id of a product in stock" }
  ],
  optional: [],
  run: async (steps, { fetch, of }) => {
    const storeUrl = of("WOOCOMMERCE_STORE_URL")
    const variantId = of("WOOCOMMERCE_PRODUCT")
    await buy(steps, {
      fulfilment: wooCommerce({
        storeUrl,
        consumerKey: of("WOOCOMMERCE_CONSUMER_KEY"),
        consumerSecret: of("WOOCOMMERCE_CONSUMER_SECRET"),
        shipping: { cents: 500 },
        fetch
      }),
      product: { source: "marketplace_b", productUrl: `${storeUrl}/?variant=${variantId}`, variantId },
      whyNot: "a shop of your own has no staging"
    })
  }
}
