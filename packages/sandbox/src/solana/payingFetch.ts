import type { KeyPairSigner } from "@solana/kit"
import { solanaPayer } from "@till402/testing/solana-payer"
import { wrapFetchWithPayment } from "@x402/fetch"
import type { SolanaChain } from "./SolanaChain.ts"

/**
 * Creates a `fetch` that pays 402 responses on a local Solana chain with the official version-2 client.
 *
 * `maxDollars` is its limit per payment; the official default is one dollar. `base` sends the requests.
 *
 * @example
 * ```ts
 * const chain = await startSolanaChain()
 * const wallet = await chain.wallets(5)
 * await chain.mint(wallet.address, 5_000_000n) // 5 USDC
 * const pay = solanaPayingFetch(chain, wallet)
 * const response = await pay("https://shop.example/x402/search?q=lamp")
 * ```
 */
export const solanaPayingFetch = (
  chain: Pick<SolanaChain, "rpcUrl">,
  signer: KeyPairSigner,
  maxDollars = 1_000,
  base: typeof fetch = fetch
): typeof fetch =>
  wrapFetchWithPayment(base, solanaPayer({ signer, rpcUrl: chain.rpcUrl, maxDollars })) as typeof fetch
