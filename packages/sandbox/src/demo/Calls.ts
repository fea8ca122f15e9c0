import { decodePaymentResponseHeader } from "@x402/fetch"

/** A paid call that was answered 200. */
export interface PaidCall {
  readonly response: Response
  /** What was asked for it, in atomic units. */
  readonly priceAtomic: bigint
  /** Hash of the transaction that moved the money. */
  readonly transaction: string
}

/** Makes one call, and pays for it. */
export type Call = (method: string, path: string, body?: unknown) => Promise<PaidCall>

/**
 * Calls through a paying `fetch`, and notes the price that the 402 asked by listening in below it:
 * `payer` makes the official client over the given plain `fetch`.
 */
export const payingCalls =
  (baseUrl: string, payer: (base: typeof fetch) => typeof fetch): Call =>
  async (method, path, body) => {
    let priceAtomic: bigint | undefined
    const listening: typeof fetch = async (input, init) => {
      const response = await fetch(input, init)
      if (response.status === 402) priceAtomic = priceOf(response)
      return response
    }
    const response = await payer(listening)(baseUrl + path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
    })
    if (response.status !== 200) {
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`)
    }
    const receipt = response.headers.get("payment-response")
    if (priceAtomic === undefined || receipt === null) {
      throw new Error(`${method} ${path} was answered without a payment.`)
    }
    return { response, priceAtomic, transaction: decodePaymentResponseHeader(receipt).transaction }
  }

/** The amount of the first way to pay that a 402 offers; the sandbox offers one. */
const priceOf = (response: Response): bigint => {
  const header = response.headers.get("payment-required")
  if (header === null) throw new Error("A 402 came without its PAYMENT-REQUIRED header.")
  const challenge = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as {
    readonly accepts: ReadonlyArray<{ readonly amount: string }>
  }
  const [first] = challenge.accepts
  if (first === undefined) throw new Error("A 402 offered no way to pay.")
  return BigInt(first.amount)
}
