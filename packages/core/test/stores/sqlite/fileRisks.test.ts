import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect, it, onTestFinished } from "vitest"
import { StorageRisks } from "../../../src/ports/StorageMarks.ts"
import { sqlite } from "../../../src/sqlite.ts"
import { type Place, placeRisks } from "../../../src/stores/sqlite/fileRisks.ts"

const ext4 = 0xef53
const overlay = 0x794c7630
const on = (fileSystem: number, device = 1): Place => ({ fileSystem, device })
const problemsOf = (...places: Parameters<typeof placeRisks>) =>
  placeRisks(...places).map(({ problem }) => problem)

it.each([
  ["tmpfs", 0x01021994, /in memory \(tmpfs\): a restart/],
  ["a container", overlay, /in the container itself \(overlay\): a new container/],
  ["NFS", 0x6969, /network file system/],
  ["CIFS", 0xff534d42, /network file system/],
  ["SMB 2", 0xfe534d42, /network file system/]
])("a file on %s can be lost", (_, fileSystem, problem) => {
  expect(problemsOf(on(fileSystem), on(fileSystem))).toEqual([expect.stringMatching(problem)])
})

it.each([
  ["ext4", ext4],
  ["XFS", 0x58465342],
  ["btrfs", 0x9123683e],
  ["ZFS", 0x2fc12fc1],
  ["FUSE, as Docker's volumes on other systems", 0x65735546],
  ["APFS", 0x1a],
  ["Windows", 0]
])("a file on %s can't", (_, fileSystem) => {
  expect(problemsOf(on(fileSystem), on(fileSystem))).toEqual([])
})

it("a file that is mounted without its folder can be lost, and not one of an overlay, which numbers files by themselves", () => {
  const alone = [expect.stringMatching(/mounted without its folder: its log, the -wal beside it/)]
  expect(problemsOf(on(ext4, 2), on(overlay))).toEqual(alone)
  expect(problemsOf(on(ext4, 2), on(ext4))).toEqual(alone)
  expect(problemsOf(on(overlay, 2), on(overlay))).toEqual([expect.stringContaining("overlay")])
})

const shared = "/dev/shm"

it.runIf(existsSync(shared))("a storage knows of the file that it has opened", async () => {
  const folder = mkdtempSync(join(shared, "till402-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const risksOf = (filename: string) =>
    Effect.runPromise(Effect.provide(StorageRisks, sqlite({ filename }))).then((risks) =>
      risks.map(({ problem }) => problem)
    )
  const filename = join(folder, "till.sqlite")
  expect(await risksOf(filename)).toEqual([expect.stringContaining("(tmpfs)")])
  writeFileSync(join(folder, "empty.sqlite"), "")
  expect(await risksOf(join(folder, "empty.sqlite"))).toEqual([expect.stringContaining("(tmpfs)")])
  expect(await risksOf(`file:${filename}`)).toEqual([])
  expect(await risksOf(":memory:")).toEqual([expect.stringContaining("Charges are in memory")])
})
