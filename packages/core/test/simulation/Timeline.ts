import type { SeededRandom } from "./SeededRandom.ts"

/** A scheduled action. */
export interface ScheduledEvent {
  readonly atMillis: number
  /** Random order among events of the same millisecond, drawn from the seed. */
  readonly tieBreaker: number
  readonly action: () => void
  cancelled: boolean
}

const comesBefore = (left: ScheduledEvent, right: ScheduledEvent): boolean =>
  left.atMillis < right.atMillis || (left.atMillis === right.atMillis && left.tieBreaker < right.tieBreaker)

/** Virtual time: scheduled events in order (a binary heap). Time only advances to the next event. */
export class Timeline {
  private readonly heap: Array<ScheduledEvent> = []
  private readonly random: SeededRandom
  /** True time, in milliseconds since the epoch; the clocks of processes may be skewed. */
  nowMillis: number

  constructor(startMillis: number, random: SeededRandom) {
    this.nowMillis = startMillis
    this.random = random
  }

  /** Schedules an action after a delay; returns how to cancel it. */
  after(millis: number, action: () => void): () => void {
    const event: ScheduledEvent = {
      atMillis: this.nowMillis + Math.max(0, millis),
      tieBreaker: this.random.fraction(),
      action,
      cancelled: false
    }
    this.push(event)
    return () => {
      event.cancelled = true
    }
  }

  /** Takes the next event and advances the time to it; `undefined` if none is due until `untilMillis`. */
  next(untilMillis: number): ScheduledEvent | undefined {
    for (;;) {
      const first = this.heap[0]
      if (first === undefined || first.atMillis > untilMillis) return undefined
      this.pop()
      if (first.cancelled) continue
      this.nowMillis = first.atMillis
      return first
    }
  }

  private push(event: ScheduledEvent): void {
    const { heap } = this
    let index = heap.length
    heap.push(event)
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!comesBefore(event, heap[parent]!)) break
      heap[index] = heap[parent]!
      index = parent
    }
    heap[index] = event
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
