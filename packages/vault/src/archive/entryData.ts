import type { Readable } from "node:stream"
import { crc32, createInflateRaw } from "node:zlib"
import type { Entry, ZipFile } from "yauzl"
import { hasSizesAfterData } from "./localHeader.ts"
import { TillTables } from "./privateContent.ts"

const stored = 0

/** The bytes of a file are kept up to here: no key, and no settings that people write, are longer. */
const maxKeptBytes = 65_536

/** What is kept of a file that was read. */
export interface FileContent {
  /** Those of a small file, else none. */
  readonly bytes: Buffer
  readonly isOfTill: boolean
}

/** What begins the next part of an archive. A program that doesn't know where a file ends searches for it. */
const searched = [Buffer.from("PK\u0003\u0004"), Buffer.from("PK\u0007\u0008")]
const searchedBytes = 4

/** Passes chunks on; throws where they have what a program searches for that must find their end. */
const unambiguous = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const joined = Buffer.concat([last, chunk])
    if (searched.some((signature) => joined.includes(signature)))
      throw new Error("its length follows its data, which looks as if it ended sooner")
    last = joined.subarray(1 - searchedBytes)
    yield chunk
  }
}

const readSame = async (chunks: AsyncIterable<Buffer>, entry: Entry): Promise<FileContent> => {
  const kept: Array<Buffer> = []
  const tables = new TillTables()
  let length = 0
  let checksum = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > entry.uncompressedSize) throw new Error("it has more bytes than it says")
    checksum = crc32(chunk, checksum)
    tables.read(chunk)
    if (entry.uncompressedSize <= maxKeptBytes) kept.push(chunk)
  }
  if (length !== entry.uncompressedSize) throw new Error("it has fewer bytes than it says")
  if (checksum !== entry.crc32) throw new Error("it has another checksum")
  return { bytes: Buffer.concat(kept), isOfTill: tables.found }
}

const inflate = async (packed: Readable, entry: Entry): Promise<FileContent> => {
  const unpacking = createInflateRaw()
  packed.on("error", (cause) => unpacking.destroy(cause))
  const content = await readSame(packed.pipe(unpacking), entry)
  if (unpacking.bytesWritten !== entry.compressedSize) throw new Error("it has bytes after its packed data")
  return content
}

/** Unpacks an entry; throws unless its bytes are what the directory says. */
export const checkData = async (zip: ZipFile, entry: Entry): Promise<FileContent> => {
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
  try {
    if (entry.compressionMethod !== stored) return await inflate(packed, entry)
    return await readSame(hasSizesAfterData(entry) ? unambiguous(packed) : packed, entry)
  } finally {
    packed.destroy()
  }
}
