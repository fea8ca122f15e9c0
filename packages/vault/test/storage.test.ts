import { createHash } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { ArchiveMismatch, folderStorage, memoryStorage } from "@till402/vault"
import { storageTests } from "@till402/vault/testing"
import { temporaryFolder } from "./folders.ts"

const shared = mkdtempSync(join(tmpdir(), "till402-storage-"))
afterAll(() => rmSync(shared, { recursive: true, force: true }))

describe.each([
  ["memoryStorage", memoryStorage()],
  ["folderStorage", folderStorage(shared)]
])("%s", (_, storage) => {
  it.each(storageTests(() => storage))("$name", ({ run }) => run())
})

const bytes = Buffer.from("the bytes of an archive")
const digest = createHash("sha256").update(bytes).digest("hex")
const archive = { digest, size: bytes.length }
const read = async function* () {
  yield bytes
}

describe("a folder of archives", () => {
  it("has each under its digest, readable by its owner alone, and nothing else", async () => {
    const folder = temporaryFolder()
    await folderStorage(folder).put(archive, read)
    expect(readdirSync(folder, { recursive: true })).toEqual([
      digest.slice(0, 2),
      join(digest.slice(0, 2), `${digest}.zip`)
    ])
    const path = join(folder, digest.slice(0, 2), `${digest}.zip`)
    expect(readFileSync(path)).toEqual(bytes)
    expect(statSync(path).mode & 0o077).toBe(0)
  })

  it("is not changed by an archive that is refused", async () => {
    const folder = temporaryFolder()
    const refused = folderStorage(folder).put({ ...archive, size: 3 }, read)
    await expect(refused).rejects.toThrow(ArchiveMismatch)
    expect(readdirSync(folder, { recursive: true })).toEqual([digest.slice(0, 2)])
  })

  it("replaces what a crash or a hand left under the name, a link included, without following it", async () => {
    const folder = temporaryFolder()
    const storage = folderStorage(folder)
    await storage.put(archive, read)
    const path = join(folder, digest.slice(0, 2), `${digest}.zip`)
    const outside = join(temporaryFolder(), "outside")
    writeFileSync(outside, bytes)
    rmSync(path)
    symlinkSync(outside, path)
    expect(await storage.find(archive)).toBe(false)
    await storage.put(archive, read)
    expect(await storage.find(archive)).toBe(true)
    writeFileSync(path, "short")
    expect(await storage.find(archive)).toBe(false)
    await storage.put(archive, read)
    expect(readFileSync(path)).toEqual(bytes)
    expect(readFileSync(outside)).toEqual(bytes)
  })
})
