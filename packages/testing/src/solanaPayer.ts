import { createKeyPairSignerFromBytes, getBase58Encoder, type KeyPairSigner } from "@solana/kit"
import { x402Client, x402HTTPClient } from "@x402/fetch"
import { ExactSvmScheme } from "@x402/svm/exact/client"

/*
 * The official version-2 client on Solana, like `evmPayer`. It needs the optional peers `@solana/kit` and `@x402/svm`.
 */

/** How a payer pays on Solana. */
export interface SolanaPayerOptions {
  readonly signer: KeyPairSigner
  /** Limit per payment, in US dollars; the official default is one dollar. */
  readonly maxDollars: number
  /** Node that names the newest block and the mint; default: a public one. */
  readonly rpcUrl?: string
}

/** Makes the official client of a wallet on Solana. It refuses what exceeds the limit, and assets that it doesn't know. */
export const solanaPayer = ({ maxDollars, rpcUrl, signer }: SolanaPayerOptions): x402HTTPClient => {
  const scheme = new ExactSvmScheme(signer, rpcUrl === undefined ? {} : { rpcUrl })
  const client = new x402Client().register("solana:*", scheme)
  client.setSpendControls({ maxAmountPerPayment: `$${maxDollars}` })
  return new x402HTTPClient(client)
}

/**
 * Reads a wallet's key pair of 64 bytes: in base58, as wallets export it, or as the JSON list of Solana's own command.
 * Rejects with `TypeError` if it is none; the text isn't part of the error.
 *
 * @example
 * import { readSolanaKey, solanaPayer } from "@till402/testing/solana-payer"
 *
 * const signer = await readSolanaKey(process.env["SOLANA_KEY"] ?? "")
 * const payer = solanaPayer({ signer, maxDollars: 1 })
 */
export const readSolanaKey = async (text: string): Promise<KeyPairSigner> => {
  try {
    const bytes = text.trimStart().startsWith("[")
      ? Uint8Array.from(JSON.parse(text) as ReadonlyArray<number>)
      : Uint8Array.from(getBase58Encoder().encode(text.trim()))
    return await createKeyPairSignerFromBytes(bytes)
  } catch {
    // Its own errors may quote the key.
    throw new TypeError("the key must be a key pair of 64 bytes, in base58 or as a list of numbers")
  }
}
