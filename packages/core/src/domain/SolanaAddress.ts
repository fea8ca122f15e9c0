import { sha256 } from "@noble/hashes/sha2"
import { fromBase58, toBase58 } from "./Base58.ts"

/*
 * Addresses of Solana, and the token account in which a wallet holds a token.
 */

export const addressBytes = 32
export const signatureBytes = 64

const associatedTokenProgram = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
const encoder = new TextEncoder()

/** Whether a text is an address: base58 of 32 bytes. */
export const isSolanaAddress = (text: string): boolean => fromBase58(text, addressBytes) !== undefined

/** Whether a text is the ID of a transaction, which is its first signature: base58 of 64 bytes. */
export const isSolanaTransactionId = (text: string): boolean => fromBase58(text, signatureBytes) !== undefined

const bytesOf = (address: string): Uint8Array => {
  const bytes = fromBase58(address, addressBytes)
  if (bytes === undefined) throw new RangeError("not a Solana address")
  return bytes
}

/** The prime of the field over which ed25519 is defined, and its curve constant. */
const prime = 2n ** 255n - 19n
const curve = 37095705934669439343138083508754565189542113879843219016388785533085940283555n

const modulo = (value: bigint): bigint => ((value % prime) + prime) % prime

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n
  let factor = modulo(base)
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = (result * factor) % prime
    factor = (factor * factor) % prime
  }
  return result
}

/**
 * Whether 32 bytes encode a point of ed25519, and so may be a public key (RFC 8032, section 5.1.3), by the rule of
 * Solana's runtime. Addresses that programs derive never do.
 */
export const isOnCurve = (bytes: Uint8Array): boolean => {
  const y = bytes.reduceRight(
    (value, byte, index) => value * 256n + BigInt(index === 31 ? byte & 0x7f : byte),
    0n
  )
  const squared = modulo(y * y)
  // x² = (y² - 1) / (d·y² + 1): a square if the product is one. The divisor is never 0, since -1/d is no square.
  const product = modulo((squared - 1n) * modulo(curve * squared + 1n))
  return product === 0n || power(product, (prime - 1n) / 2n) === 1n
}

/** The address that a program derives from seeds: the first one, counting down, that is no public key. */
const derivedAddress = (seeds: ReadonlyArray<Uint8Array>, program: string): string => {
  for (let bump = 255; bump >= 0; bump--) {
    const hash = sha256.create()
    for (const seed of seeds) hash.update(seed)
    hash.update(Uint8Array.of(bump)).update(bytesOf(program)).update(encoder.encode("ProgramDerivedAddress"))
    const address = hash.digest()
    if (!isOnCurve(address)) return toBase58(address)
  }
  throw new RangeError("no address can be derived")
}

/**
 * The associated token account: where a wallet receives a token.
 *
 * @param owner the wallet's address
 * @param mint the token's mint
 * @param tokenProgram the program that owns the mint: Token or Token-2022
 * @throws RangeError if one of them is not an address
 */
export const associatedTokenAccount = (owner: string, mint: string, tokenProgram: string): string =>
  derivedAddress([bytesOf(owner), bytesOf(tokenProgram), bytesOf(mint)], associatedTokenProgram)
