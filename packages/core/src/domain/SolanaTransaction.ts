import { sha256 } from "@noble/hashes/sha2"
import { bytesToHex } from "@noble/hashes/utils"
import { toBase58 } from "./Base58.ts"
import { fromBase64 } from "./Base64.ts"
import { addressBytes, signatureBytes } from "./SolanaAddress.ts"

/*
 * Reads a signed Solana transaction: signatures, then a message, legacy or version 0. Pure and bounded.
 * https://solana.com/docs/core/transactions
 */

/** Longest transaction that the network carries, in bytes. */
export const maxTransactionBytes = 1232

export interface SolanaInstruction {
  /** Address of the program. */
  readonly program: string
  /** Addresses that the program receives, in its order. */
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array
}

/** A signed transaction whose accounts are all listed in its message. */
export interface SolanaTransaction {
  /** The signed bytes. */
  readonly message: Uint8Array
  /** SHA-256 of the message, in lower-case hexadecimal. The network accepts a message once. */
  readonly digest: string
  /** One per signer, in the order of `accounts`; 64 zeros where a signature is missing. */
  readonly signatures: ReadonlyArray<Uint8Array>
  /** Addresses; the first is the fee payer, and the first `signatures.length` sign. */
  readonly accounts: ReadonlyArray<string>
  /** Hash of a recent block, in base58: the message is valid for 150 blocks after it. */
  readonly blockhash: string
  readonly instructions: ReadonlyArray<SolanaInstruction>
}

/** A transaction, or why the bytes are none. */
export type TransactionReading =
  | { readonly _tag: "Transaction"; readonly transaction: SolanaTransaction }
  | { readonly _tag: "Malformed"; readonly reason: string }

class Malformed extends Error {}

/** Reads bytes in order; throws {@link Malformed} past their end. */
class ByteReader {
  private at = 0
  private readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.at === this.bytes.length
  }

  take(length: number): Uint8Array {
    const end = this.at + length
    if (end > this.bytes.length) throw new Malformed("the transaction ends too early")
    const taken = this.bytes.subarray(this.at, end)
    this.at = end
    return taken
  }

  rest(): Uint8Array {
    return this.take(this.bytes.length - this.at)
  }

  byte(): number {
    return this.take(1)[0]!
  }

  /** A length: 7 bits a byte, lowest first, in its shortest form. A third byte would exceed any transaction. */
  length(): number {
    const low = this.byte()
    if (low < 0x80) return low
    const high = this.byte()
    if (high === 0 || high >= 0x80) throw new Malformed("the transaction has a malformed length")
    return (low & 0x7f) | (high << 7)
  }

  /** A list of items of one size. */
  list(size: number): ReadonlyArray<Uint8Array> {
    return Array.from({ length: this.length() }, () => this.take(size))
  }
}

/** An instruction with the positions of its accounts. */
interface CompiledInstruction {
  readonly program: number
  readonly accounts: Uint8Array
  readonly data: Uint8Array
}

const readInstruction = (reader: ByteReader): CompiledInstruction => ({
  program: reader.byte(),
  accounts: reader.take(reader.length()),
  data: reader.take(reader.length())
})

const namedInstruction = (
  { accounts, data, program }: CompiledInstruction,
  listed: ReadonlyArray<string>
): SolanaInstruction => {
  const account = (index: number): string => {
    const address = listed[index]
    if (address === undefined) throw new Malformed("an instruction names an account that isn't listed")
    return address
  }
  return { program: account(program), accounts: Array.from(accounts, account), data }
}

const readMessage = (message: Uint8Array, signatures: ReadonlyArray<Uint8Array>): SolanaTransaction => {
  const reader = new ByteReader(message)
  const first = reader.byte()
  const isLegacy = first < 0x80
  if (!isLegacy && first !== 0x80) throw new Malformed("the message must be legacy or of version 0")
  const signers = isLegacy ? first : reader.byte()
  const readonlySigners = reader.byte()
  const readonlyOthers = reader.byte()
  const accounts = reader.list(addressBytes).map(toBase58)
  if (
    signers !== signatures.length ||
    readonlySigners >= signers ||
    signers + readonlyOthers > accounts.length
  )
    throw new Malformed("the message's header doesn't fit its accounts and signatures")
  if (new Set(accounts).size !== accounts.length) throw new Malformed("the message lists an account twice")
  const blockhash = toBase58(reader.take(addressBytes))
  const compiled = Array.from({ length: reader.length() }, () => readInstruction(reader))
  // A lookup table would have to be read, and its owner can close it before the settlement: none is accepted.
  if (!isLegacy && reader.length() !== 0)
    throw new Malformed("the transaction uses address lookup tables; list all accounts in the message")
  if (!reader.isAtEnd) throw new Malformed("the transaction has bytes after its end")
  const instructions = compiled.map((instruction) => namedInstruction(instruction, accounts))
  return { message, digest: bytesToHex(sha256(message)), signatures, accounts, blockhash, instructions }
}

/** Reads the bytes of a transaction. Never throws. */
export const readTransaction = (bytes: Uint8Array): TransactionReading => {
  if (bytes.length > maxTransactionBytes)
    return { _tag: "Malformed", reason: `the transaction is longer than ${maxTransactionBytes} bytes` }
  try {
    const reader = new ByteReader(bytes)
    const signatures = reader.list(signatureBytes)
    return { _tag: "Transaction", transaction: readMessage(reader.rest(), signatures) }
  } catch (error) {
    if (error instanceof Malformed) return { _tag: "Malformed", reason: error.message }
    throw error
  }
}

/** Reads a transaction in base64. Never throws. */
export const readBase64Transaction = (text: string): TransactionReading => {
  const isTooLong = text.length > Math.ceil(maxTransactionBytes / 3) * 4
  const bytes = isTooLong || text.length % 4 !== 0 ? undefined : fromBase64(text)
  return bytes === undefined
    ? { _tag: "Malformed", reason: "payload.transaction is not base64 of a transaction" }
    : readTransaction(bytes)
}
