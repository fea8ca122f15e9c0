import { registerExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/**
 * Creates a `fetch` that pays 402 responses with the official version-2 client.
 *
 * `maxDollars` is its limit per payment; the official default is one dollar. `base` sends the requests: by default
 * over the network, and `(input, init) => till.fetch(new Request(input, init))` pays a till without a server.
 * `tokens` are contracts of other dollars than USDC that it may pay with, with the same limit; default none.
 *
 * @example
 * const pay = payingFetch(wallet.privateKey)
 * const response = await pay(`${sandbox.baseUrl}/x402/search?q=lamp`)
 */
export const payingFetch = (
  privateKey: Hex,
  maxDollars = 1_000,
  base: typeof fetch = fetch,
  tokens: ReadonlyArray<Hex> = []
): typeof fetch => {
  const client = registerExactEvmScheme(new x402Client(), { signer: privateKeyToAccount(privateKey) })
  client.setSpendControls({
    maxAmountPerPayment: `$${maxDollars}`,
    allowedAssets: tokens.map((asset) => ({
      network: "eip155:*",
      asset,
      maxAmountPerPayment: String(Math.round(maxDollars * 1_000_000))
    }))
  })
  return wrapFetchWithPayment(base, client) as typeof fetch
}
