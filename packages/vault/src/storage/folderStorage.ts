import { randomUUID } from "node:crypto"
import { lstat, mkdir, open, rename, rm } from "node:fs/promises"
import { dirname, join } from "node:path"
import type { ArchiveFacts } from "@till402/core"
import { type ArchiveStorage, checked, digestOf } from "./ArchiveStorage.ts"
import { fileStream } from "./fileStream.ts"

/** Makes the entries of a folder durable. Windows has no such call, and needs none. */
const syncFolder = async (path: string): Promise<void> => {
  if (process.platform === "win32") return
  const handle = await open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const statOf = (path: string) =>
  lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === "ENOENT") return undefined
    throw cause
  })

/**
 * Stores archives in a folder, which it creates: `<folder>/ab/<digest>.zip`. A file appears under its name only once it
 * is whole and on disk; what a crash leaves behind begins with `.incoming-`. Names are made of digests alone, so no slug
 * or file name reaches a path.
 *
 * @example
 * const storage = folderStorage("/srv/vault")
 */
export const folderStorage = (folder: string): ArchiveStorage => {
  const pathOf = (archive: ArchiveFacts): string => {
    const digest = digestOf(archive)
    return join(folder, digest.slice(0, 2), `${digest}.zip`)
  }
  const find = async (archive: ArchiveFacts): Promise<boolean> => {
    const found = await statOf(pathOf(archive))
    return found?.isFile() === true && found.size === archive.size
  }
  return {
    find,
    put: async (archive, read) => {
      const path = pathOf(archive)
      if (await find(archive)) return
      await mkdir(dirname(path), { recursive: true })
      const incoming = join(folder, `.incoming-${randomUUID()}`)
      try {
        const handle = await open(incoming, "wx", 0o600)
        try {
          await handle.writeFile(checked(read(), archive))
          await handle.sync()
        } finally {
          await handle.close()
        }
        await rename(incoming, path)
      } catch (cause) {
        await rm(incoming, { force: true })
        throw cause
      }
      await syncFolder(dirname(path))
      await syncFolder(folder)
    },
    open: (archive, start, end) => fileStream(pathOf(archive), start, end)
  }
}
