import { crc32, deflateRawSync } from "node:zlib"

/*
 * ZIP archives byte by byte, as tools and attackers write them: libraries write neither all forms that are allowed, nor
 * those that are not.
 */

/** A header's fields, as they are written: also where they are wrong. */
export interface Fields {
  readonly name?: string
  readonly flags?: number
  readonly method?: number
  readonly crc?: number
  readonly packed?: number
  readonly size?: number
  readonly extra?: Buffer
}

export interface Part extends Fields {
  readonly name: string
  readonly content?: string | Buffer
  /** Bytes of the packed content, instead of those that fit. */
  readonly data?: Buffer
  readonly local?: Fields
  readonly listed?: Fields
  /** What follows the data. */
  readonly after?: (facts: { readonly crc: number; readonly packed: number; readonly size: number }) => Buffer
  readonly isListed?: boolean
  /** Where the directory says that it is, if it's elsewhere. */
  readonly offset?: number
  readonly attributes?: number
}

export const u16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16LE(value)
  return bytes
}
export const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
export const u64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

export const extraField = (id: number, ...data: ReadonlyArray<Buffer>): Buffer => {
  const whole = Buffer.concat(data)
  return Buffer.concat([u16(id), u16(whole.length), whole])
}

/** Info-ZIP's name in Unicode. */
export const unicodeName = (plain: string, name: string, version = 1): Buffer =>
  extraField(0x7075, Buffer.from([version]), u32(crc32(plain)), Buffer.from(name))

const shared = ({
  crc,
  extra,
  flags,
  method,
  name,
  packed,
  size
}: Required<Fields>): ReadonlyArray<Buffer> => [
  u16(20),
  u16(flags),
  u16(method),
  // A time.
  u32(0x2821_6000),
  u32(crc),
  u32(packed),
  u32(size),
  u16(Buffer.byteLength(name)),
  u16(extra.length)
]

export const localHeader = (fields: Required<Fields>): Buffer =>
  Buffer.concat([u32(0x0403_4b50), ...shared(fields), Buffer.from(fields.name), fields.extra])

const listedHeader = (fields: Required<Fields>, offset: number, attributes: number): Buffer =>
  Buffer.concat([
    u32(0x0201_4b50),
    u16(0x0314),
    ...shared(fields),
    u16(0),
    u16(0),
    u16(0),
    u32(attributes),
    u32(offset),
    Buffer.from(fields.name),
    fields.extra
  ])

/** The record with which an archive ends. */
export const endRecord = (count: number, bytes: number, start: number, comment = ""): Buffer =>
  Buffer.concat([
    u32(0x0605_4b50),
    u32(0),
    u16(count),
    u16(count),
    u32(bytes),
    u32(start),
    u16(Buffer.byteLength(comment)),
    Buffer.from(comment)
  ])

/** The records of a large archive, which stand before the end record. */
export const largeEndRecords = (count: number, bytes: number, start: number, at: number): Buffer =>
  Buffer.concat([
    u32(0x0606_4b50),
    u64(44),
    u16(45),
    u16(45),
    u64(0),
    u64(count),
    u64(count),
    u64(bytes),
    u64(start),
    u32(0x0706_4b50),
    u32(0),
    u64(at),
    u32(1)
  ])

export const deflated = 8
export const sizesAfterData = 0x8

/** What an entry of this content has in its headers. */
export const factsOf = ({ content = "content", data, flags = 0, method = deflated, name, extra }: Part) => {
  const bytes = Buffer.from(content)
  const packed = data ?? (method === deflated ? deflateRawSync(bytes) : bytes)
  return {
    data: packed,
    fields: {
      name,
      flags,
      method,
      crc: crc32(bytes),
      packed: packed.length,
      size: bytes.length,
      extra: extra ?? Buffer.alloc(0)
    }
  }
}

export interface Shape {
  readonly prefix?: Buffer
  /** Between the last entry and the directory, and between it and the end. */
  readonly beforeDirectory?: Buffer
  readonly end?: (count: number, bytes: number, start: number, at: number) => Buffer
}

const plainEnd = (count: number, bytes: number, start: number) => endRecord(count, bytes, start)

/** An archive of these parts, in their order. */
export const handMade = (
  parts: ReadonlyArray<Part>,
  { beforeDirectory = Buffer.alloc(0), end = plainEnd, prefix = Buffer.alloc(0) }: Shape = {}
): Buffer => {
  const chunks = [prefix]
  const listed: Array<Buffer> = []
  let at = prefix.length
  for (const part of parts) {
    const { data, fields } = factsOf(part)
    const { after, attributes = 0, isListed = true, offset = at } = part
    const whole = Buffer.concat([
      localHeader({ ...fields, ...part.local }),
      data,
      after?.(fields) ?? Buffer.alloc(0)
    ])
    if (isListed) listed.push(listedHeader({ ...fields, ...part.listed }, offset, attributes))
    chunks.push(whole)
    at += whole.length
  }
  const directory = Buffer.concat(listed)
  const start = at + beforeDirectory.length
  return Buffer.concat([
    ...chunks,
    beforeDirectory,
    directory,
    end(listed.length, directory.length, start, start + directory.length)
  ])
}

/** The files that a program finds which reads local headers one after the other, as from a pipe. */
export const readByLocalHeaders = (archive: Buffer): Readonly<Record<string, number>> => {
  const files: Record<string, number> = {}
  let at = 0
  while (archive.readUInt32LE(at) === 0x0403_4b50) {
    const packed = archive.readUInt32LE(at + 18)
    const nameEnd = at + 30 + archive.readUInt16LE(at + 26)
    files[archive.toString("utf8", at + 30, nameEnd)] = archive.readUInt32LE(at + 22)
    at = nameEnd + archive.readUInt16LE(at + 28) + packed
  }
  return files
}
