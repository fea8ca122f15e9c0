import { assert, describe, it } from "vitest"
import { agentProfile } from "../../src/shopify/index.ts"
import { catalogue, profileUrl } from "./catalogue.ts"

/*
 * The agent profile, as Shopify's crawler sees it.
 */

interface Entry {
  readonly version: string
  readonly spec: string
  readonly schema: string
  readonly extends?: ReadonlyArray<string>
  readonly transport?: string
}

interface Profile {
  readonly ucp: {
    readonly version: string
    readonly services: Record<string, ReadonlyArray<Entry>>
    readonly capabilities: Record<string, ReadonlyArray<Entry>>
    readonly payment_handlers: Record<string, unknown>
  }
}

const fetchProfile = (init: RequestInit = {}, options: Parameters<typeof catalogue>[0] = {}) =>
  catalogue(options).profile(new Request(profileUrl, init))

describe("the agent profile", () => {
  it("can be cached by anybody, for a minute at least", () => {
    const response = fetchProfile()
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("content-type"), "application/json")
    const [, seconds] = /^public, max-age=(\d+)$/.exec(response.headers.get("cache-control") ?? "") ?? []
    assert.isAtLeast(Number(seconds), 60)
  })

  it("declares search and lookup by the names that tools are gated by", async () => {
    const { ucp } = (await fetchProfile().json()) as Profile
    assert.match(ucp.version, /^\d{4}-\d{2}-\d{2}$/)
    assert.includeMembers(Object.keys(ucp.capabilities), [
      "dev.ucp.shopping.catalog.search",
      "dev.ucp.shopping.catalog.lookup"
    ])
    // Declared would be promised: nothing here buys.
    assert.notProperty(ucp.capabilities, "dev.ucp.shopping.checkout")
    assert.strictEqual(ucp.services["dev.ucp.shopping"]?.[0]?.transport, "mcp")
    assert.deepStrictEqual(ucp.payment_handlers, {})
  })

  it("has for each entry version, spec and schema, at the authority of its name", async () => {
    const { ucp } = (await fetchProfile().json()) as Profile
    const entries = Object.entries({ ...ucp.services, ...ucp.capabilities })
    for (const [name, [entry]] of entries) {
      const authority = `https://${name.split(".").slice(0, 2).toReversed().join(".")}/`
      assert.strictEqual(entry!.version, ucp.version)
      assert.isTrue(entry!.spec.startsWith(authority), name)
      assert.isTrue(entry!.schema.startsWith(authority), name)
      for (const parent of entry!.extends ?? []) assert.property(ucp.capabilities, parent)
    }
  })

  it("speaks the version that the host chose", async () => {
    const response = fetchProfile({}, { ucpVersion: "2026-04-08" })
    assert.deepStrictEqual(await response.json(), agentProfile("2026-04-08"))
    assert.include(JSON.stringify(agentProfile("2026-04-08")), "https://ucp.dev/2026-04-08/")
    assert.notInclude(JSON.stringify(agentProfile("2026-04-08")), "2026-08-25")
  })

  it("responds to GET, to HEAD without a body, and to no other method", async () => {
    const head = fetchProfile({ method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(await head.text(), "")
    const post = fetchProfile({ method: "POST", body: "{}" })
    assert.strictEqual(post.status, 405)
    assert.strictEqual(post.headers.get("allow"), "GET, HEAD")
  })

  it("names the path to mount it at", () => {
    assert.strictEqual(catalogue().profilePath, "/.well-known/ucp-agent.json")
    const profileUrl = "https://shop.example/api/agents/us.json"
    assert.strictEqual(catalogue({ profileUrl }).profilePath, "/api/agents/us.json")
  })
})
