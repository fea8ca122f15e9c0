/** A block that a node has shown as its newest one. */
export interface ChainHead {
  /** Its number; on Solana its slot, which no other block has, so that it needs no hash. */
  readonly number: bigint
  /** In lower case. */
  readonly hash?: string
  /** Seconds since the epoch, by the chain. */
  readonly timeSeconds?: bigint
}

/** A head as text, as a charge stores it; empty if there is none. */
export const headText = (head: ChainHead | undefined): string =>
  head === undefined
    ? ""
    : [head.number, head.hash, head.timeSeconds].filter((part) => part !== undefined).join(" ")

/** Reads such a text. */
export const readHead = (text: string): ChainHead | undefined => {
  const [number = "", hash, time = ""] = text.split(" ")
  if (!/^\d+$/.test(number)) return undefined
  return {
    number: BigInt(number),
    ...(hash === undefined ? {} : { hash }),
    ...(/^\d+$/.test(time) ? { timeSeconds: BigInt(time) } : {})
  }
}
