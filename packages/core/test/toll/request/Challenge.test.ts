import { describe, expect, it } from "vitest"
import { findEvmNetwork } from "../../../src/domain/Network.ts"
import { challengeTemplate, makeChallenge, type Resource } from "../../../src/toll/request/Challenge.ts"
import { property } from "../../domain/seeded.ts"
import {
  type ReceivedResponse,
  baseUrl,
  type Call,
  challengeOf,
  downloadOf,
  jsonOf,
  openTill,
  search,
  shop,
  track,
  vaultSearch
} from "../openTill.ts"
import { offer } from "../payments.ts"
import { headerOf, payChallenge } from "../wallet.ts"

const resource: Resource = {
  url: "https://shop.example/x402/search",
  description: 'Suche für alle, \u2028 quoted "so" and \\ so',
  mimeType: "application/json",
  outputSchema: { input: { type: "http" } },
  extensions: { bazaar: { info: "über" } }
}

describe("a template of a 402", () => {
  const networks = ["base", "eip155:42161", "base-sepolia"].map((name) => offer(findEvmNetwork(name)!))
  const ascii = Array.from({ length: 94 }, (_, index) => String.fromCharCode(0x21 + index)).join("")

  property("is the same as a 402 made whole, whatever the URL", 500, (dice) => {
    const offers = networks.slice(0, dice.below(4))
    const error = dice.pick(["Payment required", "Zahlung nötig"])
    const fill = challengeTemplate(offers, resource, error)
    for (let times = 0; times < 4; times++) {
      const url = resource.url + dice.text(ascii, dice.below(40))
      expect(fill(url)).toEqual(makeChallenge(offers, { ...resource, url }, error))
    }
  })
})

/** The URLs that a 402 names: that of the header, and those of the body. */
const namedBy = (response: ReceivedResponse): ReadonlyArray<string> => {
  const accepts = jsonOf(response)["accepts"] as ReadonlyArray<{ readonly resource: string }>
  return [challengeOf(response).resource.url, ...accepts.map(({ resource }) => resource)]
}

const named = async (call: Call, headers: Record<string, string> = {}): Promise<ReadonlyArray<string>> => {
  const till = await openTill()
  const response = await till.send(call, headers)
  expect(response.status, response.text).toBe(402)
  return namedBy(response)
}

describe("the resource of a 402", () => {
  const queries: ReadonlyArray<readonly [string, string, string]> = [
    ["as it came", "?q=tote&page=2&unknown", "?q=tote&page=2&unknown"],
    ["in the words of a URL", "?q=a b\u00e9\"<>'", "?q=a%20b%C3%A9%22%3C%3E%27"],
    ["with what JSON escapes", "?q=a\\b", "?q=a\\b"],
    ["even where it is not valid", "?page=none", "?page=none"],
    ["up to 896 characters", `?q=${"a".repeat(894)}`, `?q=${"a".repeat(894)}`],
    ["not where it is longer", `?q=${"a".repeat(895)}`, ""],
    ["not where it is empty", "?", ""],
    ["not where there is none", "", ""]
  ]
  it.each(queries)("names the query of a search %s", async (_, query, expected) => {
    for (const path of ["/x402/search", "/x402/vault/search"]) {
      const urls = await named({ path: path + query })
      expect(new Set(urls)).toEqual(new Set([`${baseUrl}${path}${expected}`]))
    }
  })

  it.each(["?number=EE123456785US", "?carrier=100002&number=EE123456785US"])(
    "names a query of track that has only the parcel: %s",
    async (query) => {
      for (const headers of [{}, { "payment-signature": "e30=" }] as ReadonlyArray<Record<string, string>>)
        expect(new Set(await named({ path: `/x402/track${query}` }, headers))).toEqual(
          new Set([`${baseUrl}/x402/track${query}`])
        )
    }
  )

  it("includes it in the 402 of a refused payment, too", async () => {
    for (const call of [search, { path: "/x402/vault/search?limit=3" }]) {
      const urls = await named(call, { "payment-signature": "e30=" })
      expect(new Set(urls)).toEqual(new Set([baseUrl + call.path]))
    }
  })

  it("of a HEAD is that of a GET", async () => {
    const till = await openTill()
    const request = (method: string) => till.till.fetch(new Request(baseUrl + search.path, { method }))
    const [head, get] = [await request("HEAD"), await request("GET")]
    expect(head.headers.get("payment-required")).toBe(get.headers.get("payment-required"))
  })

  it.each([
    ["track, with what may be private", { path: `${track.path}&phone=5551234` }],
    ["track, with another name", { path: `${track.path}&Number=1` }],
    ["vault download", downloadOf("7d0c5b1a-92b4-4b43-8a3e-1f0f5a3f6b11", "1.secret")],
    ["shop", { ...shop, path: "/x402/shop?a=b" }],
    ["buy without a body", { path: "/x402/buy?a=b", body: {} }]
  ] satisfies ReadonlyArray<readonly [string, Call]>)("of %s never names a query", async (_, call) => {
    const url = baseUrl + call.path.replace(/\?.*/, "")
    for (const headers of [{}, { "payment-signature": "e30=" }] as ReadonlyArray<Record<string, string>>)
      expect(new Set(await named(call, headers))).toEqual(new Set([url]))
  })
})

describe("a payment that names the URL it requests", () => {
  const elsewhere = "http://localhost:3000/api"
  const echoes: ReadonlyArray<readonly [string, Call, (path: string) => string]> = [
    ["with its query", track, (path) => baseUrl + path],
    ["by another host name", search, (path) => elsewhere + path],
    ["of a POST", shop, (path) => `${elsewhere}${path}?from=here`],
    ["with a slash at its end", vaultSearch, (path) => `${baseUrl}${path}/`]
  ]
  it.each(echoes)("%s is taken", async (_, call, urlOf) => {
    const till = await openTill()
    const payment = await payChallenge(await till.challenge(call))
    const echoed = headerOf({ ...payment, resource: { url: urlOf(call.path) } } as typeof payment)
    const response = await till.present(call, echoed)
    expect(response.status, response.text).toBe(200)
  })
})
