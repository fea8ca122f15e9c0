import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { createSigner, decodeXPaymentResponse, wrapFetchWithPayment } from "x402-fetch"

/**
 * The official client of protocol version 1, unmodified. It refuses to pay more than `maxAtomic`; its own default is
 * 0.10 USDC. `base` sends the requests.
 */
export const payingFetchV1 = (privateKey: Hex, maxAtomic: bigint, base: typeof fetch = fetch): typeof fetch =>
  wrapFetchWithPayment(base, privateKeyToAccount(privateKey), maxAtomic) as typeof fetch

export { decodeXPaymentResponse }

/**
 * The same client on Solana's devnet, over another JSON-RPC endpoint. It chooses the option on Solana by itself.
 * `secretKey`: the 64 bytes of a key pair in base58. `base` sends the requests.
 */
export const solanaPayingFetchV1 = async (
  secretKey: string,
  rpcUrl: string,
  maxAtomic: bigint,
  base: typeof fetch = fetch
): Promise<typeof fetch> =>
  wrapFetchWithPayment(base, await createSigner("solana-devnet", secretKey), maxAtomic, undefined, {
    svmConfig: { rpcUrl }
  }) as typeof fetch
