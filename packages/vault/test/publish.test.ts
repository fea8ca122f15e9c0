import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { type ArchiveFacts, ListingRejected, StoreError, type VaultListing } from "@till402/core"
import { VaultItems, VaultOperator, VaultPurchases } from "@till402/core/effect"
import { Effect, Layer, ManagedRuntime } from "effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { type ArchiveStorage, folderStorage, memoryStorage, publish, vaultOver } from "@till402/vault"
import { listing, temporaryFolder, writeFiles } from "./folders.ts"

/** A vault in memory, as a till has it. */
const openVault = () => {
  const runtime = ManagedRuntime.make(
    VaultOperator.layer.pipe(Layer.provide([VaultItems.layerMemory, VaultPurchases.layerMemory]))
  )
  onTestFinished(() => runtime.dispose())
  const use = <A, E>(run: (vault: VaultOperator["Service"]) => Effect.Effect<A, E>): Promise<A> =>
    runtime.runPromise(VaultOperator.use(run))
  return {
    publish: (given: VaultListing, archive: ArchiveFacts) => use((vault) => vault.publish(given, archive)),
    versions: (slug: string) => use((vault) => vault.versions(slug)),
    slugs: async () => (await use((vault) => vault.list({})))?.items.map(({ slug }) => slug)
  }
}

const files = { "SKILL.md": "# Review", "checklist/steps.md": "1. Read it" }
const goods = () => writeFiles(temporaryFolder(), files)

describe("publish", () => {
  it("stores a folder and lists its item", async () => {
    const vault = openVault()
    const storage = memoryStorage()
    const published = await publish(vault, storage, { source: goods(), listing })
    expect(published).toMatchObject({
      _tag: "Added",
      slug: listing.slug,
      version: 1,
      files: [
        { path: "SKILL.md", size: 8 },
        { path: "checklist/steps.md", size: 10 }
      ]
    })
    expect(await storage.find(published.archive)).toBe(true)
    expect(await vault.slugs()).toEqual([listing.slug])
  })

  it("changes nothing for the same folder and listing, wherever the folder is", async () => {
    const vault = openVault()
    const storage = memoryStorage()
    const first = await publish(vault, storage, { source: goods(), listing })
    const again = await publish(vault, storage, { source: goods(), listing })
    expect(again).toEqual({ ...first, _tag: "Unchanged" })
  })

  it("adds a version for other files, and none for another price", async () => {
    const vault = openVault()
    const storage = memoryStorage()
    const source = goods()
    const first = await publish(vault, storage, { source, listing })
    await publish(vault, storage, { source, listing: { ...listing, price: 12 } })
    writeFiles(source, { "SKILL.md": "# Review, second edition" })
    const second = await publish(vault, storage, { source, listing: { ...listing, price: 12 } })
    expect(second).toMatchObject({ _tag: "Changed", version: 2 })
    expect((await vault.versions(listing.slug)).map(({ digest }) => digest)).toEqual([
      second.archive.digest,
      first.archive.digest
    ])
    expect(await storage.find(first.archive)).toBe(true)
  })

  it("reports the faults of listing and archive at once, and leaves nothing behind", async () => {
    const vault = openVault()
    const folder = temporaryFolder()
    const keywords = ["", "y".repeat(51)]
    const wrong = { ...listing, slug: "../up", price: 0, creator: { name: "" }, extra: true, keywords }
    const work = publish(vault, folderStorage(folder), { source: temporaryFolder(), listing: wrong })
    const error = await work.catch((cause: unknown) => cause)
    if (!(error instanceof ListingRejected)) throw error
    expect(error.issues.map(({ path }) => path).toSorted()).toEqual([
      "creator.name",
      "creator.type",
      "extra",
      "keywords.0",
      "keywords.1",
      "price",
      "slug",
      "source"
    ])
    const many = { ...listing, keywords: Array.from({ length: 21 }, () => "word") }
    const refused = publish(vault, folderStorage(folder), { source: goods(), listing: many })
    await expect(refused).rejects.toThrow("keywords must be at most 20")
    expect(await vault.slugs()).toEqual([])
    expect(readdirSync(folder)).toEqual([])
  })

  it.each([
    ["a file that isn't ZIP", () => join(writeFiles(temporaryFolder(), { "a.zip": "text" }), "a.zip")],
    ["nothing", () => join(temporaryFolder(), "missing")]
  ])("refuses %s", async (_, source) => {
    const work = publish(openVault(), memoryStorage(), { source: source(), listing })
    await expect(work).rejects.toThrow(ListingRejected)
  })

  it("lists nothing whose archive could not be stored", async () => {
    const vault = openVault()
    const storage: ArchiveStorage = {
      ...memoryStorage(),
      put: () => Promise.reject(new Error("the disk is full"))
    }
    await expect(publish(vault, storage, { source: goods(), listing })).rejects.toThrow("the disk is full")
    expect(await vault.slugs()).toEqual([])
  })

  it("continues after a failure between storing and listing", async () => {
    const vault = openVault()
    const storage = memoryStorage()
    const lost = {
      publish: () => Promise.reject(new StoreError({ operation: "vaultItems.publish", cause: "gone" }))
    }
    await expect(publish(lost, storage, { source: goods(), listing })).rejects.toThrow(StoreError)
    expect(await vault.slugs()).toEqual([])
    expect(await publish(vault, storage, { source: goods(), listing })).toMatchObject({ _tag: "Added" })
  })
})

describe("a vault over a storage", () => {
  const context = { signal: new AbortController().signal }

  it("opens what was published, whole and from a place", async () => {
    const folder = temporaryFolder()
    const storage = folderStorage(folder)
    const { archive } = await publish(openVault(), storage, { source: goods(), listing })
    const { digest, size } = archive
    const file = readFileSync(join(folder, digest.slice(0, 2), `${digest}.zip`))
    const opened = await vaultOver(storage).open({ slug: listing.slug, archive }, context)
    expect(opened).toMatchObject({ digest, size })
    if (!("range" in opened)) throw new Error("expected a stream")
    const textOf = async (body: BodyInit) => Buffer.from(await new Response(body).arrayBuffer())
    expect(await textOf(opened.range!(10, 20))).toEqual(file.subarray(10, 20))
    expect(await textOf(opened.range!(0, size))).toEqual(file)
  })

  it.each([
    ["was put without an archive", {}],
    ["isn't in the storage", { archive: { digest: "a".repeat(64), size: 3 } }]
  ])("fails before money moves where the file %s", async (_, given) => {
    const opening = vaultOver(memoryStorage()).open({ slug: "item", ...given }, context)
    await expect(opening).rejects.toMatchObject({ _tag: "UpstreamFailed", port: "vault" })
  })
})
