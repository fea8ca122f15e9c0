import { ConfigurationError } from "@till402/core"
import { createKeyPairFromBytes, getBase58Decoder, getBase58Encoder, signBytes } from "@solana/kit"

/** Signs for the wallet that pays refunds, with a key in this process or at a custody service. */
export interface SolanaSigner {
  /** The wallet's address in base58. */
  readonly address: string
  /** Returns the Ed25519 signature (64 bytes) of a transaction's message. */
  readonly sign: (message: Uint8Array) => Promise<Uint8Array>
}

const wrong = (): ConfigurationError =>
  new ConfigurationError({
    message: "solanaSigner: the secret key must be 64 bytes, in base58 or as the JSON array of solana-keygen"
  })

const secretBytes = (text: string): Uint8Array | undefined => {
  try {
    if (!text.startsWith("[")) return Uint8Array.from(getBase58Encoder().encode(text))
    const numbers: unknown = JSON.parse(text)
    const isByte = (value: unknown): value is number =>
      Number.isInteger(value) && value === Number(value) % 256
    return Array.isArray(numbers) && numbers.every(isByte) ? Uint8Array.from(numbers) : undefined
  } catch {
    return undefined
  }
}

/**
 * A signer over a secret key of 64 bytes: base58 text as wallets export it, or the JSON array in the file of
 * `solana-keygen`. The key's second half must be the address that belongs to the first; signing fails otherwise.
 *
 * @throws ConfigurationError for any other text; its message doesn't quote the key
 * @example
 * import { solanaSigner } from "@till402/providers/solana-refunds"
 *
 * const signer = solanaSigner(process.env["SOLANA_REFUND_KEY"] ?? "")
 */
export const solanaSigner = (secretKey: string): SolanaSigner => {
  const bytes = secretBytes(secretKey.trim())
  if (bytes === undefined || bytes.length !== 64) throw wrong()
  const keyPair = createKeyPairFromBytes(bytes)
  // Reported with the first signature, where a rejection can be handled.
  keyPair.catch(() => undefined)
  return {
    address: getBase58Decoder().decode(bytes.slice(32)),
    sign: async (message) => signBytes((await keyPair).privateKey, message)
  }
}
