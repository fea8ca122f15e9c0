import { canopy } from "@till402/providers/canopy"
import { rainforest } from "@till402/providers/rainforest"
import { serpApi } from "@till402/providers/serpapi"
import { search } from "../Searching.ts"
import type { StagingScript } from "../StagingScript.ts"

/*
 * The providers of Amazon search. None has a staging service: three searches count against the key's quota.
 */

const scriptOf = (name: string, prefix: string, provide: typeof canopy): StagingScript => ({
  name,
  required: [{ name: `${prefix}_API_KEY`, what: "key of the account; spends three searches" }],
  optional: [{ name: `${prefix}_BASE_URL`, what: "default the provider's own" }],
  run: async (steps, { fetch, maybe, of }) => {
    const baseUrl = maybe(`${prefix}_BASE_URL`)
    const marketplace = provide({
      apiKey: of(`${prefix}_API_KEY`),
      fetch,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      timeoutMillis: 20_000,
      deadlineMillis: 30_000
    })
    await search(steps, marketplace, "phone case")
  }
})

/** https://docs.canopyapi.co */
export const canopyScript: StagingScript = scriptOf("canopy", "CANOPY", canopy)

/** https://serpapi.com/amazon-search-api */
export const serpApiScript: StagingScript = scriptOf("serpapi", "SERPAPI", serpApi)

/** https://docs.trajectdata.com/rainforestapi */
export const rainforestScript: StagingScript = scriptOf("rainforest", "RAINFOREST", rainforest)
