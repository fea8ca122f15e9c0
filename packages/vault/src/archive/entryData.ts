import type { Readable } from "node:stream"
import { crc32, createInflateRaw } from "node:zlib"
import type { Entry, ZipFile } from "yauzl"
import { hasSizesAfterData } from "./localHeader.ts"

const stored = 0

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

const assertSame = async (chunks: AsyncIterable<Buffer>, entry: Entry): Promise<void> => {
  let length = 0
  let checksum = 0
  for await (const chunk of chunks) {
    length += chunk.length
    if (length > entry.uncompressedSize) throw new Error("it has more bytes than it says")
    checksum = crc32(chunk, checksum)
  }
  if (length !== entry.uncompressedSize) throw new Error("it has fewer bytes than it says")
  if (checksum !== entry.crc32) throw new Error("it has another checksum")
}

const inflate = async (packed: Readable, entry: Entry): Promise<void> => {
  const unpacking = createInflateRaw()
  packed.on("error", (cause) => unpacking.destroy(cause))
  await assertSame(packed.pipe(unpacking), entry)
  if (unpacking.bytesWritten !== entry.compressedSize) throw new Error("it has bytes after its packed data")
}

/** Unpacks an entry without keeping it; throws unless its bytes are what the directory says. */
export const checkData = async (zip: ZipFile, entry: Entry): Promise<void> => {
  const packed = await zip.openReadStreamPromise(entry, { decodeFileData: false })
  try {
    if (entry.compressionMethod !== stored) await inflate(packed, entry)
    else await assertSame(hasSizesAfterData(entry) ? unambiguous(packed) : packed, entry)
  } finally {
    packed.destroy()
  }
}
