import { measureProcess } from "../../src/day/MemoryProbe.ts"

/*
 * A process that prints its memory outside of the heap in MiB: at first, after much garbage, and with a buffer that it
 * keeps.
 */

const mebibyte = 2 ** 20
const bufferBytes = 64 * mebibyte
const objectsPerRound = 1_000_000
const rounds = 3

const makeGarbage = async (): Promise<number> => {
  const kept: Array<object> = []
  for (let index = 0; index < objectsPerRound; index++) {
    kept.push({ index, pair: [index, index + 1], text: `text ${index}` })
    if (index % 100_000 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  return kept.length
}

const outside = async (): Promise<number> => (await measureProcess()).outsideBytes / mebibyte

// Compiles everything.
await makeGarbage()
const first = await outside()
for (let round = 0; round < rounds; round++) await makeGarbage()
const afterGarbage = await outside()
const kept = Buffer.alloc(bufferBytes, 1)
const withBuffer = await outside()
console.log(JSON.stringify({ first, afterGarbage, withBuffer, keptBytes: kept.length }))
