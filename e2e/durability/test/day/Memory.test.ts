import { describe, expect, it } from "vitest"
import { describeGrowth, memoryGrowth, type MemorySample } from "../../src/day/Memory.ts"

const mebibyte = 2 ** 20
const steady = 200

/** Samples of one server, in MiB. */
const samplesOf = (slot: number, heap: ReadonlyArray<number>, outside?: ReadonlyArray<number>) =>
  heap.map((mebibytes, index): MemorySample => ({
    slot,
    heapBytes: mebibytes * mebibyte,
    outsideBytes: (outside?.[index] ?? steady) * mebibyte
  }))

const grownOf = (samples: ReadonlyArray<MemorySample>): ReadonlyArray<string> =>
  memoryGrowth(samples)
    .filter(({ isFlat }) => !isFlat)
    .map(({ measure, slot }) => `${slot} ${measure}`)

describe("the memory of a day", () => {
  it("is flat if the last third is at most 10 % and 8 MiB above the first", () => {
    expect(grownOf(samplesOf(0, [100, 100, 100, 110, 118, 118, 118]))).toEqual([])
    expect(grownOf(samplesOf(0, [100, 100, 100, 110, 119, 119, 119]))).toEqual(["0 heapBytes"])
  })

  it("may peak in between, and for a single sample", () => {
    expect(grownOf(samplesOf(0, [100, 300, 100, 500, 500, 500, 100, 100, 900]))).toEqual([])
  })

  it("is judged for each server, and for the whole process", () => {
    const flat = samplesOf(0, [50, 50, 50])
    const leaking = samplesOf(1, [50, 60, 90])
    const fragmented = samplesOf(2, [50, 50, 50], [200, 230, 237])
    // The processes are sampled in turn.
    const samples = flat.flatMap((sample, index) => [sample, leaking[index]!, fragmented[index]!])
    expect(grownOf(samples)).toEqual(["1 heapBytes", "2 outsideBytes"])
  })

  /** An hour's samples in MiB: measurements scatter, and the process grows by this much a minute. */
  const hourOf = (start: number, perMinute: number): ReadonlyArray<number> =>
    Array.from({ length: 90 }, (_, index) => start + (index % 5) + (index / 90) * 60 * perMinute)

  it("is not flat where an hour's processes keep 1 MiB a minute, in buffers or outside of V8", () => {
    const flat = hourOf(66, 0.05)
    const flatOutside = hourOf(95, 0.05)
    expect(grownOf(samplesOf(0, flat, flatOutside))).toEqual([])
    expect(grownOf(samplesOf(0, hourOf(66, 1), flatOutside))).toEqual(["0 heapBytes"])
    expect(grownOf(samplesOf(0, flat, hourOf(95, 1)))).toEqual(["0 outsideBytes"])
  })

  it("is described in MiB", () => {
    const [heap] = memoryGrowth(samplesOf(1, [50, 60, 90]))
    expect(describeGrowth(heap!)).toBe("server 1: heap 50.0 MiB in the first third, 90.0 MiB in the last")
  })
})
