import { DatabaseSync } from "node:sqlite"
import { measureProcess } from "../../src/day/MemoryProbe.ts"

/*
 * A process that prints by how many MiB its memory outside of the heap has grown: after bursts of buffers that it
 * released, and with memory that it keeps and V8 doesn't count.
 */

const mebibyte = 2 ** 20
const keptBytes = 32 * mebibyte
const buffersPerBurst = 40
const smallBytes = 20_000
const kept: Array<Uint8Array> = []

/** Fills buffers that are garbage at the end, with small ones between them that are not. */
const burst = (): void => {
  // A large block that is freed makes glibc keep the later ones.
  Buffer.alloc(16 * mebibyte, 1)
  globalThis.gc?.()
  const released = Array.from({ length: buffersPerBurst }, () => {
    kept.push(Buffer.alloc(smallBytes, 1))
    return Buffer.alloc(mebibyte, 1)
  })
  if (released.length !== buffersPerBurst) throw new Error("the burst was cut short")
}

const outside = async (): Promise<number> => (await measureProcess()).outsideBytes / mebibyte

const first = await outside()
burst()
burst()
const afterBursts = (await outside()) - first
const database = new DatabaseSync(":memory:")
database.exec("CREATE TABLE kept (bytes BLOB)")
database.prepare("INSERT INTO kept VALUES (randomblob(?))").run(keptBytes)
const withNative = (await outside()) - first
console.log(JSON.stringify({ afterBursts, withNative, keptBuffers: kept.length }))
database.close()
