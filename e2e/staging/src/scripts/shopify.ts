import { shopify } from "@till402/providers/shopify"
import { search } from "../Searching.ts"
import type { StagingScript } from "../StagingScript.ts"

/** https://shopify.dev/docs/agents/catalog: the catalog has no staging, and searches are free. */
export const shopifyScript: StagingScript = {
  name: "shopify",
  required: [{ name: "SHOPIFY_PROFILE_URL", what: "public https address of the agent profile" }],
  optional: [
    { name: "SHOPIFY_CLIENT_ID", what: "of the Dev Dashboard; without it calls are anonymous" },
    { name: "SHOPIFY_CLIENT_SECRET", what: "its secret" },
    { name: "SHOPIFY_BASE_URL", what: "default Shopify's own" },
    { name: "SHOPIFY_TOKEN_URL", what: "default Shopify's own" }
  ],
  run: async (steps, { fetch, maybe, of }) => {
    const optional = {
      clientId: maybe("SHOPIFY_CLIENT_ID"),
      clientSecret: maybe("SHOPIFY_CLIENT_SECRET"),
      baseUrl: maybe("SHOPIFY_BASE_URL"),
      tokenUrl: maybe("SHOPIFY_TOKEN_URL")
    }
    const given = Object.entries(optional).filter(([, value]) => value !== undefined)
    await search(
      steps,
      shopify({
        profileUrl: of("SHOPIFY_PROFILE_URL"),
        fetch,
        ...(Object.fromEntries(given) as Readonly<Record<keyof typeof optional, string>>)
      }),
      "trail shoes"
    )
  }
}
