import { realpath, stat, statfs } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { Effect } from "effect"
import { storageRisk } from "../../ports/StorageMarks.ts"
import type { Risk } from "../../runtime/secondsRisk.ts"

/*
 * Where the file of a database is, as far as that can lose it. SQLite writes into a second file beside it, its log.
 */

const overlay = 0x794c7630

const inTmpfs = storageRisk(
  "The SQLite file is in memory (tmpfs): a restart of the machine or container loses what was paid for",
  "Give a path on a disk"
)
const inContainer = storageRisk(
  "The SQLite file is in the container itself (overlay): a new container, as of each release, has lost what was paid for",
  "Give a path in a volume"
)
const onNetwork = storageRisk(
  "The SQLite file is on a network file system (NFS or SMB), where two machines that use it break it",
  "Give a path on a disk of this machine, or use postgres"
)

/** By their numbers on Linux; elsewhere none has one of these. */
const ofFileSystems: ReadonlyMap<number, Risk> = new Map([
  [0x01021994, inTmpfs],
  [overlay, inContainer],
  [0x6969, onNetwork],
  [0x517b, onNetwork],
  [0xfe534d42, onNetwork],
  [0xff534d42, onNetwork]
])

const mountedAlone = storageRisk(
  "The SQLite file is mounted without its folder: its log, the -wal beside it, stays in the container and is lost with it",
  "Mount the folder"
)

/** What is known of a file, or of the folder in which it is. */
export interface Place {
  /** The number of its file system. */
  readonly fileSystem: number
  readonly device: number
}

/** How a file can be lost where it is. Pure. */
export const placeRisks = (file: Place, folder: Place): ReadonlyArray<Risk> => {
  // In an overlay, a file may have another device than its folder.
  if (file.fileSystem !== overlay && file.device !== folder.device) return [mountedAlone]
  const risk = ofFileSystems.get(folder.fileSystem)
  return risk === undefined ? [] : [risk]
}

const placeOf = async (path: string): Promise<Place> => ({
  fileSystem: (await statfs(path)).type,
  device: (await stat(path)).dev
})

/** How the file at a path can be lost where it is; nothing where the file system doesn't say. */
export const fileRisks = (path: string): Effect.Effect<ReadonlyArray<Risk>> =>
  Effect.promise(async () => {
    try {
      const file = await realpath(resolve(path))
      return placeRisks(await placeOf(file), await placeOf(dirname(file)))
    } catch {
      // SQLite itself says why it can't open a file.
      return []
    }
  })
