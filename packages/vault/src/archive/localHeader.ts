import { crc32 } from "node:zlib"
import { type Entry, getFileNameLowLevel, type LocalFileHeader, parseExtraFields } from "yauzl"

/*
 * An entry is described twice: in the directory at the end of the archive, and by the local header in front of its data.
 * Some programs read only the one, some only the other.
 */

/** Flags that change how an entry is read: encrypted, sizes after the data, name in UTF-8. */
const flags = { encrypted: 0x1, sizesAfterData: 0x8, utf8: 0x800 }
const readFlags = flags.encrypted | flags.sizesAfterData | flags.utf8
/** The same, and how well it was compressed. */
const commonFlags = readFlags | 0x6

/** Whether an entry is patched, masked or the like: few programs read it, and the others unpack something else. */
export const isUncommon = ({ generalPurposeBitFlag }: Pick<Entry, "generalPurposeBitFlag">): boolean =>
  (generalPurposeBitFlag & ~commonFlags) !== 0

const zip64Field = 0x0001
const saturated = 0xffff_ffff

/** Whether the sizes of an entry follow its data, in a data descriptor. */
export const hasSizesAfterData = ({ generalPurposeBitFlag }: Pick<Entry, "generalPurposeBitFlag">): boolean =>
  (generalPurposeBitFlag & flags.sizesAfterData) !== 0

type ExtraFields = Entry["extraFields"]

/** The names that programs read of an entry: some ignore the extra field that has it in Unicode. */
export const namesOf = (
  flag: number,
  raw: Buffer,
  extraFields: ExtraFields
): readonly [name: string, plain: string] => [
  getFileNameLowLevel(flag, raw, extraFields, true),
  getFileNameLowLevel(flag, raw, [], true)
]

/** The sizes of a local header; in a large archive they are in an extra field. */
const sizesOf = (header: LocalFileHeader, extraFields: ExtraFields) => {
  const large = extraFields.find(({ id }) => id === zip64Field)?.data
  let at = 0
  const read = (size: number): number => {
    if (size !== saturated || large === undefined || large.length < at + 8) return size
    at += 8
    return Number(large.readBigUInt64LE(at - 8))
  }
  return { uncompressed: read(header.uncompressedSize), compressed: read(header.compressedSize) }
}

/** Whether a kind of extra field stands twice: some programs read the first one, others the last. */
const hasRepeated = (extraFields: ExtraFields): boolean =>
  new Set(extraFields.map(({ id }) => id)).size < extraFields.length

/** Extra fields by which programs on Unix make a link of an entry, whatever its attributes say: of ASi, PKWARE, libarchive. */
const linkFields: ReadonlyArray<number> = [0x756e, 0x000d, 0x6c78]

/** Whether some programs unpack an entry as a link. */
export const mayBeLink = ({ extraFields }: Pick<Entry, "extraFields">): boolean =>
  extraFields.some(({ id }) => linkFields.includes(id))

const unicodeNameField = 0x7075

/** Whether a name in Unicode is of another version or of another name: some programs ignore it, others take it. */
const hasDoubtfulName = (raw: Buffer, extraFields: ExtraFields): boolean =>
  extraFields.some(
    ({ data, id }) =>
      id === unicodeNameField && (data.length < 5 || data[0] !== 1 || data.readUInt32LE(1) !== crc32(raw))
  )

/** Which parts of a local header differ from the directory, or can be read in two ways. Pure. */
export const localDifferences = (entry: Entry, header: LocalFileHeader): ReadonlyArray<string> => {
  const extraFields = parseExtraFields(header.extraField)
  const sizes = sizesOf(header, extraFields)
  const mayBeLater = hasSizesAfterData(header)
  const isOther = (local: number, listed: number): boolean => local !== listed && !(mayBeLater && local === 0)
  const [listedName] = namesOf(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields)
  const [localName] = namesOf(header.generalPurposeBitFlag, header.fileName, extraFields)
  const differs = {
    name: localName !== listedName || !header.fileName.equals(entry.fileNameRaw),
    flags: ((header.generalPurposeBitFlag ^ entry.generalPurposeBitFlag) & readFlags) !== 0,
    compression: header.compressionMethod !== entry.compressionMethod,
    checksum: isOther(header.crc32, entry.crc32),
    size:
      isOther(sizes.uncompressed, entry.uncompressedSize) || isOther(sizes.compressed, entry.compressedSize),
    "extra field":
      hasRepeated(extraFields) ||
      hasRepeated(entry.extraFields) ||
      hasDoubtfulName(header.fileName, extraFields) ||
      hasDoubtfulName(entry.fileNameRaw, entry.extraFields) ||
      mayBeLink({ extraFields }) !== mayBeLink(entry)
  }
  return Object.entries(differs).flatMap(([part, isDifferent]) => (isDifferent ? [part] : []))
}

const descriptorSignature = 0x0807_4b50
/** With the signature and sizes of 8 bytes. */
export const maxDescriptorBytes = 24

/**
 * The lengths that a data descriptor may have, given the bytes that follow the data: with or without signature, with sizes
 * of 4 or 8 bytes. Empty if they are no descriptor of this entry. Pure.
 */
export const descriptorLengths = (bytes: Buffer, entry: Entry): ReadonlyArray<number> => {
  const { compressedSize, crc32, uncompressedSize } = entry
  const lengths: Array<number> = []
  for (const start of bytes.length >= 4 && bytes.readUInt32LE(0) === descriptorSignature ? [4, 0] : [0])
    for (const width of [4, 8]) {
      const end = start + 4 + 2 * width
      if (bytes.length < end || bytes.readUInt32LE(start) !== crc32) continue
      const sizeAt = (at: number) =>
        width === 4 ? bytes.readUInt32LE(at) : Number(bytes.readBigUInt64LE(at))
      if (sizeAt(start + 4) === compressedSize && sizeAt(start + 4 + width) === uncompressedSize)
        lengths.push(end)
    }
  return lengths
}
