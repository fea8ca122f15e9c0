import { stat } from "node:fs/promises"
import { type Entry, getFileNameLowLevel, openPromise, type ZipFile } from "yauzl"
import { comparableName, nameFault } from "./entryName.ts"
import type { ArchiveFault, ZipLimits } from "./ZipLimits.ts"

/** More faults than anybody reads: the rest is left out. */
const maxFaults = 50

const typeMask = 0o170000
const link = 0o120000
const plainTypes = [0, 0o100000, 0o040000]
/** The kind of file that Unix tools would make of an entry. */
const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & typeMask

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The faults of one entry's description, without its bytes. */
const headerFaults = (entry: Entry, name: string): ReadonlyArray<string> => {
  const inName = nameFault(name)
  const type = typeOf(entry)
  const isEncrypted = entry.isEncrypted()
  return [
    ...(inName === undefined ? [] : [inName]),
    ...(type === link ? ["is a link"] : []),
    ...(type === link || plainTypes.includes(type) ? [] : ["is a special file"]),
    ...(isEncrypted ? ["is encrypted"] : []),
    ...(isEncrypted || entry.canDecodeFileData() ? [] : ["is compressed in a way that few programs read"])
  ]
}

/** Unpacks an entry without keeping it: its bytes must be as many as it says. */
const readEntry = async (zip: ZipFile, entry: Entry): Promise<string | undefined> => {
  try {
    let length = 0
    for await (const chunk of await zip.openReadStreamPromise(entry)) length += chunk.length
    return length === entry.uncompressedSize ? undefined : "has another size than it says"
  } catch (cause) {
    return `can't be unpacked: ${messageOf(cause)}`
  }
}

const inspectEntries = async (
  zip: ZipFile,
  { maxUnpackedBytes }: ZipLimits,
  faults: Array<ArchiveFault>
): Promise<void> => {
  const names = new Set<string>()
  let unpacked = 0
  let files = 0
  for await (const entry of zip.eachEntry()) {
    const { extraFields, fileNameRaw, generalPurposeBitFlag, uncompressedSize } = entry
    const name = getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, true)
    const found = Array.from(headerFaults(entry, name))
    const comparable = comparableName(name)
    if (names.has(comparable)) found.push("occurs twice")
    names.add(comparable)
    unpacked += uncompressedSize
    if (unpacked > maxUnpackedBytes) {
      faults.push({ path: "", message: `unpacks to more than ${maxUnpackedBytes} bytes` })
      return
    }
    // yauzl stops where an entry has more bytes than it says, so the limit holds for the bytes too.
    const unread = found.length === 0 ? await readEntry(zip, entry) : undefined
    if (unread !== undefined) found.push(unread)
    if (!name.endsWith("/")) files++
    for (const message of found) faults.push({ path: name, message })
    if (faults.length >= maxFaults) return
  }
  if (files === 0) faults.push({ path: "", message: "has no files" })
}

/**
 * Checks that a ZIP archive can be sold: names that stay inside of the folder it's unpacked in, no links, no special or
 * encrypted files, no name twice, bounded entries and sizes, and bytes that unpack to what they say. Returns its faults,
 * none if it's sound. Unpacks every file once, keeping none.
 */
export const inspectZip = async (path: string, limits: ZipLimits): Promise<ReadonlyArray<ArchiveFault>> => {
  const { size } = await stat(path)
  if (size > limits.maxArchiveBytes)
    return [{ path: "", message: `has more than ${limits.maxArchiveBytes} bytes` }]
  const faults: Array<ArchiveFault> = []
  let zip: ZipFile | undefined
  try {
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false })
    if (zip.entryCount > limits.maxEntries)
      return [{ path: "", message: `has more than ${limits.maxEntries} entries` }]
    await inspectEntries(zip, limits, faults)
  } catch (cause) {
    faults.push({ path: "", message: `is not a sound ZIP archive: ${messageOf(cause)}` })
  } finally {
    zip?.close()
  }
  return faults
}
