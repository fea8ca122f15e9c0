import { setTimeout as sleep } from "node:timers/promises"
import type { FulfilmentOptions } from "@till402/core"

/** Orders that the fake works on at a time; others wait for their turn. */
export const upstreamConcurrency = 16

/** An upstream of bounded rate. */
export interface Upstream {
  readonly place: FulfilmentOptions["place"]
  /** How often each order was placed, by the number at the end of its id. */
  readonly placements: Uint8Array
  /** Seconds that it takes for all orders when nobody but itself is at work. */
  readonly alone: () => Promise<number>
}

/** A fake upstream for a number of orders, with a fixed time for each; 0: it responds at once. */
export const upstream = (count: number, millis: number): Upstream => {
  const placements = new Uint8Array(count)
  const waiting: Array<() => void> = []
  let busy = 0

  const turn = async (): Promise<void> => {
    if (busy < upstreamConcurrency) busy += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
  }
  const done = (): void => {
    const next = waiting.shift()
    if (next === undefined) busy -= 1
    else next()
  }
  const take = async (number: number): Promise<{ readonly reference: string }> => {
    if (millis > 0) {
      await turn()
      await sleep(millis)
      done()
    }
    placements[number]! += 1
    return { reference: `SO-${number}` }
  }

  return {
    place: ({ orderId }) => take(Number(orderId.slice(-12))),
    placements,
    alone: async () => {
      let next = 0
      const startedAt = performance.now()
      const caller = async (): Promise<void> => {
        while (next < count) await take(next++)
      }
      await Promise.all(Array.from({ length: upstreamConcurrency }, caller))
      return (performance.now() - startedAt) / 1_000
    }
  }
}
