import { createWriteStream, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { pipeline } from "node:stream/promises"
import { Unzip, unzipSync } from "fflate"
import { ZipFile } from "yazl"

export interface Entry {
  readonly name: string
  readonly content: string | Uint8Array
  readonly mode?: number
}

/** Writes a ZIP archive. `rename` changes a name behind the library's back, which refuses hostile ones. */
export const writeArchive = async (
  path: string,
  entries: ReadonlyArray<Entry>,
  rename: Readonly<Record<string, string>> = {}
): Promise<string> => {
  const zip = new ZipFile()
  for (const { content, mode = 0o100644, name } of entries)
    zip.addBuffer(Buffer.from(content), name, { mode })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
  let text = readFileSync(path, "latin1")
  for (const [from, to] of Object.entries(rename)) text = text.replaceAll(from, to)
  writeFileSync(path, text, "latin1")
  return path
}

/** Unpacks as a careless program does: wherever the names lead. */
export const unpackCarelessly = (archive: string, folder: string): void => {
  for (const [name, content] of Object.entries(unzipSync(readFileSync(archive)))) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
}

/** The names by the directory at the end of an archive, as most programs read it. */
export const namesByDirectory = (archive: string): ReadonlyArray<string> =>
  Object.keys(unzipSync(readFileSync(archive)))

/** The names by the headers in front of the files, as a program reads them that unpacks while it downloads. */
export const namesByLocalHeaders = (archive: string): ReadonlyArray<string> => {
  const names: Array<string> = []
  const reader = new Unzip(({ name }) => names.push(name))
  reader.push(readFileSync(archive), true)
  return names
}
