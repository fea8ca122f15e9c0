import type { FileHandle } from "node:fs/promises"
import type { Entry, LocalFileHeader } from "yauzl"
import { descriptorLengths, hasSizesAfterData, maxDescriptorBytes } from "./localHeader.ts"

/*
 * The places of an archive's parts. Each byte must belong to one of them: programs that read from the beginning, from the
 * end, or search for headers then find the same files.
 */

/** Where an entry is: its local header, its data, and what follows them. */
export interface Place {
  readonly name: string
  readonly start: number
  readonly dataEnd: number
  /** The lengths that its data descriptor may have. */
  readonly tails: ReadonlyArray<number>
}

const readAt = async (file: FileHandle, position: number, length: number): Promise<Buffer> => {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}

/** The place of an entry; `undefined` if what follows its data isn't the descriptor that its header announces. */
export const placeOf = async (
  file: FileHandle,
  entry: Entry,
  { fileDataStart }: LocalFileHeader,
  name: string
): Promise<Place | undefined> => {
  const start = entry.relativeOffsetOfLocalHeader
  const dataEnd = fileDataStart + entry.compressedSize
  if (!hasSizesAfterData(entry)) return { name, start, dataEnd, tails: [0] }
  const tails = descriptorLengths(await readAt(file, dataEnd, maxDescriptorBytes), entry)
  return tails.length === 0 ? undefined : { name, start, dataEnd, tails }
}

/** Bytes of an entry's description in the directory. */
const listedBytes = ({ extraFieldLength, fileCommentLength, fileNameLength }: Entry): number =>
  46 + fileNameLength + extraFieldLength + fileCommentLength

const directoryBytes = (entries: ReadonlyArray<Entry>): number =>
  entries.reduce((sum, entry) => sum + listedBytes(entry), 0)

interface Directory {
  readonly entries: number
  readonly start: number
  readonly bytes: number
}

const endBytes = 22
const locatorBytes = 20
const largeEndBytes = 56

/** A field of the end record that has no room for a large number, or the same number. */
const isConsistent = (field: number, maximum: number, value: number): boolean =>
  field === maximum || field === value

/** The directory as the records at the end describe it, and where they begin; a text: why they can't be trusted. */
const readEnd = async (
  file: FileHandle,
  endStart: number
): Promise<{ readonly directory: Directory; readonly recordsStart: number } | string> => {
  const end = await readAt(file, endStart, endBytes)
  const directory = {
    entries: end.readUInt16LE(10),
    bytes: end.readUInt32LE(12),
    start: end.readUInt32LE(16)
  }
  if (end.readUInt16LE(8) !== directory.entries) return "its end record counts entries in two ways"
  const locator = await readAt(file, Math.max(0, endStart - locatorBytes), locatorBytes)
  if (endStart < locatorBytes || locator.readUInt32LE(0) !== 0x0706_4b50)
    return { directory, recordsStart: endStart }
  const recordsStart = endStart - locatorBytes - largeEndBytes
  const record = await readAt(file, Math.max(0, recordsStart), largeEndBytes)
  const large = {
    entries: Number(record.readBigUInt64LE(32)),
    bytes: Number(record.readBigUInt64LE(40)),
    start: Number(record.readBigUInt64LE(48))
  }
  const isAlone =
    Number(locator.readBigUInt64LE(8)) === recordsStart && Number(record.readBigUInt64LE(4)) === 44
  const isSame =
    isConsistent(directory.entries, 0xffff, large.entries) &&
    isConsistent(directory.bytes, 0xffff_ffff, large.bytes) &&
    isConsistent(directory.start, 0xffff_ffff, large.start)
  return isAlone && isSame
    ? { directory: large, recordsStart }
    : "its two end records contradict each other, or have bytes between them"
}

const between = (gap: number, what: string): string =>
  gap < 0 ? `has parts that overlap, before ${what}` : `has bytes that belong to no entry, before ${what}`

/**
 * What is wrong with the places of an archive's parts; `undefined` if they follow each other without gaps. `commentBytes`:
 * the length of the comment, with which the archive ends.
 */
export const layoutFault = async (
  file: FileHandle,
  {
    commentBytes,
    entries,
    places
  }: {
    readonly commentBytes: number
    readonly entries: ReadonlyArray<Entry>
    readonly places: ReadonlyArray<Place>
  }
): Promise<string | undefined> => {
  const { size } = await file.stat()
  const read = await readEnd(file, size - endBytes - commentBytes)
  if (typeof read === "string") return read
  const { directory, recordsStart } = read
  const inOrder = places.toSorted((left, right) => left.start - right.start)
  let free: Pick<Place, "dataEnd" | "tails"> = { dataEnd: 0, tails: [0] }
  for (const part of [...inOrder, { name: "the directory", start: directory.start, dataEnd: 0, tails: [] }]) {
    const gap = part.start - free.dataEnd
    if (!free.tails.includes(gap)) return between(gap - Math.max(...free.tails), part.name)
    free = part
  }
  if (directory.bytes !== directoryBytes(entries)) return "has a directory of another length than it says"
  const gap = recordsStart - directory.start - directory.bytes
  return gap === 0 ? undefined : between(gap, "the end record")
}
