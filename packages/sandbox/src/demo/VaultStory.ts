import { randomBytes } from "node:crypto"
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Till, VaultListing } from "@till402/core"
import { type ArchiveStorage, publish } from "@till402/vault"
import { unzipSync } from "fflate"
import { shorten } from "../Terminal.ts"
import { buyFromVault, downloadPath, type MakeCall } from "./Tour.ts"

/* Publishes a folder, sells it, interrupts the download in the middle and resumes it under the same payment. */

/** What the story needs. */
export interface VaultStage {
  readonly till: Till
  readonly archives: ArchiveStorage
  readonly baseUrl: string
  readonly go: MakeCall
  readonly print: (...lines: ReadonlyArray<string>) => void
}

const listing = {
  slug: "field-recordings",
  title: "Field Recordings",
  productType: "knowledge",
  cardDescription: "An hour of rain, streets and stations, with notes on how to use them.",
  price: 3,
  category: "productivity",
  creator: { name: "Quiet Hours Studio", type: "company" },
  coverImageUrl: "https://covers.vault.example/field-recordings.png"
} satisfies VaultListing

/** Large enough that a download is interrupted before the rest has left the server. */
const recordingBytes = 8_000_000

const writeGoods = async (folder: string): Promise<void> => {
  await mkdir(join(folder, "recordings"))
  await writeFile(join(folder, "README.md"), "# Field recordings\n\nUse them as you like.\n")
  await writeFile(join(folder, "recordings", "rain.raw"), randomBytes(recordingBytes))
  await writeFile(join(folder, "recordings", "station.raw"), randomBytes(recordingBytes))
}

/** A download that broke off. */
interface Interrupted {
  readonly bytes: Buffer
  readonly size: number
  readonly etag: string
  /** The payment's header. */
  readonly payment: string
}

const header = (response: Response, name: string): string => {
  const value = response.headers.get(name)
  if (value === null) throw new Error(`The download has no ${name}.`)
  return value
}

/** Reads about half of a file, and closes the connection. */
const readHalf = async (response: Response, payment: string): Promise<Interrupted> => {
  const size = Number(header(response, "content-length"))
  const etag = header(response, "etag")
  const chunks: Array<Uint8Array> = []
  let length = 0
  // Leaving the loop cancels the body.
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    length += chunk.byteLength
    if (length > size / 2) break
  }
  return { bytes: Buffer.concat(chunks), size, etag, payment }
}

/** Requests the rest with the payment that has bought the whole. */
const readRest = async (url: string, { bytes, etag, payment }: Interrupted): Promise<Buffer> => {
  const headers = { "payment-signature": payment, range: `bytes=${bytes.length}-`, "if-range": etag }
  const response = await fetch(url, { headers })
  if (response.status !== 206)
    throw new Error(`The resumed download returned ${response.status}: ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** Whether an archive has exactly the files of a folder. */
const sameFiles = async (archive: Uint8Array, folder: string): Promise<boolean> => {
  const unpacked = unzipSync(archive)
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const equal = await Promise.all(
    files.map(async (path) => {
      const name = path.slice(folder.length + 1).replaceAll("\\", "/")
      return Buffer.compare(await readFile(path), unpacked[name] ?? new Uint8Array()) === 0
    })
  )
  return files.length === Object.keys(unpacked).length && equal.every(Boolean)
}

/** Tells the story; returns whether the files that arrived are those that were published. */
export const showResumedDownload = async (stage: VaultStage): Promise<boolean> => {
  const { archives, baseUrl, go, print, till } = stage
  const folder = await mkdtemp(join(tmpdir(), "till402-goods-"))
  try {
    await writeGoods(folder)
    const { archive, version } = await publish(till.vault, archives, { source: folder, listing })
    print(
      `published ${listing.slug}, version ${version}: ZIP of ${archive.size} bytes, ${shorten(archive.digest)}`
    )
    const purchase = await buyFromVault(go, listing)
    const { path, secretQuery } = downloadPath(purchase)
    const interrupted = await go<Interrupted>(
      { method: "GET", path, secretQuery },
      async (response, payment) => {
        const value = await readHalf(response, payment)
        return { value, summary: `interrupted after ${value.bytes.length} of ${value.size} bytes` }
      }
    )
    const rest = await readRest(`${baseUrl}${path}${secretQuery}`, interrupted)
    const whole = Buffer.concat([interrupted.bytes, rest])
    const agrees = whole.length === archive.size && (await sameFiles(whole, folder))
    print(
      `resumed under the same payment: ${rest.length} bytes more, nothing charged`,
      agrees ? "unpacked: every file is the published one, byte for byte" : "unpacked: the files DIFFER"
    )
    return agrees
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
