import type { Fate } from "./Fate.ts"

/** Something that is to happen. */
export interface Happening {
  readonly atMillis: number
  /** Among what happens in the same millisecond, the seed decides what comes first. */
  readonly lot: number
  readonly happen: () => void
  cancelled: boolean
}

const comesBefore = (left: Happening, right: Happening): boolean =>
  left.atMillis < right.atMillis || (left.atMillis === right.atMillis && left.lot < right.lot)

/** Virtual time: what is to happen, in order (a binary heap). Time stands still but for the next happening. */
export class Timeline {
  private readonly heap: Array<Happening> = []
  private readonly fate: Fate
  /** True time, in milliseconds since the epoch; the clocks of processes may be off. */
  nowMillis: number

  constructor(startMillis: number, fate: Fate) {
    this.nowMillis = startMillis
    this.fate = fate
  }

  /** Has something happen in so many milliseconds; answers how to call it off. */
  after(millis: number, happen: () => void): () => void {
    const happening: Happening = {
      atMillis: this.nowMillis + Math.max(0, millis),
      lot: this.fate.fraction(),
      happen,
      cancelled: false
    }
    this.push(happening)
    return () => {
      happening.cancelled = true
    }
  }

  /** Takes the next happening and sets the time to it; `undefined` past `untilMillis` or where nothing is left. */
  next(untilMillis: number): Happening | undefined {
    for (;;) {
      const first = this.heap[0]
      if (first === undefined || first.atMillis > untilMillis) return undefined
      this.pop()
      if (first.cancelled) continue
      this.nowMillis = first.atMillis
      return first
    }
  }

  private push(happening: Happening): void {
    const { heap } = this
    let index = heap.length
    heap.push(happening)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!comesBefore(happening, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = happening
  }

  private pop(): void {
    const { heap } = this
    const last = heap.pop()!
    if (heap.length === 0) return
    let index = 0
    for (;;) {
      let child = 2 * index + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && comesBefore(heap[child + 1]!, heap[child]!)) child++
      if (!comesBefore(heap[child]!, last)) break
      heap[index] = heap[child]!
      index = child
    }
    heap[index] = last
  }
}
