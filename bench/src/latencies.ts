import { median, paidHeaders } from "./load.ts"
import type { Contender } from "./servers.ts"
import { keyNamed, signPayment } from "./signing.ts"

/*
 * Calls at once over a facilitator that takes its time, as one that waits for a chain does.
 */

export interface Latencies {
  /** Calls per second. */
  readonly rate: number
  /** Milliseconds of the slowest call but one in a hundred. */
  readonly p99: number
}

/** Many, so that no limit of one payer decides. */
const payers = Array.from({ length: 200 }, (_, index) => keyNamed(`payer ${index}`))

const headersOf = (contender: Contender, count: number) =>
  paidHeaders(
    contender,
    (accepted, resource) =>
      Array.from({ length: count }, (_, index) =>
        signPayment({ accepts: [accepted], resource }, payers[index % payers.length]!)
      ),
    count
  )

const measure = async (contender: Contender, callers: number, count: number): Promise<Latencies> => {
  const headers = await headersOf(contender, count)
  const times: Array<number> = []
  let next = 0
  const caller = async (): Promise<void> => {
    while (next < count) {
      const header = headers[next++]
      const startedAt = performance.now()
      const { status } = await contender.call(contender.path, header)
      if (status !== 200) throw new Error(`expected 200, got ${status}`)
      times.push(performance.now() - startedAt)
    }
  }
  const startedAt = performance.now()
  await Promise.all(Array.from({ length: callers }, caller))
  const seconds = (performance.now() - startedAt) / 1000
  return {
    rate: count / seconds,
    p99: times.toSorted((left, right) => left - right)[Math.ceil(count * 0.99) - 1]!
  }
}

/** Calls of each caller in a round. */
const callsEach = 4
const rounds = 3

/** The median rate and p99 of each contender with so many callers at once, measured in turns. */
export const compareLatencies = async (
  contenders: ReadonlyArray<Contender>,
  callers: number
): Promise<ReadonlyArray<Latencies>> => {
  const results = contenders.map((): Array<Latencies> => [])
  for (let round = 0; round <= rounds; round++)
    for (const [index, contender] of contenders.entries()) {
      const result = await measure(contender, callers, callers * callsEach)
      // The first round warms up.
      if (round > 0) results[index]!.push(result)
    }
  return results.map((all) => ({
    rate: median(all.map(({ rate }) => rate)),
    p99: median(all.map(({ p99 }) => p99))
  }))
}
