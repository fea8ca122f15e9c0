import {
  type Address,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getAddressDecoder,
  getBase58Decoder,
  getBase58Encoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type EncodedAccount,
  type Transaction
} from "@solana/kit"

/** Only these two versions are on the public networks. */
type CompiledMessage = Extract<
  CompiledTransactionMessage & CompiledTransactionMessageWithLifetime,
  { readonly version: 0 | "legacy" }
>

/** A transaction as it was sent, and its parts. */
export interface WireTransaction {
  readonly bytes: Uint8Array
  readonly transaction: Transaction
  readonly message: CompiledMessage
  /** Base58; `undefined` if the fee payer hasn't signed. */
  readonly signature: string | undefined
  /** Base58, in the order of the message's signers; unsigned ones are all zeros. */
  readonly signatures: ReadonlyArray<string>
}

/** Solana accepts no larger transaction: it must fit into one packet. */
export const maxTransactionBytes = 1232

const emptySignature = new Uint8Array(64)

/** Reads a transaction of base58 or base64; `undefined` if it is none, or too large. */
export const readTransaction = (text: string, encoding: "base58" | "base64"): WireTransaction | undefined => {
  if (text.length > maxTransactionBytes * 2) return undefined
  try {
    const encoder = encoding === "base58" ? getBase58Encoder() : getBase64Encoder()
    const bytes = new Uint8Array(encoder.encode(text))
    if (bytes.length > maxTransactionBytes) return undefined
    const transaction = getTransactionDecoder().decode(bytes)
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes)
    if (message.version !== 0 && message.version !== "legacy") return undefined
    const given = Object.values(transaction.signatures)
    const signatures = given.map((signature) => getBase58Decoder().decode(signature ?? emptySignature))
    const signed = given[0] !== null && given[0] !== undefined
    return { bytes, transaction, message, signature: signed ? signatures[0] : undefined, signatures }
  } catch {
    return undefined
  }
}

/** Addresses that a message takes from lookup tables. */
export interface LoadedAddresses {
  readonly writable: ReadonlyArray<Address>
  readonly readonly: ReadonlyArray<Address>
}

/** The addresses of a lookup table follow its 56 bytes of metadata. */
const lookupTableHeaderBytes = 56
const addressBytes = 32

/** Resolves a message's lookup tables; addresses that a table doesn't have are left out. */
export const loadedAddresses = (
  message: CompiledMessage,
  account: (address: Address) => EncodedAccount | undefined
): LoadedAddresses => {
  const lookups = "addressTableLookups" in message ? (message.addressTableLookups ?? []) : []
  const resolve = (table: Address, indexes: ReadonlyArray<number>): ReadonlyArray<Address> => {
    const data = account(table)?.data ?? new Uint8Array()
    return indexes.flatMap((index) => {
      const start = lookupTableHeaderBytes + index * addressBytes
      const bytes = data.slice(start, start + addressBytes)
      return bytes.length < addressBytes ? [] : [getAddressDecoder().decode(bytes)]
    })
  }
  return {
    writable: lookups.flatMap((lookup) => resolve(lookup.lookupTableAddress, lookup.writableIndexes)),
    readonly: lookups.flatMap((lookup) => resolve(lookup.lookupTableAddress, lookup.readonlyIndexes))
  }
}
