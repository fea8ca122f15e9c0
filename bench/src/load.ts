import type { Contender } from "./servers.ts"

/* Load for one contender: requests per second, and payments to send with them. */

/** Requests per second of sending all headers. */
export const load = async (
  contender: Contender,
  status: number,
  headers: ReadonlyArray<Record<string, string>>
): Promise<number> =>
  headers.length / ((await contender.sendAll({ path: contender.path, status, headers })) / 1000)

/** Makes this many payments for a challenge. */
export type Make = (
  accepted: { readonly maxTimeoutSeconds: number },
  resource: unknown,
  count: number
) => Array<string> | Promise<Array<string>>

const challengeOf = async (contender: Contender) => {
  const { headers } = await contender.call(contender.path)
  const text = Buffer.from(headers.get("payment-required")!, "base64").toString("utf8")
  return JSON.parse(text) as {
    readonly accepts: ReadonlyArray<{ readonly maxTimeoutSeconds: number }>
    readonly resource: unknown
  }
}

/** Request headers, each with its own payment. */
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
