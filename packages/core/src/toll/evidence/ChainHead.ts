/** A block that a node has shown as its newest one. */
export interface ChainHead {
  /** Its number; on Solana its slot, which no other block has, so that it needs no hash. */
  readonly number: bigint
  /** In lower case. */
  readonly hash?: string
}

/** A head as text, as a charge stores it; empty if there is none. */
export const headText = (head: ChainHead | undefined): string =>
  head === undefined ? "" : head.hash === undefined ? `${head.number}` : `${head.number} ${head.hash}`

/** Reads such a text. */
export const readHead = (text: string): ChainHead | undefined => {
  const [number = "", hash] = text.split(" ")
  if (!/^\d+$/.test(number)) return undefined
  return hash === undefined ? { number: BigInt(number) } : { number: BigInt(number), hash }
}
