import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch"

/**
 * The official client of protocol version 1, unmodified. It refuses to pay more than `maxAtomic`; its own default is
 * 0.10 USDC.
 */
export const payingFetchV1 = (privateKey: Hex, maxAtomic: bigint): typeof fetch =>
  wrapFetchWithPayment(fetch, privateKeyToAccount(privateKey), maxAtomic) as typeof fetch

export { decodeXPaymentResponse }
