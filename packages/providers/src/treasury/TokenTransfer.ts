import type { Hex } from "./Hex.ts"

/*
 * Prepares the transfer of a token as an unsigned transaction of type 2, for payees who name only an account and an
 * amount. The treasury sets number, gas and fees.
 */

type Item = Uint8Array | ReadonlyArray<Item>

/** The length of an item, before its content (RLP: https://ethereum.org/developers/docs/data-structures-and-encoding/rlp). */
const prefix = (length: number, offset: number): Uint8Array => {
  if (length < 56) return Uint8Array.of(offset + length)
  const size = bytesOf(BigInt(length))
  return Uint8Array.of(offset + 55 + size.length, ...size)
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...part]))

const encode = (item: Item): Uint8Array => {
  if (item instanceof Uint8Array) {
    const isItself = item.length === 1 && (item[0] ?? 0) < 0x80
    return isItself ? item : joined([prefix(item.length, 0x80), item])
  }
  const content = joined(item.map(encode))
  return joined([prefix(content.length, 0xc0), content])
}

const fromHex = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, index) =>
    Number.parseInt(hex.slice(2 * index, 2 * index + 2), 16)
  )

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("")

/** A number without leading zeros; zero is empty. */
const bytesOf = (value: bigint): Uint8Array => {
  const hex = value === 0n ? "" : value.toString(16)
  return fromHex(hex.length % 2 === 0 ? hex : `0${hex}`)
}

const word = (hex: string): string => hex.padStart(64, "0")

export interface TokenTransfer {
  readonly chainId: number
  /** Contract of the token. */
  readonly token: Hex
  readonly payee: Hex
  /** Below 2^256. */
  readonly amountAtomic: bigint
}

/** The unsigned transaction, serialized: `0x02…`. */
export const prepareTransfer = ({ amountAtomic, chainId, payee, token }: TokenTransfer): Hex => {
  // transfer(address,uint256)
  const call = `a9059cbb${word(payee.slice(2).toLowerCase())}${word(amountAtomic.toString(16))}`
  const none = new Uint8Array()
  const fields = [
    bytesOf(BigInt(chainId)),
    none,
    none,
    none,
    none,
    fromHex(token.slice(2)),
    none,
    fromHex(call),
    []
  ]
  return `0x02${toHex(encode(fields))}`
}
