/** The memory of one process after a garbage collection. */
export interface MemorySample {
  /** Number of the process. */
  readonly slot: number
  /** Of JavaScript's heap, and of buffers outside it. */
  readonly heapBytes: number
  /**
   * Resident memory without the heap's pages, once V8 has given back those that it freed: see `measureProcess`. Shows
   * what is in use only under `steadyAllocator`.
   */
  readonly outsideBytes: number
}

/** How much the median of the last third may be above that of the first third: a share of it, and some bytes. */
export const memoryRule = {
  heapBytes: { share: 0.1, bytes: 8 * 2 ** 20 },
  outsideBytes: { share: 0.1, bytes: 16 * 2 ** 20 }
} as const

type Measure = keyof typeof memoryRule

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0

/** Medians of a measure in the first and the last third of a process's samples. */
export interface MemoryGrowth {
  readonly slot: number
  readonly measure: Measure
  readonly firstBytes: number
  readonly lastBytes: number
  readonly isFlat: boolean
}

/** Compares the first and the last third of each process's samples. Pure. */
export const memoryGrowth = (samples: ReadonlyArray<MemorySample>): ReadonlyArray<MemoryGrowth> =>
  [...Map.groupBy(samples, ({ slot }) => slot)].flatMap(([slot, ofSlot]) => {
    const third = Math.ceil(ofSlot.length / 3)
    return (["heapBytes", "outsideBytes"] as const).map((measure) => {
      const values = ofSlot.map((sample) => sample[measure])
      const firstBytes = median(values.slice(0, third))
      const lastBytes = median(values.slice(-third))
      const { bytes, share } = memoryRule[measure]
      return { slot, measure, firstBytes, lastBytes, isFlat: lastBytes <= firstBytes * (1 + share) + bytes }
    })
  })

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`

export const describeGrowth = ({ firstBytes, lastBytes, measure, slot }: MemoryGrowth): string =>
  `server ${slot}: ${measure === "heapBytes" ? "heap" : "outside the heap"} ${mebibytes(firstBytes)} in the first third, ${mebibytes(lastBytes)} in the last`
