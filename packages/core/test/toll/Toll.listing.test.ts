import { describe, expect, it } from "vitest"
import { type FakeFacilitator, fakeFacilitator } from "../../../testing/src/index.ts"
import { encodeHeader } from "../../src/toll/request/PaymentHeader.ts"
import {
  baseUrl,
  buy,
  type Call,
  challengeOf,
  downloadOf,
  jsonOf,
  openTill,
  type OpenOptions,
  search,
  shop as ask,
  track,
  vaultBuy,
  vaultSearch
} from "./openTill.ts"
import { devnet, paySolana, solanaPayTo } from "./solana.ts"
import { type Challenged, headerOf, payChallenge } from "./wallet.ts"

/*
 * What facilitators receive of a payment, from which they list a service in a public catalogue: the till's own words,
 * whatever the payer wrote, and nothing about a purchase.
 */

// eslint-disable-next-line typescript/no-explicit-any -- JSON documents that facilitators read
type Json = any
type Shop = Awaited<ReturnType<typeof openBoth>>

/** A till on Base Sepolia and Solana's devnet, with a facilitator for both. */
const openBoth = async (options: OpenOptions = {}, prepare?: (facilitator: FakeFacilitator) => unknown) => {
  const facilitator = fakeFacilitator({
    networks: ["eip155:84532", "base-sepolia", devnet.caip2, "solana-devnet"]
  })
  prepare?.(facilitator)
  const onSolana = { network: "solana-devnet", payTo: solanaPayTo }
  const till = await openTill({ networks: ["base-sepolia", onSolana], facilitator, ...options })
  return { ...till, facilitator }
}

interface Required extends Challenged {
  readonly resource: { readonly url: string; readonly description: string; readonly mimeType: string }
  readonly extensions: Readonly<Record<string, unknown>>
}

/** A payment's header as an honest client of these rails and versions sends it, without any echo. */
const rails = {
  "version 1 on EVM": async (required) => headerOf(await payChallenge(required, { version: 1 })),
  "version 2 on EVM": async (required) => headerOf(await payChallenge(required, { withoutResource: true })),
  "version 1 on Solana": async (required) => paySolana(required, { version: 1 }),
  "version 2 on Solana": async (required) => paySolana(required)
} satisfies Record<string, (required: Required) => Promise<string>>
type Rail = keyof typeof rails
const allRails = Object.keys(rails) as ReadonlyArray<Rail>

const foreign = { info: { input: { type: "http", method: "GET" }, output: { type: "json" } }, schema: {} }

/** What a payer writes around the signed part. */
const echoes: Readonly<Record<string, (required: Required) => object>> = {
  nothing: () => ({ resource: undefined, extensions: undefined }),
  "the whole challenge": ({ extensions, resource }) => ({ resource, extensions }),
  "another description, name and icon": ({ resource }) => ({
    resource: {
      ...resource,
      description: "evil",
      serviceName: "evil",
      tags: ["evil"],
      iconUrl: "https://evil.example/"
    }
  }),
  "another host": ({ resource }) => ({
    resource: { ...resource, url: `https://evil.example${new URL(resource.url).pathname}` }
  }),
  "foreign data in an extension of the till": ({ extensions }) => ({
    extensions: { ...extensions, bazaar: { ...foreign, routeTemplate: "/evil" } }
  }),
  "one more field in an extension of the till": ({ extensions }) => ({
    extensions: { bazaar: { ...(extensions["bazaar"] as object), serviceName: "evil" } }
  }),
  "an extension that the till doesn't offer": ({ extensions }) => ({
    extensions: { ...extensions, "payment-identifier": { info: { id: "evil".repeat(8) } } }
  }),
  "fields of any other name": () => ({ description: "evil", outputSchema: foreign })
}

const requiredBy = async (shop: Shop, call: Call): Promise<Required> =>
  (await shop.challenge(call)) as Required

const pay = async (shop: Shop, call: Call, rail: Rail, echo = "nothing") => {
  const required = await requiredBy(shop, call)
  const sent = JSON.parse(atob(await rails[rail](required)))
  return shop.present(call, encodeHeader({ ...sent, ...echoes[echo]!(required) }))
}

/** The requests of the facilitator: payment and requirements. */
const requestsOf = ({ facilitator }: Shop): ReadonlyArray<ReadonlyArray<Json>> => [
  ...facilitator.verify.calls,
  ...facilitator.settle.calls
]

/** The listing of an operation as a 402 describes it, in the form of one of the versions. Its header has an outline. */
const listingOf = async (shop: Shop, call: Call, version: 1 | 2) => {
  const unpaid = await shop.send({ ...call, path: call.path.replace(/\?.*/, "") })
  const { extensions, resource } = challengeOf(unpaid) as unknown as Required
  const [option] = jsonOf(unpaid)["accepts"] as ReadonlyArray<Json>
  if (version === 2) {
    const { info } = extensions["bazaar"] as Json
    const output = { ...info.output, example: option.outputSchema.output }
    return { resource, extensions: { bazaar: { info: { ...info, output } } } }
  }
  return { resource: resource.url, description: resource.description, outputSchema: option.outputSchema }
}

describe.each(allRails)("a facilitator that gets a payment of %s", (rail) => {
  const version = rail.startsWith("version 1") ? 1 : 2

  it.each(Object.keys(echoes))("reads the till's own words if the payer wrote %s", async (echo) => {
    const shop = await openBoth()
    const paid = await pay(shop, search, rail, echo)
    expect(paid.status, paid.text).toBe(200)
    const requests = requestsOf(shop)
    expect(requests).toHaveLength(2)
    const listing = await listingOf(shop, search, version)
    for (const [payment, requirements] of requests) {
      expect(version === 1 ? requirements : payment).toMatchObject(listing)
      expect(Object.keys(payment).toSorted()).toEqual(
        version === 1
          ? ["network", "payload", "scheme", "x402Version"]
          : ["accepted", "extensions", "payload", "resource", "x402Version"]
      )
      if (version === 2) expect(payment).toMatchObject({ accepted: requirements, ...listing })
      if (version === 2) expect(Object.keys(payment.extensions)).toEqual(["bazaar"])
      expect(JSON.stringify([payment, requirements])).not.toContain("evil")
    }
  })

  it.each([
    ["search", search],
    ["track", track]
  ])("reads them too if the reconciler settles the payment: %s", async (_, call) => {
    const shop = await openBoth()
    shop.facilitator.losesNextSettlement(false)
    const paid = await pay(shop, call, rail, "another description, name and icon")
    expect(paid.status, paid.text).toBe(503)
    await shop.till.reconcile()
    const { calls } = shop.facilitator.settle
    expect(calls.length).toBeGreaterThan(1)
    const verified = shop.facilitator.verify.calls[0]
    for (const sent of calls) expect(sent).toEqual(verified)
    expect(JSON.stringify(verified)).not.toContain("evil")
  })

  it("learns nothing of what a purchase costs or contains", async () => {
    const shop = await openBoth()
    const required = await requiredBy(shop, buy)
    expect(required.accepts[0]!.extra["item"]).toMatch(/tote/i)
    const words = Object.entries(required.accepts[0]!.extra).flatMap(([name, value]) =>
      ["item", "subtotal", "tax", "shipping", "total"].includes(name) ? [value] : []
    )
    expect(words).toHaveLength(5)
    const paid = await pay(shop, buy, rail, "the whole challenge")
    expect(paid.status, paid.text).toBe(200)
    for (const request of requestsOf(shop)) {
      const text = JSON.stringify({ ...request, 0: { ...request[0], extensions: undefined } })
      for (const word of words) expect(text).not.toContain(word)
      expect(text).toContain("Purchase of a product, tax and shipping included")
    }
  })

  it("learns no query, no purchase and no secret", async () => {
    const shop = await openBoth()
    const bought = await pay(shop, vaultBuy, rail, "the whole challenge")
    const { downloadToken, purchaseId } = jsonOf(bought) as Record<string, string>
    const download = downloadOf(purchaseId!, downloadToken!)
    // Not the number of the example, which every listing shows.
    const shipment = { path: "/x402/track?number=EE123456785US" }
    for (const call of [search, shipment, vaultSearch, download]) {
      const paid = await pay(shop, call, rail, "the whole challenge")
      expect(paid.status, paid.text).toBe(200)
    }
    const sent = JSON.stringify(requestsOf(shop))
    for (const secret of ["q=tote", "EE123456785US", purchaseId, downloadToken])
      expect(sent).not.toContain(secret)
    expect(sent).toContain(`"${baseUrl}/x402/vault/download/:purchaseId"`)
  })
})

it("a payment for another path is still refused, whatever the facilitator would read", async () => {
  const shop = await openBoth()
  const required = await requiredBy(shop, search)
  const payment = await payChallenge(required)
  const moved = { ...payment, resource: { url: `${baseUrl}/x402/shop` } } as typeof payment
  const refused = await shop.present(search, headerOf(moved))
  expect([refused.status, refused.text]).toEqual([402, expect.stringContaining("resource_mismatch")])
  expect(requestsOf(shop)).toHaveLength(0)
})

it.each([
  ["version 1 on EVM", 2],
  ["version 2 on EVM", 1]
] as const)(
  "a payment of %s is listed by a facilitator that takes version %i only",
  async (rail, version) => {
    const network = version === 1 ? "base-sepolia" : "eip155:84532"
    const shop = await openBoth({ networks: ["base-sepolia"] }, ({ getSupported, verify }) => {
      getSupported.returns({ kinds: [{ x402Version: version, scheme: "exact", network }] })
      verify.returns((payment: Json) =>
        payment.x402Version === version
          ? { isValid: true }
          : { isValid: false, invalidReason: "invalid_x402_version" }
      )
    })
    const paid = await pay(shop, ask, rail)
    expect(paid.status, paid.text).toBe(200)
    const listing = await listingOf(shop, ask, version)
    for (const sent of [shop.facilitator.verify.calls.at(-1), ...shop.facilitator.settle.calls]) {
      const [payment, requirements] = sent as ReadonlyArray<Json>
      expect(payment.x402Version).toBe(version)
      expect(version === 1 ? requirements : payment).toMatchObject(listing)
    }
  }
)
