import { getHeapStatistics } from "node:v8"
import type { MemorySample } from "./Memory.ts"

/** Time in which V8's threads give freed pages back to the system. */
const releaseMillis = 300

const collect = (): void => {
  if (globalThis.gc === undefined) throw new Error("memory is measured under --expose-gc")
  globalThis.gc({ type: "major", execution: "sync", flavor: "last-resort" })
}

/**
 * Measures the memory of this process. An ordinary collection leaves freed pages with V8, resident and in no statistic of
 * the heap: up to hundreds of MiB, depending on the traffic just before. So two collections of last resort come first,
 * which give them back.
 *
 * @throws Error without `--expose-gc`
 *
 * @example
 * const { heapBytes, outsideBytes } = await measureProcess()
 */
export const measureProcess = async (): Promise<Omit<MemorySample, "slot">> => {
  collect()
  const { external, heapUsed } = process.memoryUsage()
  await new Promise((resolve) => setTimeout(resolve, releaseMillis))
  // What requests have allocated meanwhile.
  collect()
  await new Promise((resolve) => setTimeout(resolve, releaseMillis))
  return {
    heapBytes: heapUsed + external,
    outsideBytes: process.memoryUsage().rss - getHeapStatistics().total_physical_size
  }
}
