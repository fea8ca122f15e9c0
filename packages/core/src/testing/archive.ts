const polynomial = 0xedb88320

const crc32 = (bytes: Uint8Array): number => {
  let crc = ~0
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0)
  }
  return ~crc >>> 0
}

/** Encodes `[value, bytes]` pairs in little endian. */
const little = (...fields: ReadonlyArray<readonly [value: number, bytes: 2 | 4]>): Uint8Array => {
  const bytes = new Uint8Array(fields.reduce((sum, [, size]) => sum + size, 0))
  const view = new DataView(bytes.buffer)
  let at = 0
  for (const [value, size] of fields) {
    if (size === 2) view.setUint16(at, value, true)
    else view.setUint32(at, value, true)
    at += size
  }
  return bytes
}

const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const version = 20
const utf8Names = 0x0800
/** 1 January 1980, the first day of the format. */
const firstDay = 0x0021

/**
 * Creates a ZIP archive of text files, uncompressed and reproducible.
 *
 * @example
 * const zip = sampleArchive({ "README.md": "# Launch plan\n" })
 */
export const sampleArchive = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  const encoder = new TextEncoder()
  const locals: Array<Uint8Array> = []
  const entries: Array<Uint8Array> = []
  let offset = 0
  for (const [fileName, text] of Object.entries(files)) {
    const name = encoder.encode(fileName)
    const data = encoder.encode(text)
    const shared = [
      [version, 2],
      [utf8Names, 2],
      [0, 2],
      [0, 2],
      [firstDay, 2],
      [crc32(data), 4],
      [data.length, 4],
      [data.length, 4],
      [name.length, 2],
      [0, 2]
    ] as const
    const local = concat([little([0x04034b50, 4], ...shared), name, data])
    locals.push(local)
    entries.push(
      little([0x02014b50, 4], [version, 2], ...shared, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
      name
    )
    offset += local.length
  }
  const directory = concat(entries)
  const count = locals.length
  const end = little(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [directory.length, 4],
    [offset, 4],
    [0, 2]
  )
  return concat([...locals, directory, end])
}
