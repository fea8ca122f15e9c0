import { memoryPlacementJournal, rye } from "@till402/providers/rye"
import { amazonProduct, buy, isStaging, reasonAgainst, testAsin } from "../Buying.ts"
import type { StagingScript } from "../StagingScript.ts"

const stagingUrl = "https://staging.api.rye.com"

/** https://rye.com/docs/api-v2 */
export const ryeScript: StagingScript = {
  name: "rye",
  required: [{ name: "RYE_API_KEY", what: "key of the staging account, RYE/staging-…" }],
  optional: [
    { name: "RYE_BASE_URL", what: `default ${stagingUrl}` },
    { name: "RYE_ASIN", what: `an Amazon product; default ${testAsin}` }
  ],
  run: async (steps, { fetch, mayPlace, maybe, of }) => {
    const baseUrl = maybe("RYE_BASE_URL") ?? stagingUrl
    await buy(steps, {
      fulfilment: rye({
        apiKey: of("RYE_API_KEY"),
        fetch,
        baseUrl,
        quoteTimeoutMillis: 60_000,
        placements: memoryPlacementJournal()
      }),
      product: amazonProduct(maybe("RYE_ASIN") ?? testAsin),
      whyNot: reasonAgainst(mayPlace, isStaging(baseUrl, stagingUrl), "RYE_BASE_URL is not staging")
    })
  }
}
