import { createHash } from "node:crypto"
import { ListingRejected, type OpenedArchive, type VaultListing } from "@till402/core"
import { describe, expect, it } from "vitest"
import { calls } from "./calls.ts"
import { buyResponse } from "./expectations.ts"
import { pay } from "./payer.ts"
import { vaultItem } from "./samples.ts"
import { openShop, type Shop } from "./till.ts"

const { downloads: _downloads, id: _id, ...listing } = vaultItem

/** The first and the second version of the item's archive, by their digests. */
const versions = ["first", "second"].map((name) => {
  const bytes = Buffer.from(`PK: the ${name} version `.repeat(500))
  return { bytes, facts: { digest: createHash("sha256").update(bytes).digest("hex"), size: bytes.length } }
})
const [first, second] = versions

/** A shop whose files are the versions that were published. */
const openPublished = async (): Promise<Shop> => {
  const open = async ({
    archive
  }: {
    readonly archive?: { readonly digest: string }
  }): Promise<OpenedArchive> => ({
    body: versions.find(({ facts }) => facts.digest === archive?.digest)!.bytes
  })
  const shop = await openShop({ script: { open } })
  await shop.till.vault.publish(listing, first!.facts)
  return shop
}

const buyAndCall = async (shop: Shop) => {
  const bought = (await buyResponse(shop, calls.vaultBuy)) as { purchaseId: string; downloadToken: string }
  return { path: `/x402/vault/download/${bought.purchaseId}?downloadToken=${bought.downloadToken}` }
}

const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())

describe("a published item", () => {
  it("is sold, and its archive opened by digest", async () => {
    const shop = await openPublished()
    const { response } = await pay(shop, await buyAndCall(shop))
    expect(response.headers.get("etag")).toBe(`"${first!.facts.digest}"`)
    expect(await bytesOf(response)).toEqual(first!.bytes)
    const opened = { slug: listing.slug, archive: first!.facts }
    expect(shop.calls.open).toEqual([opened, opened])
  })

  it("is downloaded in its newest version, also by those who bought an older one", async () => {
    const shop = await openPublished()
    const call = await buyAndCall(shop)
    expect(await shop.till.vault.publish(listing, second!.facts)).toMatchObject({
      _tag: "Changed",
      version: 2
    })
    const { response } = await pay(shop, call)
    expect(await bytesOf(response)).toEqual(second!.bytes)
  })

  it("goes on with its version when a download resumes after another one was published", async () => {
    const shop = await openPublished()
    const call = await buyAndCall(shop)
    const paid = await pay(shop, call)
    const etag = paid.response.headers.get("etag")!
    await paid.response.body?.cancel()
    await shop.till.vault.publish(listing, second!.facts)
    const rest = await paid.again({ ...call, headers: { range: "bytes=1000-", "if-range": etag } })
    expect(rest.status).toBe(206)
    expect(await bytesOf(rest)).toEqual(first!.bytes.subarray(1_000))
  })

  it("can be downloaded by its buyers after it was unlisted", async () => {
    const shop = await openPublished()
    const call = await buyAndCall(shop)
    expect(await shop.till.vault.unlist(listing.slug)).toBe(true)
    const { response } = await pay(shop, call)
    expect(await bytesOf(response)).toEqual(first!.bytes)
  })

  it("counts its sales and its downloads", async () => {
    const shop = await openPublished()
    const call = await buyAndCall(shop)
    await pay(shop, call)
    await pay(shop, call)
    expect(await shop.till.vault.sales(listing.slug)).toBe(1)
    const page = await shop.till.vault.list({ q: listing.title })
    expect(page?.items.map(({ downloads, slug }) => [slug, downloads])).toEqual([
      [listing.slug, vaultItem.downloads + 2]
    ])
  })
})

describe("publishing through the till", () => {
  it("is idempotent by slug and digest, and keeps all versions", async () => {
    const shop = await openPublished()
    const again = await shop.till.vault.publish(listing, first!.facts)
    expect(again).toMatchObject({ _tag: "Unchanged", id: vaultItem.id, version: 1 })
    await shop.till.vault.publish(listing, second!.facts)
    const kept = await shop.till.vault.versions(listing.slug)
    expect(kept.map(({ digest, version }) => [version, digest])).toEqual([
      [2, second!.facts.digest],
      [1, first!.facts.digest]
    ])
  })

  it("rejects with every fault at once, and publishes nothing", async () => {
    const shop = await openShop()
    const wrong = { ...listing, slug: "../etc", title: "", price: 0, coverImageUrl: "javascript:alert(1)" }
    const error = await shop.till.vault.publish(wrong, first!.facts).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(ListingRejected)
    expect(String(error)).toMatch(
      /slug must be .*title must not be empty.*price must be .*coverImageUrl must be/s
    )
    expect((await shop.till.vault.list({ q: "etc" }))?.items).toEqual([])
  })

  it.each(["a/b", "a\\b", "..", "a\u0000b", "A", "a--b", `${"a".repeat(101)}`])(
    "refuses the slug %j",
    async (slug) => {
      const shop = await openShop()
      const given: VaultListing = { ...listing, slug }
      await expect(shop.till.vault.publish(given, first!.facts)).rejects.toThrow(/slug must/)
    }
  )
})
