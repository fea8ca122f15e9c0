import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { VaultItems } from "@till402/core/effect"
import { sqlite } from "@till402/core/sqlite"
import { Effect } from "effect"
import { beforeAll, describe, expect, it, onTestFinished, vi } from "vitest"
import { keepThreads } from "../../core/test/stores/sqlite/keptThreads.ts"
import { key, region, startFakeS3 } from "../../vault/test/fakeS3.ts"
import { listing, temporaryFolder, writeFiles } from "../../vault/test/folders.ts"
import * as world from "./world.ts"

keepThreads()

/** A shop's empty database. */
let emptyDatabase: Buffer
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), "till402-vault-"))
  const database = join(folder, "till.sqlite")
  // A till migrates the database at its start.
  await Effect.runPromise(Effect.provide(Effect.asVoid(VaultItems), sqlite({ filename: database })))
  // Closed, it has no other file.
  expect(readdirSync(folder)).toEqual(["till.sqlite"])
  emptyDatabase = readFileSync(database)
  rmSync(folder, { recursive: true })
})

/** A shop's database and folder, and the command over them. */
const openShop = () => {
  const folder = temporaryFolder()
  const database = join(folder, "till.sqlite")
  writeFileSync(database, emptyDatabase)
  const till402 = async (...args: ReadonlyArray<string>) => {
    const environment = { TILL_DATABASE: database, TILL_FILES: join(folder, "files") }
    const { code, noted, printed } = await world.till402(args, environment)
    const lines = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split("\n"))
    return { code, printed: lines(printed), complained: lines(noted) }
  }
  return { database, folder, till402 }
}

const goods = (slug: string, overrides: object = {}) => ({
  [`${slug}/README.md`]: `# ${slug}`,
  [`${slug}.json`]: JSON.stringify({ ...listing, slug, title: `The ${slug}`, ...overrides })
})

describe("till402 vault", () => {
  it("publishes, lists, changes and unpublishes an item", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), goods("first"))
    const source = join(sources, "first")
    const added = await till402("vault", "publish", source)
    expect(added).toMatchObject({ code: 0, complained: [] })
    expect(added.printed).toEqual([
      expect.stringMatching(/^added {6}first {2}version 1 {2}\d+ bytes {2}[0-9a-f]{64}$/),
      "           README.md  7 bytes"
    ])
    expect((await till402("vault", "publish", `${source}/`)).printed.join()).toMatch(
      /^unchanged {2}first {2}version 1/
    )
    writeFiles(sources, goods("first", { price: 20 }))
    expect((await till402("vault", "publish", source)).printed.join()).toMatch(
      /^changed {4}first {2}version 1/
    )
    expect((await till402("vault", "list")).printed).toEqual(["first  $20  0 sold  0 downloads  The first"])
    expect((await till402("vault", "unpublish", "first")).printed).toEqual(["unlisted  first"])
    expect((await till402("vault", "list")).printed).toEqual([])
    expect(await till402("vault", "unpublish", "first")).toMatchObject({
      code: 1,
      complained: ["no item of the slug first is listed"]
    })
  })

  it("publishes keywords, by which the item is found", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), goods("first", { keywords: ["synonym"] }))
    expect(await till402("vault", "publish", join(sources, "first"))).toMatchObject({ code: 0 })
    const { printed } = await till402("vault", "list", "--query", "synonym", "--json")
    expect(printed.map((line) => (JSON.parse(line) as { keywords?: unknown }).keywords)).toEqual([
      ["synonym"]
    ])
  })

  it("publishes with a manifest from elsewhere, and prints JSON", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), goods("first"))
    renameSync(join(sources, "first.json"), join(sources, "other.json"))
    const { code, printed } = await till402(
      "vault",
      "publish",
      join(sources, "first"),
      "--manifest",
      join(sources, "other.json"),
      "--json"
    )
    expect(code).toBe(0)
    expect(JSON.parse(printed.join())).toMatchObject({
      _tag: "Added",
      slug: "first",
      version: 1,
      files: [{ path: "README.md", size: 7 }]
    })
    const listed = await till402("vault", "list", "--json", "--query", "first")
    expect(JSON.parse(listed.printed.join())).toMatchObject({
      slug: "first",
      price: 9,
      sales: 0,
      downloads: 0
    })
  })

  it("imports a folder of items", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), {
      ...goods("first"),
      ...goods("second"),
      ...goods("third")
    })
    expect((await till402("vault", "import", sources)).code).toBe(0)
    const slugs = (await till402("vault", "list")).printed.map((line) => line.split(" ")[0])
    expect(slugs).toEqual(["first", "second", "third"])
    const again = await till402("vault", "import", sources)
    expect(again.printed.every((line) => line.startsWith("unchanged"))).toBe(true)
  })

  it("imports nothing if one item has a fault, and names every fault of every item", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), {
      ...goods("first"),
      ...goods("second", { price: -1, title: "" }),
      "third.json": "{",
      "fourth.json": JSON.stringify({ ...listing, slug: "fourth" }),
      ...goods("fifth", { slug: "first" })
    })
    const { code, complained } = await till402("vault", "import", sources)
    expect(code).toBe(1)
    const faults = complained.map((line) => line.replace(`${sources}/`, ""))
    expect(faults).toEqual([
      "first.json: slug first is also that of FOLDER/fifth.json".replace("FOLDER", sources),
      "fourth.json: source must be a folder or a ZIP archive that exists",
      "second.json: title must not be empty",
      "second.json: price must be whole dollars between 1 and 100000",
      expect.stringMatching(/^the manifest|third\.json: the manifest .* is not JSON/),
      "4 of 5 can't be published; nothing was published"
    ])
    expect((await till402("vault", "list")).printed).toEqual([])
  })

  it("sells private files only if the seller allows them by name", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), {
      ...goods("first"),
      "first/.env": "KEY=1",
      "first/.env.example": "KEY="
    })
    const source = join(sources, "first")
    const refused = await till402("vault", "publish", source)
    expect([refused.code, refused.complained]).toEqual([
      1,
      [
        expect.stringContaining(
          'source/.env is private by its name: leave it out, or allow it (--allow ".env")'
        ),
        "1 of 1 can't be published; nothing was published"
      ]
    ])
    expect((await till402("vault", "list")).printed).toEqual([])
    const allowed = await till402("vault", "publish", source, "--allow", ".env")
    expect([allowed.code, allowed.printed.slice(1).map((line) => line.trim())]).toEqual([
      0,
      [".env  5 bytes", ".env.example  4 bytes", "README.md  7 bytes"]
    ])
  })

  it("publishes to a bucket, whose key is in the environment", async () => {
    const { till402 } = openShop()
    const { objects, stop, url } = await startFakeS3()
    onTestFinished(stop)
    const sources = writeFiles(temporaryFolder(), goods("first"))
    const publish = () => till402("vault", "publish", join(sources, "first"), "--files", url)
    expect((await publish()).complained).toEqual([
      "a bucket needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
    ])
    vi.stubEnv("AWS_ACCESS_KEY_ID", key.accessKeyId)
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", key.secretAccessKey)
    vi.stubEnv("AWS_REGION", region)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await publish()).complained).toEqual([])
    expect(objects.size).toBe(1)
  })

  it("refuses a database that doesn't exist, so that a mistyped path is no new shop", async () => {
    const { folder, till402 } = openShop()
    const { code, complained } = await till402("vault", "list", "--database", join(folder, "tlil.sqlite"))
    expect([code, complained.join()]).toEqual([1, expect.stringContaining("doesn't exist")])
  })

  it.each([
    [["vault", "sell"], 'Unknown subcommand "sell"'],
    [["vault", "publish"], "Missing required argument: SOURCE"],
    [["vault", "unpublish", "a", "b"], "Unexpected"],
    [["vault", "list", "--manifest", "x"], "--manifest"],
    [["vault", "list", "--allow", ".env"], "--allow"],
    [["vault", "list", "--nope"], "--nope"]
  ])("refuses %j, and lists what there is", async (args, fault) => {
    const { till402 } = openShop()
    const { code, complained, printed } = await till402(...args)
    expect([code, printed, complained[0]]).toEqual([2, [], expect.stringContaining(fault)])
    expect(complained.join("\n")).toContain("USAGE")
  })

  it("needs a database, and a place for files", async () => {
    const { database } = openShop()
    expect(await world.till402(["vault", "list"])).toMatchObject({
      code: 2,
      noted: expect.stringContaining("--database is missing, and TILL_DATABASE isn't set")
    })
    expect(await world.till402(["vault", "publish", "x", "--database", database])).toMatchObject({
      code: 2,
      noted: expect.stringContaining("--files is missing, and TILL_FILES isn't set")
    })
  })

  it("finds the manifest beside a folder that is given as a point", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), { "a/file": "x" })
    const { complained } = await till402("vault", "publish", `${join(sources, "a")}/.`)
    expect(complained[0]).toContain(`the manifest ${join(sources, "a.json")} doesn't exist`)
  })

  it("reads no manifest that is a folder or too large", async () => {
    const { till402 } = openShop()
    const sources = writeFiles(temporaryFolder(), { "a/file": "x", "b/file": "x" })
    mkdirSync(join(sources, "a.json"))
    writeFileSync(join(sources, "b.json"), " ".repeat(200_000))
    const complaints = [
      await till402("vault", "publish", join(sources, "a")),
      await till402("vault", "publish", join(sources, "b"))
    ].map(({ complained }) => complained[0])
    expect(complaints).toEqual([
      expect.stringContaining("doesn't exist"),
      expect.stringContaining("is too large")
    ])
  })
})
