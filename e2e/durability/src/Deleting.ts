import { copyFile, rm } from "node:fs/promises"
import { existsSync } from "node:fs"
import type { Fleet } from "./Fleet.ts"
import type { Randomness } from "./Randomness.ts"

/** Maximum time for which a server runs without its file. */
const withoutFileMillis = 1_500

/** SQLite's log of recent commits. */
const logOf = (filename: string): string => `${filename}-wal`
const copyOf = (filename: string): string => `${filename}.copy`

const copyIfThere = async (from: string, to: string): Promise<void> => {
  await rm(to, { force: true })
  if (existsSync(from)) await copyFile(from, to)
}

/**
 * Deletes the SQLite file under its running server, for a random time. Then the server is killed, and its successor gets
 * the file as it was at the deletion, like a host's copy of its disk: what was sold since would be lost.
 */
export const deleteOnce = async (
  fleet: Fleet,
  filename: string,
  randomness: Randomness
): Promise<"deletion"> => {
  const files = [filename, logOf(filename)]
  await new Promise((resolve) => setTimeout(resolve, randomness.between(50, 400)))
  await fleet.endure(
    async () => {
      for (const file of files) await copyIfThere(file, copyOf(file))
      for (const file of [...files, `${filename}-shm`]) await rm(file, { force: true })
    },
    randomness.between(100, withoutFileMillis),
    async () => {
      // The server may have made a new file by this name.
      await rm(`${filename}-shm`, { force: true })
      for (const file of files) {
        await rm(file, { force: true })
        await copyIfThere(copyOf(file), file)
      }
    }
  )
  return "deletion"
}
