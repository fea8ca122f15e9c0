/*
 * The agent profile: a public document that the catalogue fetches and caches. It declares the capabilities
 * that our calls may use. https://shopify.dev/docs/agents/profiles
 */

/** The default protocol version of the profile. */
export const defaultUcpVersion = "2026-08-25"

/** How long the document may be cached; the catalogue requires at least 60 seconds. */
const maxAgeSeconds = 3_600

/** Address of the catalogue's specification, which moved with this version. */
const specificationOf = (version: string): string =>
  `https://ucp.dev/${version}/specification/${version >= "2026-08-25" ? "shopping/" : ""}catalog`

/** Capabilities behind the tools `search_catalog`, `lookup_catalog` and `get_product`. */
const capabilities = (version: string) => ({
  "dev.ucp.shopping.catalog.search": [
    {
      version,
      spec: `${specificationOf(version)}/search`,
      schema: `https://ucp.dev/${version}/schemas/shopping/catalog_search.json`
    }
  ],
  "dev.ucp.shopping.catalog.lookup": [
    {
      version,
      spec: `${specificationOf(version)}/lookup`,
      schema: `https://ucp.dev/${version}/schemas/shopping/catalog_lookup.json`
    }
  ],
  // The global catalogue's own filters and fields.
  "dev.shopify.catalog.global": [
    {
      version,
      spec: "https://shopify.dev/docs/agents/catalog/global-catalog",
      schema: `https://shopify.dev/ucp/schemas/${version}/shopify_catalog_global.json`,
      extends: ["dev.ucp.shopping.catalog.search", "dev.ucp.shopping.catalog.lookup"]
    }
  ]
})

/** The profile document: a UCP platform profile that declares only the catalogue's capabilities. */
export const agentProfile = (version: string = defaultUcpVersion): { readonly [name: string]: unknown } => ({
  ucp: {
    version,
    services: {
      "dev.ucp.shopping": [
        {
          version,
          transport: "mcp",
          spec: `https://ucp.dev/${version}/specification/overview`,
          schema: `https://ucp.dev/${version}/services/shopping/mcp.openrpc.json`
        }
      ]
    },
    capabilities: capabilities(version),
    payment_handlers: {}
  }
})

/**
 * Responds to requests for the profile at any path: 200 for GET and HEAD with headers for caching, 405 for
 * other methods. Never redirects, because the catalogue follows no redirects.
 */
export const profileHandler = (version: string): ((request: Request) => Response) => {
  const body = JSON.stringify(agentProfile(version))
  return ({ method }) => {
    if (method !== "GET" && method !== "HEAD") {
      return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } })
    }
    return new Response(method === "GET" ? body : null, {
      headers: {
        "content-type": "application/json",
        "cache-control": `public, max-age=${maxAgeSeconds}`,
        "access-control-allow-origin": "*"
      }
    })
  }
}
