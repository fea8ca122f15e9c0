/*
 * Sends requests with limited concurrency and measures the time of each.
 */

/** The route that is paid. */
export const searchPath = "/x402/search?q=mouse"

export interface Job {
  /** Requests at a time. */
  readonly concurrency: number
  /** The expected status of every response. */
  readonly status: number
  /** Of each request. */
  readonly headers: ReadonlyArray<Record<string, string>>
}

export interface Sent {
  /** Milliseconds until all responses have arrived. */
  readonly millis: number
  /** Milliseconds of each request. */
  readonly times: ReadonlyArray<number>
}

export type Call = (headers: Record<string, string>) => Promise<{ readonly status: number }>

export const sendAll = async (call: Call, { concurrency, headers, status }: Job): Promise<Sent> => {
  const times: Array<number> = []
  let next = 0
  const startedAt = performance.now()
  const caller = async (): Promise<void> => {
    while (next < headers.length) {
      const own = headers[next++]!
      const sentAt = performance.now()
      const response = await call(own)
      times.push(performance.now() - sentAt)
      if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  return { millis: performance.now() - startedAt, times }
}
