import { type FileHandle, open } from "node:fs/promises"
import { type Entry, openPromise, type ZipFile } from "yauzl"
import { checkData } from "./entryData.ts"
import { comparableName, isSameName, nameFault } from "./entryName.ts"
import { isUncommon, localDifferences, mayBeLink, namesOf } from "./localHeader.ts"
import { privateContent } from "./privateContent.ts"
import { isAllowed, privateFault, privatePart } from "./privateName.ts"
import { layoutFault, type Place, placeOf } from "./zipLayout.ts"
import type { ArchiveFault, ArchiveFile, ArchiveRules } from "./ZipLimits.ts"

/** More faults than anybody reads: the rest is left out. */
const maxFaults = 50

const typeMask = 0o170000
const link = 0o120000
const folder = 0o040000
const file = 0o100000
const plainTypes = [0, file, folder]
/** The attribute by which DOS and Windows know a folder. */
const dosFolder = 0x10
/** The newest version that an archive needs which every program reads: compression by LZMA has it. */
const newestVersion = 63
/** The kind of file that Unix tools would make of an entry. */
const typeOf = ({ externalFileAttributes }: Entry): number => (externalFileAttributes >>> 16) & typeMask

const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** The faults of one entry's description, without its bytes. `plain`: its name without the extra field in Unicode. */
const headerFaults = (entry: Entry, name: string, plain: string): ReadonlyArray<string> => {
  const inName = nameFault(name) ?? nameFault(plain)
  const type = typeOf(entry)
  const isEncrypted = entry.isEncrypted()
  const isFolder = name.endsWith("/")
  const isElsewhereFolder = type === folder || (entry.externalFileAttributes & dosFolder) !== 0
  const isOther = isFolder ? type === file : isElsewhereFolder
  const isOdd = isUncommon(entry) || (entry.versionNeededToExtract & 0xff) > newestVersion
  return [
    ...(inName === undefined ? [] : [inName]),
    ...(type === link || mayBeLink(entry) ? ["is a link"] : []),
    ...(type === link || plainTypes.includes(type) ? [] : ["is a special file"]),
    ...(isSameName(name, plain) ? [] : [`has another name without Unicode: ${JSON.stringify(plain)}`]),
    ...(isOther ? ["is a folder to some programs and a file to others"] : []),
    ...(isFolder && entry.uncompressedSize > 0 ? ["is a folder with bytes of its own"] : []),
    ...(isEncrypted ? ["is encrypted"] : []),
    ...(isEncrypted || (entry.canDecodeFileData() && !isOdd)
      ? []
      : ["is written in a way that few programs read"])
  ]
}

interface Archive {
  readonly file: FileHandle
  readonly zip: ZipFile
}

/** Where an entry is; a text: what is wrong there. */
const locate = async ({ file, zip }: Archive, entry: Entry, name: string): Promise<Place | string> => {
  try {
    const header = await zip.readLocalFileHeaderPromise(entry)
    const differences = localDifferences(entry, header)
    if (differences.length > 0) return `differs in its local header: ${differences.join(", ")}`
    return (await placeOf(file, entry, header, name)) ?? "has other sizes after its data"
  } catch (cause) {
    return `has no sound local header: ${messageOf(cause)}`
  }
}

/** What is wrong with the bytes of a file. */
const contentFault = async (
  { zip }: Archive,
  entry: Entry,
  name: string,
  allow: ReadonlyArray<string>
): Promise<ReadonlyArray<string>> => {
  try {
    const { bytes, isOfTill } = await checkData(zip, entry)
    const why = isOfTill ? "is the database of a till" : privateContent(name, bytes)
    return why === undefined || isAllowed(name, allow) ? [] : [privateFault(name, why).message]
  } catch (cause) {
    return [`can't be unpacked: ${messageOf(cause)}`]
  }
}

/** The names of an archive's entries, as file systems compare them. */
class EntryNames {
  private readonly entries = new Set<string>()
  private readonly files = new Set<string>()
  private readonly folders = new Set<string>()

  /** Adds the names of one entry. Returns how they clash with earlier ones. */
  add(names: ReadonlySet<string>): string | undefined {
    const comparable = new Set(Array.from(names, comparableName))
    const faults = Array.from(comparable, (name) => this.clashOf(name, Array.from(names).every(isFolderName)))
    for (const name of comparable) this.entries.add(name)
    return faults.find((fault) => fault !== undefined)
  }

  private clashOf(name: string, isFolder: boolean): string | undefined {
    const parents = Array.from(name.matchAll(/\//g), ({ index }) => name.slice(0, index))
    const isBoth =
      parents.some((parent) => this.files.has(parent)) ||
      (isFolder ? this.files.has(name) : this.folders.has(name))
    for (const parent of parents) this.folders.add(parent)
    ;(isFolder ? this.folders : this.files).add(name)
    if (this.entries.has(name)) return "occurs twice"
    return isBoth ? "is the name of a file and of a folder" : undefined
  }
}

const isFolderName = (name: string): boolean => name.endsWith("/")

/** Inspects the entries one after the other; returns the files. */
const inspectEntries = async (
  archive: Archive,
  { allow, maxUnpackedBytes }: ArchiveRules,
  faults: Array<ArchiveFault>
): Promise<ReadonlyArray<ArchiveFile>> => {
  const { file, zip } = archive
  const names = new EntryNames()
  const withheld = new Set<string>()
  const files: Array<ArchiveFile> = []
  const entries: Array<Entry> = []
  const places: Array<Place> = []
  let unpacked = 0
  for await (const entry of zip.eachEntry()) {
    const [name, plain] = namesOf(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields)
    const found = Array.from(headerFaults(entry, name, plain))
    const clash = names.add(new Set([name, plain]))
    if (clash !== undefined) found.push(clash)
    unpacked += entry.uncompressedSize
    if (unpacked > maxUnpackedBytes) {
      faults.push({ path: "", message: `unpacks to more than ${maxUnpackedBytes} bytes` })
      return files
    }
    entries.push(entry)
    const place = await locate(archive, entry, name)
    if (typeof place === "string") found.push(place)
    else places.push(place)
    // The limit holds for the bytes too: an entry with more than it says is read no further.
    if (found.length === 0) found.push(...(await contentFault(archive, entry, name, allow)))
    if (!isFolderName(name)) files.push({ path: name, size: entry.uncompressedSize })
    for (const message of found) faults.push({ path: name, message })
    const part = privatePart(name, allow) ?? privatePart(plain, allow)
    if (part !== undefined && !withheld.has(part)) faults.push(privateFault(part))
    if (part !== undefined) withheld.add(part)
    if (faults.length >= maxFaults) return files
  }
  if (files.length === 0) faults.push({ path: "", message: "has no files" })
  const commentBytes = Buffer.byteLength(zip.comment)
  // Without the place of one entry, the others seem to have a gap.
  const fault =
    places.length === entries.length && (await layoutFault(file, { commentBytes, entries, places }))
  if (typeof fault === "string") faults.push({ path: "", message: fault })
  return files
}

/** What was found in an archive. */
export interface Inspected {
  /** None if it's sound. */
  readonly faults: ReadonlyArray<ArchiveFault>
  /** Its files, in its own order. */
  readonly files: ReadonlyArray<ArchiveFile>
}

const faulty = (message: string): Inspected => ({ faults: [{ path: "", message }], files: [] })

/**
 * Checks that a ZIP archive can be sold: names that stay inside of the folder it's unpacked in and aren't private, no
 * links, no special or encrypted files, no name twice, bounded entries and sizes, and bytes that unpack to what they say.
 * Local headers must say what the directory says, and no byte may be outside of the archive's parts, so that every
 * program unpacks the files that were checked. Unpacks every file once, keeping none.
 */
export const inspectZip = async (path: string, rules: ArchiveRules): Promise<Inspected> => {
  const file = await open(path)
  const faults: Array<ArchiveFault> = []
  let files: ReadonlyArray<ArchiveFile> = []
  let zip: ZipFile | undefined
  try {
    if ((await file.stat()).size > rules.maxArchiveBytes)
      return faulty(`has more than ${rules.maxArchiveBytes} bytes`)
    zip = await openPromise(path, { lazyEntries: true, autoClose: false, decodeStrings: false })
    if (zip.entryCount > rules.maxEntries) return faulty(`has more than ${rules.maxEntries} entries`)
    files = await inspectEntries({ file, zip }, rules, faults)
  } catch (cause) {
    faults.push({ path: "", message: `is not a sound ZIP archive: ${messageOf(cause)}` })
  } finally {
    zip?.close()
    await file.close()
  }
  return { faults, files }
}
