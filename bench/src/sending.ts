/*
 * Sends requests, so many at a time, and takes the time of all of them.
 */

export const concurrency = 32

export interface Job {
  readonly path: string
  /** What every answer has to be. */
  readonly status: number
  /** Of each request. */
  readonly headers: ReadonlyArray<Record<string, string>>
}

export type Call = (path: string, headers?: Record<string, string>) => Promise<{ readonly status: number }>

/** Milliseconds that it takes to have all requests answered. */
export const sendAll = async (call: Call, { headers, path, status }: Job): Promise<number> => {
  let next = 0
  const started = performance.now()
  const caller = async (): Promise<void> => {
    while (next < headers.length) {
      const response = await call(path, headers[next++])
      if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, caller))
  return performance.now() - started
}
