import type { KeyPairSigner } from "@solana/kit"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import { ExactSvmScheme } from "@x402/svm/exact/client"
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
  chain: Pick<SolanaChain, "caip2" | "rpcUrl">,
  signer: KeyPairSigner,
  maxDollars = 1_000,
  base: typeof fetch = fetch
): typeof fetch => {
  const client = new x402Client().register(chain.caip2, new ExactSvmScheme(signer, { rpcUrl: chain.rpcUrl }))
  client.setSpendControls({ maxAmountPerPayment: `$${maxDollars}` })
  return wrapFetchWithPayment(base, client) as typeof fetch
}
