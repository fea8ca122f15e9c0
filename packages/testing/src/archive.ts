import { Effect, Stream } from "effect"
import { Zip } from "effect/encoding"

/**
 * Creates a ZIP archive of text files, uncompressed and reproducible.
 *
 * @example
 * const zip = sampleArchive({ "README.md": "# Launch plan\n" })
 */
export const sampleArchive = (files: Readonly<Record<string, string>>): Uint8Array<ArrayBuffer> => {
  const entries = Object.entries(files).map(([path, text]) => Zip.file(path, text, { method: "Store" }))
  const archive = Stream.pipeThroughChannel(Stream.fromIterable(entries), Zip.encode())
  const chunks = Effect.runSync(Stream.runCollect(archive))
  const whole = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
