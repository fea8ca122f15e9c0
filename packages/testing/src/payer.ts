import { registerExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPayment, x402Client, x402HTTPClient } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"

/*
 * The official version-2 client on EVM networks, without a chain of its own: the one payer of the command `till402`, of
 * the sandbox and of tests.
 */

/** Reads challenges and receipts, and writes headers of signed payments, for which no wallet is needed. */
export const paymentReader: Pick<
  x402HTTPClient,
  "encodePaymentSignatureHeader" | "getPaymentRequiredResponse" | "getPaymentSettleResponse"
> = new x402HTTPClient(new x402Client())

/** How a payer pays. */
export interface PayerOptions {
  /** Of the wallet: `0x` and 64 hexadecimal digits. */
  readonly privateKey: `0x${string}`
  /** Limit per payment, in US dollars; the official default is one dollar. */
  readonly maxDollars: number
  /** Contracts of other dollars than USDC that it may pay with, with the same limit; default none. */
  readonly tokens?: ReadonlyArray<string>
}

/**
 * Makes the official client of a wallet: it reads a 402, signs a payment for it, and reads the receipt. It refuses what
 * exceeds the limit, and assets that it doesn't know.
 *
 * @example
 * import { evmPayer } from "@till402/testing/payer"
 *
 * const unpaid = await fetch("http://127.0.0.1:4021/x402/search?q=lamp")
 * const payer = evmPayer({ privateKey: wallet.privateKey, maxDollars: 1 })
 * const challenge = payer.getPaymentRequiredResponse((name) => unpaid.headers.get(name), await unpaid.json())
 * const headers = payer.encodePaymentSignatureHeader(await payer.createPaymentPayload(challenge))
 */
export const evmPayer = ({ maxDollars, privateKey, tokens = [] }: PayerOptions): x402HTTPClient => {
  const client = registerExactEvmScheme(new x402Client(), { signer: privateKeyToAccount(privateKey) })
  client.setSpendControls({
    maxAmountPerPayment: `$${maxDollars}`,
    allowedAssets: tokens.map((asset) => ({
      network: "eip155:*",
      asset,
      maxAmountPerPayment: String(Math.round(maxDollars * 1_000_000))
    }))
  })
  return new x402HTTPClient(client)
}

/**
 * Creates a `fetch` that pays 402 responses with the official version-2 client.
 *
 * `maxDollars` is its limit per payment; the official default is one dollar. `base` sends the requests: by default
 * over the network, and `(input, init) => till.fetch(new Request(input, init))` pays a till without a server.
 * `tokens` are contracts of other dollars than USDC that it may pay with, with the same limit; default none.
 *
 * @example
 * import { payingFetch } from "@till402/testing/payer"
 *
 * const pay = payingFetch(wallet.privateKey)
 * const response = await pay("http://127.0.0.1:4021/x402/search?q=lamp")
 */
export const payingFetch = (
  privateKey: `0x${string}`,
  maxDollars = 1_000,
  base: typeof fetch = fetch,
  tokens: ReadonlyArray<string> = []
): typeof fetch => wrapFetchWithPayment(base, evmPayer({ privateKey, maxDollars, tokens })) as typeof fetch
