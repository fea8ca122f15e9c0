import { type Hex, hexToBytes, keccak256, recoverAddress } from "viem"

/** What is used of the package `secp256k1`. */
interface Secp256k1 {
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recovery: number,
    hash: Uint8Array,
    compressed: boolean
  ) => Uint8Array
}

/**
 * `secp256k1`, an optional peer, binds the C library of Bitcoin Core: some twenty times as fast as
 * viem's arithmetic in JavaScript, which serves wherever it is not installed or can't run. The name
 * stands in a variable so that no bundler asks for the package.
 */
const loadNative = async (): Promise<Secp256k1 | undefined> => {
  const name = "secp256k1"
  try {
    const loaded = (await import(/* @vite-ignore */ name)) as { readonly default: Secp256k1 }
    return loaded.default
  } catch {
    return undefined
  }
}

let native: Promise<Secp256k1 | undefined> | undefined

/** The account whose key made an ordinary signature (65 bytes, v of 27 or 28) of a hash; `undefined` for none. */
export const recoverSigner = async (hash: Hex, signature: Hex): Promise<Hex | undefined> => {
  native ??= loadNative()
  const library = await native
  try {
    if (library === undefined) return await recoverAddress({ hash, signature })
    const bytes = hexToBytes(signature)
    const key = library.ecdsaRecover(bytes.subarray(0, 64), bytes[64]! - 27, hexToBytes(hash), false)
    // An address is the end of the hash of the public key, the 0x04 before it left out.
    return `0x${keccak256(key.subarray(1)).slice(-40)}`
  } catch {
    return undefined
  }
}
