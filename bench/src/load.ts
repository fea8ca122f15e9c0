import type { Contender } from "./servers.ts"

/*
 * Load for one contender: so many requests at once, and how many a second were answered.
 */

export const concurrency = 32

/** Requests per second of sending all headers. */
export const load = async (
  contender: Contender,
  status: number,
  headers: ReadonlyArray<Record<string, string>>
): Promise<number> => {
  let next = 0
  const started = performance.now()
  const worker = async (): Promise<void> => {
    while (next < headers.length) {
      const response = await contender.call("/x402/search?q=mouse", headers[next++])
      if (response.status !== status) throw new Error(`expected ${status}, got ${response.status}`)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  return headers.length / ((performance.now() - started) / 1000)
}

/** Makes so many payments for what a challenge asks. */
export type Make = (
  accepted: { readonly maxTimeoutSeconds: number },
  resource: unknown,
  count: number
) => Array<string> | Promise<Array<string>>

const challengeOf = async (contender: Contender) => {
  const { headers } = await contender.call("/x402/search")
  const text = Buffer.from(headers.get("payment-required")!, "base64").toString("utf8")
  return JSON.parse(text) as {
    readonly accepts: ReadonlyArray<{ readonly maxTimeoutSeconds: number }>
    readonly resource: unknown
  }
}

/** Headers of requests that pay, each with a payment of its own. */
export const paidHeaders = async (
  contender: Contender,
  make: Make,
  count: number
): Promise<ReadonlyArray<Record<string, string>>> => {
  const { accepts, resource } = await challengeOf(contender)
  return (await make(accepts[0]!, resource, count)).map((value) => ({ "payment-signature": value }))
}

export const median = (values: ReadonlyArray<number>): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!
