import { zinc } from "@till402/providers/zinc"
import { amazonProduct, buy, reasonAgainst, testAsin } from "../Buying.ts"
import type { StagingScript } from "../StagingScript.ts"

/** https://www.zinc.com/docs/v2: one address; test keys place no real orders. */
export const zincScript: StagingScript = {
  name: "zinc",
  required: [{ name: "ZINC_API_KEY", what: "key of the account, zn_test_… to place anything" }],
  optional: [
    { name: "ZINC_BASE_URL", what: "default https://api.zinc.com" },
    { name: "ZINC_ASIN", what: `an Amazon product; default ${testAsin}` }
  ],
  run: async (steps, { fetch, mayPlace, maybe, of }) => {
    const apiKey = of("ZINC_API_KEY")
    const baseUrl = maybe("ZINC_BASE_URL")
    await buy(steps, {
      fulfilment: zinc({
        apiKey,
        fetch,
        ...(baseUrl === undefined ? {} : { baseUrl }),
        // Ten percent for tax, ten dollars for shipping.
        allowance: { taxBasisPoints: 1_000, shippingCents: 1_000 }
      }),
      product: amazonProduct(maybe("ZINC_ASIN") ?? testAsin),
      whyNot: reasonAgainst(mayPlace, apiKey.startsWith("zn_test_"), "ZINC_API_KEY is not a zn_test_ key")
    })
  }
}
