import { decodePaymentResponseHeader } from "@x402/fetch"

/** A paid call with a 200 response. */
export interface PaidCall {
  readonly response: Response
  /** The price in the 402 response, in atomic units. */
  readonly priceAtomic: bigint
  /** The payment's transaction: a hash, or a signature on Solana. */
  readonly transaction: string
  /** The header that paid: it resumes an interrupted download. */
  readonly payment: string
}

/** Makes and pays one call. */
export type Call = (method: string, path: string, body?: unknown) => Promise<PaidCall>

/**
 * Makes calls with a paying `fetch`, and records the price of each 402. `payer` creates the official client
 * on top of the given plain `fetch`.
 */
export const payingCalls =
  (baseUrl: string, payer: (base: typeof fetch) => typeof fetch): Call =>
  async (method, path, body) => {
    let priceAtomic: bigint | undefined
    let payment: string | null = null
    const listening: typeof fetch = async (input, init) => {
      // Not by instanceof: a server's library may have replaced the global class.
      const headers = typeof input === "object" && "headers" in input ? input.headers : init?.headers
      payment = new Headers(headers).get("payment-signature")
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
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
    }
    const receipt = response.headers.get("payment-response")
    if (priceAtomic === undefined || receipt === null || payment === null) {
      throw new Error(`${method} ${path} returned 200 without a payment.`)
    }
    return { response, payment, priceAtomic, transaction: decodePaymentResponseHeader(receipt).transaction }
  }

/** The amount of the first payment option of a 402; it is the same on every network of the sandbox. */
const priceOf = (response: Response): bigint => {
  const header = response.headers.get("payment-required")
  if (header === null) throw new Error("A 402 response has no PAYMENT-REQUIRED header.")
  const challenge = JSON.parse(Buffer.from(header, "base64").toString("utf8")) as {
    readonly accepts: ReadonlyArray<{ readonly amount: string }>
  }
  const [first] = challenge.accepts
  if (first === undefined) throw new Error("A 402 response offers no payment option.")
  return BigInt(first.amount)
}
