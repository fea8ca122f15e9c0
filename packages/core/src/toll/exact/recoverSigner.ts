import { keccak_256 } from "@noble/hashes/sha3"
import { bytesToHex, type Hex, hexToBytes, recoverAddress } from "viem"

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

let loading: Promise<Secp256k1 | undefined> | undefined
/** Loaded already: then a signer is known at once. */
let native: Secp256k1 | undefined

const recoverNatively = (library: Secp256k1, hash: Uint8Array, signature: Hex): Hex | undefined => {
  try {
    const bytes = hexToBytes(signature)
    const key = library.ecdsaRecover(bytes.subarray(0, 64), bytes[64]! - 27, hash, false)
    // An address is the end of the hash of the public key, the 0x04 before it left out.
    return bytesToHex(keccak_256(key.subarray(1)).subarray(12))
  } catch {
    return undefined
  }
}

const recoverLater = async (hash: Uint8Array, signature: Hex): Promise<Hex | undefined> => {
  native = await (loading ??= loadNative())
  return native === undefined
    ? recoverAddress({ hash, signature }).catch(() => undefined)
    : recoverNatively(native, hash, signature)
}

/** The account whose key made an ordinary signature (65 bytes, v of 27 or 28) of a hash; `undefined` for none. */
export const recoverSigner = (hash: Uint8Array, signature: Hex): Hex | undefined | Promise<Hex | undefined> =>
  native === undefined ? recoverLater(hash, signature) : recoverNatively(native, hash, signature)
