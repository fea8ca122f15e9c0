import { fromBase58 } from "../../domain/Base58.ts"
import { addressBytes } from "../../domain/SolanaAddress.ts"

/** Whether the key of a Solana address has signed a message, by the platform's ed25519. */
export const isSignedBy = async (
  address: string,
  signature: Uint8Array,
  message: Uint8Array
): Promise<boolean> => {
  const bytes = fromBase58(address, addressBytes)
  if (bytes === undefined) return false
  try {
    const key = await crypto.subtle.importKey("raw", Uint8Array.from(bytes), "Ed25519", false, ["verify"])
    return await crypto.subtle.verify("Ed25519", key, Uint8Array.from(signature), Uint8Array.from(message))
  } catch {
    // The platform refuses an address that is no point of the curve.
    return false
  }
}
