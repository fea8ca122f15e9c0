import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { steadyAllocator } from "../../src/day/Allocator.ts"

const program = fileURLToPath(new URL("./memoryProbeProcess.ts", import.meta.url))
const run = promisify(execFile)

interface Measured {
  readonly first: number
  readonly afterGarbage: number
  readonly withBuffer: number
}

const measured = async (): Promise<Measured> =>
  JSON.parse((await run(process.execPath, ["--expose-gc", program])).stdout) as Measured

it("the memory outside of the heap doesn't have pages that V8 has freed, but every buffer", async () => {
  const { afterGarbage, first, withBuffer } = await measured()
  expect(afterGarbage - first).toBeLessThan(20)
  expect(withBuffer - afterGarbage).toBeGreaterThan(60)
})

it("under the allocator of the day, holds nothing of a burst, but what a native module keeps", async () => {
  const program = fileURLToPath(new URL("./burstProcess.ts", import.meta.url))
  const env = { ...process.env, ...steadyAllocator }
  const { stdout } = await run(process.execPath, ["--expose-gc", program], { env })
  const { afterBursts, withNative } = JSON.parse(stdout) as Readonly<Record<string, number>>
  expect(afterBursts).toBeLessThan(10)
  expect(withNative).toBeGreaterThan(30)
})
