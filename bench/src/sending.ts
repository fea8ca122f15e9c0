/* Sends requests with limited concurrency and measures the total time. */

/** Requests at a time, of all clients of a server. */
export const allAtOnce = 32

export interface Job {
  /** Requests at a time. */
  readonly concurrency?: number
  readonly path: string
  /** The expected status of every response. */
  readonly status: number
  /** Of each request. */
  readonly headers: ReadonlyArray<Record<string, string>>
}

export type Call = (path: string, headers?: Record<string, string>) => Promise<{ readonly status: number }>

/** Milliseconds until all responses have arrived. */
export const sendAll = async (
  call: Call,
  { concurrency = allAtOnce, headers, path, status }: Job
): Promise<number> => {
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
