import { createHash } from "node:crypto"
import { toBase58 } from "../../../src/domain/Base58.ts"

/*
 * Reads transactions as validators do, by the documentation and not by the till's reader:
 * https://solana.com/docs/core/transactions
 */

export interface WireInstruction {
  readonly program: string
  readonly accounts: ReadonlyArray<string>
  readonly data: Uint8Array
}

export interface WireTransaction {
  readonly bytes: Uint8Array
  /** The ID: the first signature, in base58. */
  readonly signature: string
  readonly signatures: ReadonlyArray<Uint8Array>
  readonly message: Uint8Array
  /** Identifies the message; validators keep it while its blockhash is recent. */
  readonly digest: string
  readonly blockhash: string
  readonly accounts: ReadonlyArray<string>
  readonly instructions: ReadonlyArray<WireInstruction>
}

/** Reads bytes of the compact-array format. */
class Cursor {
  private at = 0
  private readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  take(count: number): Uint8Array {
    this.at += count
    return this.bytes.slice(this.at - count, this.at)
  }

  byte(): number {
    return this.take(1)[0]!
  }

  count(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte()
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }

  rest(): Uint8Array {
    return this.bytes.slice(this.at)
  }
}

/** Reads a transaction that a wallet of the simulation made. */
export const readWire = (given: Uint8Array): WireTransaction => {
  // Slices of a `Buffer` would share its memory.
  const bytes = Uint8Array.from(given)
  const envelope = new Cursor(bytes)
  const signatures = Array.from({ length: envelope.count() }, () => envelope.take(64))
  const message = envelope.rest()
  const cursor = new Cursor(message)
  const first = cursor.byte()
  // The top bit tells a version from the number of signers of a legacy message.
  if (first >= 0x80) cursor.byte()
  cursor.take(2)
  const accounts = Array.from({ length: cursor.count() }, () => toBase58(cursor.take(32)))
  const blockhash = toBase58(cursor.take(32))
  const instructions = Array.from({ length: cursor.count() }, (): WireInstruction => {
    const program = accounts[cursor.byte()]!
    const named = Array.from(cursor.take(cursor.count()), (index) => accounts[index]!)
    return { program, accounts: named, data: cursor.take(cursor.count()) }
  })
  return {
    bytes,
    signature: toBase58(signatures[0]!),
    signatures,
    message,
    digest: createHash("sha256").update(message).digest("hex"),
    blockhash,
    accounts,
    instructions
  }
}

export const littleEndianOf = (bytes: Uint8Array): bigint =>
  bytes.reduceRight((value, byte) => value * 256n + BigInt(byte), 0n)
