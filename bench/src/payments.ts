import { createHash, randomBytes } from "node:crypto"
import { createRequire } from "node:module"
import { bytesToHex, concat, type Hex, hexToBytes, keccak256, pad, stringToHex, toHex } from "viem"

/*
 * Payments of many accounts in the stablecoin of Base Sepolia. They are signed and recovered by the C library: neither a
 * caller nor a facilitator should be what is measured.
 */

export const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"
export const asset = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
export const network = "eip155:84532"

export const types = {
  TransferWithAuthorization: [
    { name: "from", type: "address" },
    { name: "to", type: "address" },
    { name: "value", type: "uint256" },
    { name: "validAfter", type: "uint256" },
    { name: "validBefore", type: "uint256" },
    { name: "nonce", type: "bytes32" }
  ]
} as const
export const domain = { name: "USDC", version: "2", chainId: 84532, verifyingContract: asset } as const

interface Secp256k1 {
  readonly publicKeyCreate: (key: Uint8Array, compressed: boolean) => Uint8Array
  readonly ecdsaSign: (
    hash: Uint8Array,
    key: Uint8Array
  ) => { readonly signature: Uint8Array; readonly recid: number }
  readonly ecdsaRecover: (
    signature: Uint8Array,
    recid: number,
    hash: Uint8Array,
    compressed: boolean
  ) => Uint8Array
}
const secp256k1 = createRequire(import.meta.url)("secp256k1") as Secp256k1

/** An account that signs payments. */
export interface Key {
  readonly secret: Uint8Array
  readonly address: Hex
}

const addressOf = (publicKey: Uint8Array): Hex => `0x${keccak256(publicKey.subarray(1)).slice(26)}`

export const makeKey = (secret: Uint8Array = randomBytes(32)): Key => ({
  secret,
  address: addressOf(secp256k1.publicKeyCreate(secret, false))
})

/** The same key for the same name, in every process. */
export const keyNamed = (name: string): Key => makeKey(createHash("sha256").update(name).digest())

/** What a payer signs, as it stands in a payment's header. */
export interface Authorization {
  readonly from: Hex
  readonly to: Hex
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: Hex
}

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

const digestOf = ({ from, nonce, to, validAfter, validBefore, value }: Authorization): Uint8Array => {
  const words = [
    typeHash,
    pad(from, { size: 32 }),
    pad(to, { size: 32 }),
    ...[value, validAfter, validBefore].map((word) => toHex(BigInt(word), { size: 32 })),
    nonce
  ]
  return hexToBytes(keccak256(concat(["0x1901", separator, keccak256(concat(words))])))
}

/** The account that signed an authorization. */
export const signerOf = (authorization: Authorization, signature: Hex): Hex => {
  const bytes = hexToBytes(signature)
  const digest = digestOf(authorization)
  return addressOf(secp256k1.ecdsaRecover(bytes.subarray(0, 64), bytes[64]! - 27, digest, false))
}

/** What a 402 offers, and what it is for. */
export interface Challenge {
  readonly accepts: ReadonlyArray<{ readonly amount: string; readonly maxTimeoutSeconds: number }>
  readonly resource: unknown
}

/** Reads the challenge in a header of a 402. */
export const readChallenge = (header: string | null | undefined): Challenge =>
  JSON.parse(Buffer.from(header ?? "", "base64").toString("utf8")) as Challenge

/** The header of a fresh payment by a key. */
export const signPayment = ({ accepts, resource }: Challenge, { address, secret }: Key): string => {
  const accepted = accepts[0]!
  const now = Math.floor(Date.now() / 1000)
  const authorization: Authorization = {
    from: address,
    to: payTo,
    value: accepted.amount,
    validAfter: String(now - 60),
    validBefore: String(now + accepted.maxTimeoutSeconds),
    nonce: bytesToHex(randomBytes(32))
  }
  const { recid, signature } = secp256k1.ecdsaSign(digestOf(authorization), secret)
  const payload = { signature: bytesToHex(new Uint8Array([...signature, 27 + recid])), authorization }
  return Buffer.from(JSON.stringify({ x402Version: 2, accepted, resource, payload })).toString("base64")
}

/** Many, so that no limit of one payer decides. */
const customers = Array.from({ length: 200 }, (_, index) => keyNamed(`customer ${index}`))

/** Fresh payments of 200 customers in turn. */
export const signPayments = (challenge: Challenge, count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => signPayment(challenge, customers[index % customers.length]!))
