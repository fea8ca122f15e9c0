import { createHash, randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { bytesToHex, concat, type Hex, hexToBytes, keccak256, pad, stringToHex, toHex } from "viem"
import { amountAtomic, asset, domain, payTo } from "./payments.ts"

/*
 * Payments of many keys, signed by the C library: a flood must not be slowed down by its own signing.
 */

interface Secp256k1 {
  readonly publicKeyCreate: (key: Uint8Array, compressed: boolean) => Uint8Array
  readonly ecdsaSign: (
    hash: Uint8Array,
    key: Uint8Array
  ) => { readonly signature: Uint8Array; readonly recid: number }
}
const secp256k1 = createRequire(import.meta.url)("secp256k1") as Secp256k1

/** An account that signs payments. */
export interface Key {
  readonly secret: Uint8Array
  readonly address: Hex
}

export const makeKey = (secret: Uint8Array = randomBytes(32)): Key => {
  const publicKey = secp256k1.publicKeyCreate(secret, false)
  return { secret, address: `0x${keccak256(publicKey.subarray(1)).slice(26)}` }
}

/** The same key for the same name, in every process. */
export const keyNamed = (name: string): Key => makeKey(createHash("sha256").update(name).digest())

const hashOf = (text: string): Hex => keccak256(stringToHex(text))
const separator = keccak256(
  concat([
    hashOf("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
    hashOf(domain.name),
    hashOf(domain.version),
    toHex(domain.chainId, { size: 32 }),
    pad(asset, { size: 32 })
  ])
)
const typeHash = hashOf(
  "TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)"
)

/** What a challenge offers, and what it is for. */
export interface Challenge {
  readonly accepts: ReadonlyArray<{ readonly maxTimeoutSeconds: number }>
  readonly resource: unknown
}

/** The header of a fresh payment by a key. */
export const signPayment = ({ accepts, resource }: Challenge, { address, secret }: Key): string => {
  const [accepted] = accepts
  const now = Math.floor(Date.now() / 1000)
  const validAfter = now - 60
  const validBefore = now + accepted!.maxTimeoutSeconds
  const nonce = bytesToHex(randomBytes(32))
  const words = [
    typeHash,
    pad(address, { size: 32 }),
    pad(payTo, { size: 32 }),
    ...[BigInt(amountAtomic), validAfter, validBefore].map((value) => toHex(value, { size: 32 })),
    nonce
  ]
  const digest = keccak256(concat(["0x1901", separator, keccak256(concat(words))]))
  const { recid, signature } = secp256k1.ecdsaSign(hexToBytes(digest), secret)
  const payload = {
    signature: bytesToHex(new Uint8Array([...signature, 27 + recid])),
    authorization: {
      from: address,
      to: payTo,
      value: amountAtomic,
      validAfter: String(validAfter),
      validBefore: String(validBefore),
      nonce
    }
  }
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted, resource, payload })).toString("base64")
}
