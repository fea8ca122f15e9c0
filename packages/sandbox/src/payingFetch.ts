import { registerExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client } from "@x402/fetch"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"

/**
 * The official client of protocol version 2, unmodified: a `fetch` that pays what a 402 asks for. Its own
 * default refuses more than one dollar; `maxDollars` is the limit that is set here. `base` does the calls.
 *
 * @example
 * const pay = payingFetch(wallet.privateKey)
 * const response = await pay(`${sandbox.baseUrl}/x402/search?q=lamp`)
 */
export const payingFetch = (
  privateKey: Hex,
  maxDollars = 1_000,
  base: typeof fetch = fetch
): typeof fetch => {
  const client = registerExactEvmScheme(new x402Client(), { signer: privateKeyToAccount(privateKey) })
  client.setSpendControls({ maxAmountPerPayment: `$${maxDollars}` })
  return wrapFetchWithPayment(base, client) as typeof fetch
}
