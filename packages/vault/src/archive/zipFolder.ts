import { createWriteStream, type Stats } from "node:fs"
import { lstat, readdir } from "node:fs/promises"
import { join } from "node:path"
import { pipeline } from "node:stream/promises"
import { ZipFile } from "yazl"
import { comparableName, nameFault } from "./entryName.ts"
import { privateFault, privatePart } from "./privateName.ts"
import type { ArchiveFault, ArchiveRules } from "./ZipLimits.ts"

/** The time of every file, in local time, as ZIP stores it: archives are the same in every time zone. */
const modified = (): Date => new Date(2000, 0, 1, 12)

interface FoundFile {
  readonly name: string
  readonly path: string
  readonly isExecutable: boolean
}

const fileFault = (found: Stats, name: string): string | undefined => {
  if (found.isSymbolicLink()) return "is a link"
  return found.isFile() ? nameFault(name) : "is a special file"
}

/**
 * The files of a folder by their names in the archive, sorted by code units. Links, special files and private names are
 * faults.
 */
const filesOf = async (folder: string, rules: ArchiveRules, faults: Array<ArchiveFault>) => {
  const files: Array<FoundFile> = []
  const names = new Set<string>()
  let bytes = 0
  const visit = async (inside: string): Promise<void> => {
    for (const entry of await readdir(join(folder, inside))) {
      const name = inside === "" ? entry : `${inside}/${entry}`
      const path = join(folder, name)
      const found = await lstat(path)
      if (files.length > rules.maxEntries) return
      const withheld = privatePart(name, rules.allow)
      if (withheld !== undefined) {
        faults.push(privateFault(withheld))
        continue
      }
      if (found.isDirectory()) {
        await visit(name)
        continue
      }
      const fault =
        fileFault(found, name) ?? (names.has(comparableName(name)) ? "occurs twice, but for case" : undefined)
      if (fault !== undefined) faults.push({ path: name, message: fault })
      names.add(comparableName(name))
      files.push({ name, path, isExecutable: (found.mode & 0o100) !== 0 })
      bytes += found.size
    }
  }
  await visit("")
  if (files.length === 0 && faults.length === 0) faults.push({ path: "", message: "has no files" })
  if (files.length > rules.maxEntries)
    faults.push({ path: "", message: `has more than ${rules.maxEntries} entries` })
  if (bytes > rules.maxUnpackedBytes)
    faults.push({ path: "", message: `unpacks to more than ${rules.maxUnpackedBytes} bytes` })
  return files.toSorted((left, right) => (left.name < right.name ? -1 : 1))
}

/**
 * Writes the files of a folder to a ZIP archive at `target`, unless they have faults, which it returns. The same files
 * give the same bytes: names are sorted, times are fixed, and of rights only "executable" counts. Another version of
 * zlib, which comes with Node, may compress differently. Empty folders are left out.
 */
export const zipFolder = async (
  folder: string,
  target: string,
  rules: ArchiveRules
): Promise<ReadonlyArray<ArchiveFault>> => {
  const faults: Array<ArchiveFault> = []
  const files = await filesOf(folder, rules, faults)
  if (faults.length > 0) return faults
  const mtime = modified()
  const zip = new ZipFile()
  const written = pipeline(zip.outputStream, createWriteStream(target, { flags: "wx", mode: 0o600 }))
  const failed = new Promise<never>((_, reject) => zip.on("error", reject))
  for (const { isExecutable, name, path } of files)
    zip.addFile(path, name, {
      mtime,
      mode: isExecutable ? 0o100755 : 0o100644,
      forceDosTimestamp: true,
      compressionLevel: 9
    })
  zip.end()
  await Promise.race([written, failed])
  return []
}
